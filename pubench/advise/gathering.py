"""What a comparison has found: values on each fold, out-of-fold scores and decisions, and who was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench._ranking import auc_and_ap
from pubench.advise.fold_fits import FoldFit, FoldTask, KeptFit
from pubench.advise.methods import Method
from pubench.errors import PubenchError
from pubench.specs import Scenario
from pubench.status import Problem, Status

__all__ = ["Comparison", "Failure", "Gathering", "rank_shares"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Failure:
    """A method that was left out, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Methods compared on the same folds.

    Attributes
    ----------
    names : tuple of str
        The m methods that were compared on all folds, in the order they were given.
    values : ndarray of shape (m, folds)
        The AUC of held-out labelled against held-out unlabelled rows (``pauc``).
    shares : ndarray of shape (repeats, m, n)
        The rank share of each row among the rows held out with it, between 0 and 1; NaN where a repeat was not
        finished.
    margins : ndarray of shape (m, n)
        Out-of-fold scores of the first repeat.
    decisions : ndarray of shape (m, n)
        0/1 decisions about the rows of the first repeat, each by a model that did not see the row.
    cuts : ndarray of shape (m,)
        The score from which on rows are positive, for methods that are cut at the prior; NaN for others.
    seconds : ndarray of shape (m,)
        The mean time of a fit.
    failures : tuple of Failure
    folds : ndarray of shape (repeats, n)
        The fold in which each row was held out.
    is_interrupted : bool
        Whether Ctrl-C ended it early.
    """

    names: tuple[str, ...]
    values: Floats
    shares: Floats
    margins: Floats
    decisions: NDArray[np.uint8]
    cuts: Floats
    seconds: Floats
    failures: tuple[Failure, ...]
    folds: NDArray[np.int64]
    is_interrupted: bool = False

    @property
    def folds_done(self) -> int:
        """The number of folds on which all methods were compared."""
        return int(self.values.shape[1])

    @property
    def scores(self) -> Floats:
        """Rank shares, averaged over the repeats in which a row was held out, shape (m, n)."""
        averaged: Floats = np.nanmean(self.shares, axis=0)
        return averaged


def rank_shares(scores: Floats) -> Floats:
    """Return the share of values below each value, ties counted half: between 0 and 1, shape (n,)."""
    from scipy.stats import rankdata

    shares: Floats = (rankdata(scores) - 0.5) / len(scores)
    return shares


class Gathering:
    """Gathers the outcomes of fold tasks, in whatever order they end."""

    def __init__(
        self,
        s: NDArray[np.uint8],
        folds: NDArray[np.int64],
        methods: Sequence[Method],
        failures: Sequence[Failure],
    ) -> None:
        self._s, self._folds, self._methods = s, folds, tuple(methods)
        self._failures = {one.name: one.reason for one in failures}
        self._found: dict[tuple[str, int, int], tuple[FoldTask, FoldFit]] = {}
        self._is_interrupted = False
        self.ended = 0

    def add(self, task: FoldTask, outcome: FoldFit | KeptFit | Problem) -> None:
        """Note how a task ended."""
        assert not isinstance(outcome, KeptFit), "every task leaves rows out"
        name = task.method.name
        self.ended += 1
        if isinstance(outcome, FoldFit):
            self._found[name, task.repeat, task.fold] = task, outcome
        elif task.repeat == 0 or outcome.status not in (Status.SKIPPED, Status.TIMEOUT):
            # The clock may end a later round: the method keeps what it has.
            self._failures.setdefault(name, outcome.error)

    def has_failed(self, name: str) -> bool:
        """Whether a method is left out."""
        return name in self._failures

    @property
    def is_any_compared(self) -> bool:
        """Whether one method has scored all rows once."""
        return any(self._has_repeat(method.name, 0) for method in self._methods)

    @property
    def left(self) -> tuple[Method, ...]:
        """The methods that are compared to the end."""
        return tuple(one for one in self._methods if not self.has_failed(one.name))

    def end_first_repeat(self) -> None:
        """Leave out what has not scored all rows."""
        for method in self.left:
            if not self._has_repeat(method.name, 0):
                self._failures[method.name] = "not finished before the comparison ended"

    def interrupted(self) -> None:
        """Continue with what there is; raise KeyboardInterrupt again if that is nothing."""
        if not self.is_any_compared:
            raise KeyboardInterrupt
        self._is_interrupted = True
        self.end_first_repeat()

    def _has_repeat(self, name: str, repeat: int) -> bool:
        return all((name, repeat, fold) in self._found for fold in range(int(self._folds[repeat].max()) + 1))

    def comparison(self, prior: float | None, scenario: Scenario) -> Comparison:
        """Return what was found on the folds that all methods have.

        Raises
        ------
        PubenchError
            If every method was left out.
        """
        methods = self.left
        if not methods:
            reasons = "; ".join(f"{name}: {reason}" for name, reason in self._failures.items())
            raise PubenchError(f"every method failed on these data; {reasons}")
        rounds = [
            (repeat, fold)
            for repeat in range(len(self._folds))
            for fold in range(int(self._folds[repeat].max()) + 1)
            if all((method.name, repeat, fold) in self._found for method in methods)
        ]
        parts = [[self._found[method.name, *round_] for round_ in rounds] for method in methods]
        margins, decisions = self._first(parts)
        cuts = np.array(
            [
                _cut(method, scores, self._s, prior, scenario)
                for method, scores in zip(methods, margins, strict=True)
            ]
        )
        is_cut = ~np.isnan(cuts)
        decisions[is_cut] = margins[is_cut] >= cuts[is_cut, None]
        return Comparison(
            names=tuple(method.name for method in methods),
            values=np.array([[self._value(*part) for part in row] for row in parts]),
            shares=self._shares(parts),
            margins=margins,
            decisions=decisions,
            cuts=cuts,
            seconds=np.array([np.mean([fit.seconds for _, fit in row]) for row in parts]),
            failures=self._left_out(),
            folds=self._folds,
            is_interrupted=self._is_interrupted,
        )

    def _left_out(self) -> tuple[Failure, ...]:
        """Return who was left out: first those that were never asked, then in the order of the methods."""
        order = [method.name for method in self._methods]
        asked = [name for name in order if name in self._failures]
        never = [name for name in self._failures if name not in order]
        return tuple(Failure(name, self._failures[name]) for name in (*never, *asked))

    def _value(self, task: FoldTask, fit: FoldFit) -> float:
        return float(auc_and_ap(fit.score, self._s[task.held])[0])

    def _first(self, parts: Sequence[Sequence[tuple[FoldTask, FoldFit]]]) -> tuple[Floats, NDArray[np.uint8]]:
        margins = np.empty((len(parts), len(self._s)))
        decisions = np.empty(margins.shape, dtype=np.uint8)
        for number, row in enumerate(parts):
            for task, fit in row:
                if task.repeat == 0:
                    margins[number, task.held], decisions[number, task.held] = fit.score, fit.decision
        return margins, decisions

    def _shares(self, parts: Sequence[Sequence[tuple[FoldTask, FoldFit]]]) -> Floats:
        shares = np.full((len(self._folds), len(parts), len(self._s)), np.nan)
        for number, row in enumerate(parts):
            for task, fit in row:
                shares[task.repeat, number, task.held] = rank_shares(fit.score)
        return shares


def _cut(
    method: Method, scores: Floats, s: NDArray[np.uint8], prior: float | None, scenario: Scenario
) -> float:
    """Return where the prior cuts out-of-fold scores; NaN for a method that decides by itself."""
    from pubench.estimators.prior_cut import population_cut

    if not method.cuts or prior is None:
        return np.nan
    return population_cut(scores, s, prior=prior, scenario=scenario)
