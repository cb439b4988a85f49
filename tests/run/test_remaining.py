"""The time left: simulated runs of mixed costs, on which the speed of the last half minute says little."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import pairwise

import pytest

from pubench.run.remaining import Countdown, Kind, Remaining

COSTS = {"quick": 0.05, "slow": 6.0, "slower": 25.0, "medium": 1.0}
"""Seconds of a cell on 1,000 rows."""


def cells(sizes: tuple[int, ...], replicates: int) -> list[Kind]:
    """Return the cells of a suite in the order of its plan."""
    return [Kind(name, rows) for rows in sizes for _ in range(replicates) for name in COSTS]


def schedule(kinds: list[Kind], workers: int) -> Iterator[tuple[float, Kind, float]]:
    """Yield when each cell ends, on so many workers that take one after the other."""
    free = [0.0] * workers
    ends = []
    for number, kind in enumerate(kinds):
        start = heapq.heappop(free)
        # Replicates differ a little.
        cost = COSTS[kind.algorithm] * kind.rows / 1000 * (1 + 0.1 * ((number * 7) % 5 - 2))
        heapq.heappush(free, start + cost + 0.02)
        ends.append((start + cost + 0.02, kind, cost))
    return iter(sorted(ends))


def estimates(kinds: list[Kind], workers: int) -> list[tuple[float, float, float]]:
    """Return the share of finished cells, the time left that is shown, and the true one, after each cell."""
    ends = list(schedule(kinds, workers))
    remaining, shown = Remaining(kinds), None
    found = []
    for number, (now, kind, cost) in enumerate(ends, start=1):
        remaining.finish(kind, cost)
        new = remaining.seconds(now)
        assert new is not None
        shown = Countdown(new, now) if shown is None else shown.corrected(new, now)
        found.append((number / len(ends), shown.seconds, ends[-1][0] - now))
    return found


def speed_estimates(kinds: list[Kind], workers: int) -> list[float]:
    """Return the time left by the speed of the last 30 seconds, as a bar of cells shows it, at the end of each."""
    ends = [now for now, _, _ in schedule(kinds, workers)]
    recent = [sum(1 for end in ends if now - 30 < end <= now) / min(now, 30.0) for now in ends]
    return [(len(ends) - number) / speed for number, speed in enumerate(recent, start=1)]


SUITES = [(cells((1000,), 60), 1), (cells((1000,), 60), 4), (cells((500, 1000, 3000), 30), 2)]


@pytest.mark.parametrize(("kinds", "workers"), SUITES)
def test_after_a_tenth_of_the_cells_it_is_near_the_truth(kinds: list[Kind], workers: int) -> None:
    end = max(now for now, _, _ in schedule(kinds, workers))
    for share, shown, truth in estimates(kinds, workers):
        # The last cells of several workers end one by one.
        if share > 0.1 and truth > 0.05 * end:
            assert truth / 1.4 < shown < 1.4 * truth


@pytest.mark.parametrize(("kinds", "workers"), SUITES)
def test_it_does_not_jump_where_the_speed_of_cells_does(kinds: list[Kind], workers: int) -> None:
    tenth = len(kinds) // 10
    shown = [value for _, value, _ in estimates(kinds, workers)[tenth:-tenth]]
    assert max(after / before for before, after in pairwise(shown)) < 1.05
    old = speed_estimates(kinds, workers)[tenth:-tenth]
    assert max(after / before for before, after in pairwise(old)) > 1.3


def test_before_the_first_cell_nothing_is_known() -> None:
    remaining = Remaining([Kind("slow", 10)] * 2)
    assert remaining.seconds(5.0) is None
    remaining.finish(Kind("slow", 10), None)
    assert remaining.seconds(5.0) == pytest.approx(5.0)


def test_another_size_costs_as_much_for_each_row_and_another_algorithm_as_the_average() -> None:
    known, larger, other = Kind("slow", 100), Kind("slow", 400), Kind("new", 100)
    sized = Remaining([known, larger])
    sized.finish(known, 10.0)
    assert sized.seconds(10.0) == pytest.approx(40.0)
    mixed = Remaining([known, other])
    mixed.finish(known, 10.0)
    assert mixed.seconds(10.0) == pytest.approx(10.0)


def test_without_news_it_counts_down_and_news_arrive_gradually() -> None:
    shown = Countdown(100.0, at=0.0)
    assert shown.now(30.0) == 70.0
    assert shown.now(200.0) == 0.0
    assert 100.0 < shown.corrected(1000.0, at=0.1).seconds < 120.0
    assert shown.corrected(500.0, at=1000.0).seconds == pytest.approx(500.0, rel=0.01)
