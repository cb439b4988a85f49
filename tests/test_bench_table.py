"""The table of `make bench`: what is written can be read again, and what got worse is found."""

from __future__ import annotations

from pathlib import Path

import pytest

# The benchmarks import each other by name. What stays on the path would hide plugins of those names from other tests.
with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    table = pytest.importorskip("table")
    measure = pytest.importorskip("measure")


def figure(median, spread=0.01, **options):
    ratio = measure.Ratio(median, median - spread, median + spread)
    return table.Figure("fit", "a peer", options.pop("limit", 0.5), ratio, **options)


def test_a_table_that_is_read_again_holds_the_same_figures():
    figures = [
        figure(0.25),
        table.Figure("growth", "n", 1.1, exponent=1.25),
        table.Figure("peak", "input", 2, memory=1.5),
    ]
    read = table.read("# A page\n\n" + table.rendered(figures))
    assert {what: old.value for what, old in read.items()} == {"fit": 0.25, "growth": 1.25, "peak": 1.5}
    assert (read["fit"].low, read["fit"].high) == (0.24, 0.26)


@pytest.mark.parametrize(
    ("before", "now", "spread", "at_least", "worse"),
    [
        (0.2, 0.3, 0.01, False, True),
        (0.2, 0.3, 0.06, False, False),  # within the spreads
        (0.2, 0.21, 0.001, False, False),  # less than a tenth
        (0.3, 0.2, 0.01, False, False),
        (1.9, 1.2, 0.01, True, True),
        (1.2, 1.9, 0.01, True, False),
    ],
)
def test_worse_is_more_than_a_tenth_and_beyond_both_spreads(before, now, spread, at_least, worse):
    old = table.read(table.rendered([figure(before, spread, at_least=at_least)]))
    assert bool(table.compared([figure(now, spread, at_least=at_least)], old)) == worse


def test_a_missed_limit_says_why_and_a_met_one_does_not():
    assert figure(0.6, why="because").cells()[-2:] == ("missed", "because")
    assert figure(0.4, why="because").cells()[-2:] == ("met", "")
    assert figure(1.9, limit=1.8, at_least=True).holds


def test_pairs_are_measured_in_alternation():
    calls = []
    measure.paired_ratio(
        lambda: calls.append("ours") or sum(range(10_000)),
        lambda: calls.append("peer") or sum(range(10_000)),
        pairs=2,
    )
    assert calls == ["ours", "peer", "ours", "peer"]
