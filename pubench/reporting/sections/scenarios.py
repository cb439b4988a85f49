"""The section of scenarios: who leads in each, mean scores, and which methods do better in one than in the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pubench.errors import counted
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import (
    BulletList,
    Entry,
    Fold,
    Paragraph,
    Section,
    SectionBlock,
    TableBlock,
)
from pubench.stats.comparison import Ranking, rank
from pubench.stats.scores import ScoreTable, some_blocks

__all__ = ["ScenarioScores", "find_scenarios", "scenarios_section"]

SHOWN, LEADERS, MOVERS = 12, 3, 3
"""How many algorithms are shown before the rest is folded, are named as leading, and as moving most."""
_NOTE = (
    "Mean score over the blocks of a scenario in which all competitors are complete, and average rank in brackets. The "
    "last column is the second scenario minus the first, over the same data sets."
)


class ScenarioScores(NamedTuple):
    """One scenario in one metric: ranks, and the mean score of each competitor by data set, shape (D, k)."""

    name: str
    ranking: Ranking
    datasets: tuple[str, ...]
    means: np.ndarray[tuple[int, int], np.dtype[np.float64]]

    def mean(self, algorithm: str) -> float:
        """Return the mean score of a competitor over data sets."""
        return (
            float(self.means[:, self.ranking.algorithms.index(algorithm)].mean())
            if len(self.means)
            else np.nan
        )

    def rank(self, algorithm: str) -> float:
        """Return the average rank of a competitor."""
        return float(self.ranking.ranks[self.ranking.algorithms.index(algorithm)])


def scenarios_section(report: Report) -> Section | None:
    """Return a table for each metric, if the run has several scenarios; Markdown has none."""
    blocks: list[SectionBlock] = []
    for place, table in enumerate(report.tables):
        found = find_scenarios(report, table)
        if len(found) > 1:
            blocks += _blocks(place, table, found)
    if not blocks:
        return None
    return Section("scenarios", "Scenarios", "Scenarios", (*blocks, Paragraph(_NOTE)), ())


def find_scenarios(report: Report, table: ScoreTable) -> list[ScenarioScores]:
    """Rank the competitors within each scenario; a metric without a direction has none."""
    of = {row["labelling"]: str(row["scenario"]) for row in report.rows if row.get("scenario")}
    places: dict[str, list[int]] = {}
    for i, block in enumerate(table.blocks):
        if table.greater_is_better is not None and block.labelling in of:
            places.setdefault(of[block.labelling], []).append(i)
    parts = [(name, some_blocks(table, found)) for name, found in places.items()] if len(places) > 1 else []
    made = [_scores(name, part, rank(part, report.rules, report.details.origins)) for name, part in parts]
    return [one for one in made if one.ranking.units]


def _scores(name: str, table: ScoreTable, ranking: Ranking) -> ScenarioScores:
    columns = [table.algorithms.index(each) for each in ranking.algorithms]
    complete = (table.complete & ~table.reference)[:, columns].all(axis=1)
    by_dataset: dict[str, list[int]] = {}
    for i in np.flatnonzero(complete).tolist():
        by_dataset.setdefault(table.blocks[i].dataset, []).append(i)
    means = [table.mean[np.ix_(rows, columns)].mean(axis=0) for rows in by_dataset.values()]
    return ScenarioScores(name, ranking, tuple(by_dataset), np.array(means).reshape(len(means), len(columns)))


def _blocks(place: int, table: ScoreTable, found: Sequence[ScenarioScores]) -> Iterator[SectionBlock]:
    # In the order of the table where ranks are equal, so that the same rows give the same page.
    shared = [name for name in table.algorithms if all(name in one.ranking.algorithms for one in found)]
    names = sorted(shared, key=lambda name: sum(one.rank(name) for one in found))
    changes = {name: _change(found, name) for name in names} if len(found) == 2 else {}
    sentences = [_leaders(one) for one in found] + _movers(found, changes)
    lines = [_line(found, name, changes) for name in names]
    heads = ("algorithm", *(one.name for one in found), *(["difference"] if changes else []))
    title = f"{table.metric} by scenario"
    yield BulletList(tuple(sentences), metric=place)
    yield TableBlock(title, heads, lines[:SHOWN], metric=place)
    if len(lines) > SHOWN:
        rest = TableBlock(f"{title}, continued", heads, lines[SHOWN:])
        yield Fold(f"{title}: {counted(len(lines) - SHOWN, 'more algorithm')}", (rest,), place)


def _change(found: Sequence[ScenarioScores], name: str) -> float:
    """Return the mean difference of two scenarios over the data sets that both have."""
    first, second = found
    column = first.ranking.algorithms.index(name), second.ranking.algorithms.index(name)
    both = [label for label in first.datasets if label in second.datasets]
    pairs = [
        second.means[second.datasets.index(label), column[1]]
        - first.means[first.datasets.index(label), column[0]]
        for label in both
    ]
    return float(np.mean(pairs)) if pairs else np.nan


def _leaders(one: ScenarioScores) -> str:
    names = sorted(one.ranking.algorithms, key=one.rank)[:LEADERS]
    listed = ", ".join(f"{name} ({one.rank(name):.1f})" for name in names)
    return f"{one.name}: the best average ranks over {one.ranking.over} are {listed}."


def _movers(found: Sequence[ScenarioScores], changes: Mapping[str, float]) -> list[str]:
    """Name the algorithms whose ranks differ most between two scenarios."""
    if not changes:
        return []
    first, second = found
    moves = {name: first.rank(name) - second.rank(name) for name in changes}
    order = sorted(moves, key=lambda name: -abs(moves[name]))[:MOVERS]
    listed = ", ".join(
        f"{name} (rank {first.rank(name):.1f} and {second.rank(name):.1f}, score {changes[name]:+.3f})"
        for name in order
    )
    return [f"What differs most from {first.name} to {second.name}: {listed}."]


def _line(found: Sequence[ScenarioScores], name: str, changes: Mapping[str, float]) -> list[str | Entry]:
    cells = [Entry(f"{one.mean(name):.3f}", aside=f"({one.rank(name):.1f})") for one in found]
    last = [f"{changes[name]:+.3f}"] if changes else []
    return [Entry(name, method=name), *cells, *last]
