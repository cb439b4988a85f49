"""The time that a run still needs, from the costs of its finished cells; knows neither clocks nor displays."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from pubench.plan.jobs import Job
from pubench.results.record import Record

__all__ = ["Countdown", "Kind", "Remaining", "cost_of", "kinds_of"]

_START = 0.02
"""Seconds that every cell costs next to what its record says, for its processes and the labelling."""
_LEAST_PERIOD, _PERIOD_SHARE = 5.0, 0.2
"""A new estimate counts fully after some seconds, or after a fifth of the run so far."""


class Kind(NamedTuple):
    """Cells that should cost about the same: those of one algorithm on data sets of one size."""

    algorithm: str
    rows: int


def kinds_of(jobs: Iterable[Job]) -> dict[str, Kind]:
    """Return the kind of each cell of some jobs, by its key."""
    return {
        cell.key: Kind(cell.algorithm, sum(job.data.sample or job.data.stored.counts))
        for job in jobs
        for cell in job.cells
    }


def cost_of(record: Record) -> float | None:
    """Return the seconds that a cell took where it ran; None where that was not measured."""
    parts = (record.tune_seconds, record.fit_seconds, record.score_seconds)
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


class Remaining:
    """Estimates what is left of a run.

    An open cell is expected to cost as much as the finished ones of its kind on average. Without any, it costs as much
    for each row as other cells of its algorithm; without those, as much as the average cell. The time left is the
    elapsed time, multiplied by the cost of open cells over that of finished ones: so neither the number of workers nor
    what pubench itself costs has to be known.

    Parameters
    ----------
    kinds : iterable of Kind
        That of each cell that is to be run.
    """

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self._open = Counter(kinds)
        self._finished: Counter[Kind] = Counter()
        self._costs: dict[Kind, _Sum] = {}

    def finish(self, kind: Kind, cost: float | None) -> None:
        """Count a finished cell; its cost is None if it was not measured."""
        self._open[kind] -= 1
        self._finished[kind] += 1
        if cost is not None:
            self._costs[kind] = self._costs.get(kind, _Sum()).plus(cost + _START)

    def seconds(self, elapsed: float) -> float | None:
        """Return the seconds left after so many seconds; None before the first cell has finished."""
        costs = self._expected()
        done = sum(number * costs[kind] for kind, number in self._finished.items())
        left = sum(number * costs[kind] for kind, number in self._open.items())
        return elapsed * left / done if done > 0 else None

    def _expected(self) -> dict[Kind, float]:
        """Return the expected cost of a cell of each kind."""
        by_row: dict[str, _Sum] = {}
        for kind, found in self._costs.items():
            scaled = _Sum(found.total / max(kind.rows, 1), found.number)
            by_row[kind.algorithm] = by_row.get(kind.algorithm, _Sum()).joined(scaled)
        whole = _Sum()
        for found in self._costs.values():
            whole = whole.joined(found)
        mean = whole.mean if whole.number else 1.0

        def expected(kind: Kind) -> float:
            if kind in self._costs:
                return self._costs[kind].mean
            return by_row[kind.algorithm].mean * max(kind.rows, 1) if kind.algorithm in by_row else mean

        return {kind: expected(kind) for kind in self._open.keys() | self._finished.keys()}


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum of costs, and of how many."""

    total: float = 0.0
    number: int = 0

    @property
    def mean(self) -> float:
        return self.total / self.number

    def plus(self, cost: float) -> _Sum:
        return _Sum(self.total + cost, self.number + 1)

    def joined(self, other: _Sum) -> _Sum:
        return _Sum(self.total + other.total, self.number + other.number)


@dataclass(frozen=True, slots=True)
class Countdown:
    """A time left that does not jump: it counts down, and approaches new estimates the slower the longer a run takes.

    ``seconds`` were left ``at`` so many seconds after the start of the run.
    """

    seconds: float
    at: float

    def now(self, at: float) -> float:
        """Return the seconds left at a time, if nothing new is known."""
        return max(self.seconds - (at - self.at), 0.0)

    def corrected(self, estimate: float, at: float) -> Countdown:
        """Return the countdown after a new estimate."""
        expected = self.now(at)
        period = max(_LEAST_PERIOD, _PERIOD_SHARE * at)
        weight = 1 - math.exp(-(at - self.at) / period)
        return Countdown(expected + weight * (estimate - expected), at)
