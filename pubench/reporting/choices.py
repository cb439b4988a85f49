"""Criterion by algorithm: what choosing by a criterion costs and gains, and how often the chosen model collapses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.pricing import Price
from pubench.reporting.report import Report
from pubench.results.table import Row
from pubench.stats.scores import ScoreTable
from pubench.status import Status

__all__ = ["DEFAULT", "Choice", "find_choices"]

Floats = NDArray[np.float64]
DEFAULT = ", default"
"""What the label of an untuned algorithm ends with, if it is the default setting of the one before."""


class Choice(NamedTuple):
    """What a criterion does for an algorithm, on average over data sets.

    ``loss`` is against the oracle's choice, ``gain`` over the default setting; ``harmed`` is the share of searches that
    end below the default. NaN where the run does not have what it takes. ``collapsed`` of ``models`` chosen models put
    all test rows into one class.
    """

    loss: float
    gain: float
    harmed: float
    collapsed: int
    models: int


def find_choices(report: Report, price: Price) -> dict[str, tuple[Choice, ...]]:
    """Return a choice for each criterion of a price, the oracle last, by algorithm; "" is all of them together."""
    table = report.tables[price.metric]
    tuned = list(dict.fromkeys(line.algorithm for line in price.lines))
    collapses = {name: _collapses(report.rows, name, tuned) for name in (*price.criteria, price.oracle)}
    origins = report.details.origins
    groups = {"": tuned, **({name: [name] for name in tuned} if len(tuned) > 1 else {})}
    return {
        label: tuple(
            Choice(
                _loss(price, label, k),
                *_over_default(table, criterion, names, origins),
                *_summed(collapses[criterion], names),
            )
            for k, criterion in enumerate((*price.criteria, price.oracle))
        )
        for label, names in groups.items()
    }


def _loss(price: Price, label: str, criterion: int) -> float:
    """Return the mean loss over data sets; the oracle loses nothing against itself."""
    return 0.0 if criterion == len(price.criteria) else price.overall[label][criterion].mean


def _over_default(
    table: ScoreTable, criterion: str, names: Iterable[str], origins: Mapping[str, str]
) -> tuple[float, float]:
    """Return the mean gain over the default setting, each data set counting once, and the share below it."""
    sign = 1.0 if table.greater_is_better else -1.0
    gains: dict[str, list[float]] = {}
    for name in names:
        if name + DEFAULT not in table.algorithms:
            continue
        own, default = table.algorithms.index(name), table.algorithms.index(name + DEFAULT)
        for i, block in enumerate(table.blocks):
            if block.criterion == criterion:
                found = sign * (table.values[i, own] - table.values[i, default])
                unit = origins.get(block.dataset, block.dataset)
                gains.setdefault(unit, []).extend(found[np.isfinite(found)].tolist())
    known = [values for values in gains.values() if values]
    if not known:
        return np.nan, np.nan
    every = np.concatenate([np.array(values) for values in known])
    return float(np.mean([np.mean(values) for values in known])), float((every < 0).mean())


def _collapses(rows: Iterable[Row], criterion: str, names: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return, by algorithm, how many models that a criterion chose collapsed, and how many there are."""
    counts = dict.fromkeys(names, (0, 0))
    for row in rows:
        name = str(row["algorithm"])
        if row["criterion"] == criterion and row["status"] == Status.OK and name in counts:
            collapsed, models = counts[name]
            counts[name] = collapsed + bool(row.get("collapsed")), models + 1
    return counts


def _summed(counts: Mapping[str, tuple[int, int]], names: Iterable[str]) -> tuple[int, int]:
    found = [counts[name] for name in names]
    return sum(collapsed for collapsed, _ in found), sum(models for _, models in found)
