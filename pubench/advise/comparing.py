"""Candidate methods compared by repeated resampling of a person's own P and U, within a budget of time."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench.advise.category_codes import Groups
from pubench.advise.fold_fits import FIT_SECONDS, FoldFits, FoldTask
from pubench.advise.gathering import Comparison, Failure, Gathering
from pubench.advise.methods import POOL, Method, resolve_methods
from pubench.advise.thinning import thinned, thinned_prior
from pubench.errors import DataError, PubenchError
from pubench.specs import Scenario

__all__ = ["FOLDS", "REPEATS", "Progress", "compare"]

FOLDS, REPEATS = 5, 2
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a comparison is: fits done and planned, the method that ended last, and the seconds left (a guess)."""

    done: int
    planned: int
    method: str
    seconds_left: float


class _Clock:
    """The time that a comparison may take."""

    def __init__(self, budget: float | None) -> None:
        self._begun, self._budget = time.monotonic(), budget

    @property
    def spent(self) -> float:
        return time.monotonic() - self._begun

    @property
    def left(self) -> float:
        return FIT_SECONDS if self._budget is None else self._budget - self.spent

    def expected(self, done: int, planned: int) -> float:
        """Return the seconds that are left at this pace, and at most until the budget ends."""
        pace = self.spent / max(done, 1) * (planned - done)
        return pace if self._budget is None else max(0.0, min(pace, self.left))


def compare(
    X: Floats,
    s: NDArray[np.uint8],
    *,
    groups: Groups = (),
    names: Sequence[str] = POOL,
    prior: float | None,
    scenario: Scenario,
    seed: int = 0,
    budget: float | None = None,
    repeats: int = REPEATS,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Comparison:
    """Compare methods by how well they rank held-out labelled rows above unlabelled ones.

    Five folds, stratified by s, are repeated; a labelled row and its copy in U are in the same fold. Each fit runs in
    a process of its own under the limits of suites, two at a time. A method that fails is left out and named. Fits on
    more than :data:`pubench.advise.thinning.MOST_ROWS` rows take a sample of them, and score all rows left out.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Finite numbers, scaled.
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    groups : tuple of tuple of int
        The columns of each category; see :func:`pubench.advise.category_codes.with_codes`.
    names : sequence of str
        Registered algorithms, quick ones first.
    prior : float or None
        Pr(y = 1); without one, methods that need it are left out.
    scenario : {"case-control", "single-training-set"}
    seed : int
        The same seed and the same number of folds give the same bits.
    budget : float, optional
        Seconds after which no fit is begun, once one method has been compared.
    repeats : int
    on_progress : callable
        Is notified of each fit that ended.

    Returns
    -------
    Comparison
        After Ctrl-C, what was compared until then.

    Raises
    ------
    DataError
        If the rows cannot be dealt into two folds.
    PubenchError
        If no method could be compared.
    """
    methods, failures = _fit_for(resolve_methods(names), prior, scenario)
    folds = _deal(X, s, repeats, seed)
    gathering = Gathering(s, folds, methods, failures)
    made = _Tasks(s, folds, prior, scenario, seed)
    clock = _Clock(budget)
    try:
        with FoldFits(X, groups, scenario) as fits:
            first = [task for method in methods for task in made.tasks([method], 0)]
            planned = len(first) * repeats
            for outcome in fits.run(first, lambda task: _first_allowed(task, gathering, clock)):
                gathering.add(*outcome)
                on_progress(_progress(gathering, planned, outcome[0], clock))
            gathering.end_first_repeat()
            for round_ in made.rounds(gathering, repeats):
                if clock.left <= 0:
                    break
                for outcome in fits.run(round_, lambda task: clock.left):
                    gathering.add(*outcome)
                    on_progress(_progress(gathering, planned, outcome[0], clock))
    except KeyboardInterrupt:
        gathering.interrupted()
    return gathering.comparison(prior, scenario)


def _fit_for(
    methods: Sequence[Method], prior: float | None, scenario: Scenario
) -> tuple[tuple[Method, ...], list[Failure]]:
    """Return the methods that can be asked, and why others cannot."""
    usable: list[Method] = []
    failures: list[Failure] = []
    for method in methods:
        if method.needs_prior and prior is None:
            failures.append(Failure(method.name, "it needs the class prior, which could not be estimated"))
        elif scenario not in method.plan.scenarios:
            failures.append(Failure(method.name, f"it does not support {scenario} data"))
        else:
            usable.append(method)
    if not usable:
        raise PubenchError(f"no method can be compared: {failures[0].name}: {failures[0].reason}")
    return tuple(usable), failures


def _deal(X: Floats, s: NDArray[np.uint8], repeats: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each row in each repeat, shape (repeats, n)."""
    from pubench.estimators.out_of_fold import fold_numbers

    seeds = np.random.default_rng([seed, len(s)]).integers(2**31, size=repeats)
    folds = np.stack([fold_numbers(X, s, FOLDS, int(one)) for one in seeds])
    if folds.max() == 0:
        raise DataError(
            f"methods cannot be compared with {int(s.sum())} labelled and {int((s == 0).sum())} unlabelled rows: "
            "at least two distinct rows of each are needed; label more rows"
        )
    return folds


def _first_allowed(task: FoldTask, gathering: Gathering, clock: _Clock) -> float:
    """Return the seconds for a fit of the first repeat: the budget does not count for the first method that works."""
    if gathering.has_failed(task.method.name):
        return 0.0
    first = next(iter(gathering.left), None)
    return FIT_SECONDS if task.method == first and not gathering.is_any_compared else clock.left


def _progress(gathering: Gathering, planned: int, task: FoldTask, clock: _Clock) -> Progress:
    done = gathering.ended
    return Progress(done, planned, task.method.name, clock.expected(done, planned))


@dataclass(frozen=True, slots=True, eq=False)
class _Tasks:
    """Makes the tasks of a comparison; each depends on the seed, its repeat, its fold and its method only."""

    s: NDArray[np.uint8]
    folds: NDArray[np.int64]
    prior: float | None
    scenario: Scenario
    seed: int

    def tasks(self, methods: Sequence[Method], repeat: int, only: int | None = None) -> Iterator[FoldTask]:
        """Yield the tasks of some methods in one repeat, fold by fold."""
        numbers = range(int(self.folds[repeat].max()) + 1) if only is None else (only,)
        for fold in numbers:
            rng = np.random.default_rng([self.seed, repeat, fold])
            rows = np.flatnonzero(self.folds[repeat] != fold)
            rows = rows[thinned(self.s[rows], rng)]
            s, all_s = self.s[rows], self.s[self.folds[repeat] != fold]
            prior = None if self.prior is None else thinned_prior(self.prior, all_s, s, self.scenario)
            held = np.flatnonzero(self.folds[repeat] == fold)
            for method in methods:
                named = [self.seed, repeat, fold, zlib.crc32(method.name.encode())]
                drawn = int(np.random.default_rng(named).integers(2**31))
                yield FoldTask(method, repeat, fold, rows, s, prior, held, drawn)

    def rounds(self, gathering: Gathering, repeats: int) -> Iterator[list[FoldTask]]:
        """Yield the tasks of each fold of the later repeats, for the methods that are left."""
        for repeat in range(1, repeats):
            for fold in range(int(self.folds[repeat].max()) + 1):
                yield list(self.tasks(gathering.left, repeat, fold))
