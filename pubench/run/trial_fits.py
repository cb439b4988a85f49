"""The fits that judge the trials of a search on test rows, where the suite asks for them.

They begin when the search is over, and nothing of them goes back to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pubench.protocol.replies import Trial
from pubench.results.record import EvaluatedTrial, Record
from pubench.run.search import params_name
from pubench.status import Problem

if TYPE_CHECKING:
    from pubench.specs import Params

__all__ = ["TrialFits"]


class TrialFits:
    """The trials of one search that are judged on test rows.

    Parameters
    ----------
    search : str
        The key of the search.
    stored : sequence of EvaluatedTrial
        Those of earlier runs.

    Attributes
    ----------
    new : list of EvaluatedTrial
        The trials to store; who stores them takes them away.
    """

    def __init__(self, search: str, stored: Sequence[EvaluatedTrial]) -> None:
        self.new: list[EvaluatedTrial] = []
        self._search = search
        self._known = {line.number for line in stored}
        self._missing: dict[str, int] = {}

    def begin(self, trials: Sequence[Trial]) -> list[Params]:
        """Take the trials of the search, in order, and return the settings that are to be fitted, each once."""
        first: dict[str, int] = {}
        for number, trial in enumerate(trials):
            if not trial.error and not trial.pruned:
                first.setdefault(params_name(trial.params), number)
        self._missing = {name: number for name, number in first.items() if number not in self._known}
        return [trials[number].params for number in self._missing.values()]

    @property
    def are_done(self) -> bool:
        """Whether each of them has been fitted."""
        return not self._missing

    def accept(self, params: Params, value: Record | Problem) -> None:
        """Take the record of a fit, or why there is none."""
        number = self._missing.pop(params_name(params), None)
        if number is None:
            return
        if isinstance(value, Problem):
            judged = EvaluatedTrial(search=self._search, number=number, error=value.error)
        else:
            judged = EvaluatedTrial(
                search=self._search,
                number=number,
                metrics=value.metrics,
                collapsed=value.collapsed,
                predictions=value.predictions,
            )
        self.new.append(judged)
