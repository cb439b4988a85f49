"""A search under way: which trials it needs next, and those that are finished, from this run or an earlier one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import msgspec

from pubench.plan.jobs import Job
from pubench.protocol.parts import EarlierTrial, Pruning, SearchPlan
from pubench.protocol.replies import Trial
from pubench.results.record import StoredTrial
from pubench.run.search import Search, params_name

if TYPE_CHECKING:
    from pubench.specs import Params

__all__ = ["Searching"]


class Searching:
    """The search of a job.

    Parameters
    ----------
    job : Job
    plan : SearchPlan
    stored : sequence of StoredTrial
        Its finished trials of earlier runs.
    spent : float
        The seconds that the search has used before.

    Attributes
    ----------
    new : list of StoredTrial
        The trials to store; who stores them takes them away.
    """

    def __init__(self, job: Job, plan: SearchPlan, stored: Sequence[StoredTrial], spent: float) -> None:
        self._search = Search(job.algorithm.space, plan, guide=job.criteria[0], seed=job.seeds.search)
        self._key, self.spent, self._plan = job.search, spent, plan
        self.new: list[StoredTrial] = []
        self._known: dict[str, Trial] = {}
        for line in stored:
            self._known.setdefault(params_name(line.trial.params), line.trial)
        self._numbers = {line.number for line in stored}
        self._batch: list[Params] = []

    @property
    def size(self) -> int:
        """How many trials it has in all."""
        return self._search.size

    def advance(self, criteria: Collection[str]) -> list[Params] | None:
        """Return the parameters to try next: none while a batch is under way, None when the search is over.

        Parameters
        ----------
        criteria : collection of str
            Trials without a value for each of them, and without an error, are not known.
        """
        while True:
            if self._batch:
                if any(not self._is_known(params, criteria) for params in self._batch):
                    return []
                self._tell()
            self._batch = self._search.ask()
            if not self._batch:
                return None
            missing = {params_name(p): p for p in self._batch if not self._is_known(p, criteria)}
            if missing:
                return list(missing.values())

    def _is_known(self, params: Params, criteria: Collection[str]) -> bool:
        trial = self._known.get(params_name(params))
        if trial is None:
            return False
        return bool(trial.error) or trial.pruned or all(name in trial.folds for name in criteria)

    def _tell(self) -> None:
        trials = [self._known[params_name(params)] for params in self._batch]
        for number, trial in enumerate(trials, start=len(self._search.trials)):
            if number not in self._numbers:
                # Parameters that were proposed before are not tried again.
                self._store(number, msgspec.structs.replace(trial, seconds=0.0))
        self._search.tell(trials)

    def pruning(self, params: Params) -> Pruning | None:
        """Return when a trial of the batch under way is given up: what it is compared with ended before the batch."""
        rule = self._plan.pruner
        if not rule:
            return None
        names = [params_name(one) for one in self._batch]
        number = len(self._search.trials) + names.index(params_name(params))
        earlier = tuple(
            EarlierTrial(number=place, curves=trial.curves, pruned=trial.pruned)
            for place, trial in enumerate(self._search.trials)
            if trial.curves
        )
        return Pruning(rule=rule, number=number, earlier=earlier)

    def keep(self, trial: Trial) -> None:
        """Keep a finished trial; its values by other criteria stay."""
        name = params_name(trial.params)
        before = self._known.get(name)
        if before is not None:
            trial = msgspec.structs.replace(
                trial, folds={**before.folds, **trial.folds}, problems={**before.problems, **trial.problems}
            )
        self._known[name] = trial
        self.spent += trial.seconds
        names = [params_name(params) for params in self._batch]
        if name in names:
            self._store(len(self._search.trials) + names.index(name), trial)

    def _store(self, number: int, trial: Trial) -> None:
        self._numbers.add(number)
        self.new.append(StoredTrial(search=self._key, number=number, trial=trial))

    def finished(self) -> list[Trial]:
        """Return the finished trials in the order in which they were proposed."""
        under_way = [self._known.get(params_name(params)) for params in self._batch]
        return [*self._search.trials, *(trial for trial in under_way if trial is not None)]

    def seconds(self) -> float:
        """Return how long the finished trials took, each counted once."""
        different = {params_name(trial.params): trial.seconds for trial in self.finished()}
        return sum(different.values())
