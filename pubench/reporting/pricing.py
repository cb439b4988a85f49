"""The price of tuning: what each PU criterion loses against choosing by true labels, and gains over defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.report import Report
from pubench.results.table import Row
from pubench.stats.corrections import holm
from pubench.stats.paired import paired_differences, signed_rank, t_test
from pubench.stats.power import PairedTest, least_p
from pubench.stats.scores import Block, ScoreTable
from pubench.suite.reporting import Rules

__all__ = ["Loss", "Price", "PriceLine", "find_prices"]

Floats = NDArray[np.float64]
ORACLE = "oracle-"


class Loss(NamedTuple):
    """What a criterion loses: mean and sd of ``n`` paired differences of ``planned``, and the p-value of no loss.

    Positive values say that the oracle's choice is better. sd is NaN for one difference; p is after Holm's correction
    over the criteria, and NaN where no test could reject.
    """

    mean: float
    sd: float
    p: float
    n: int
    planned: int


class PriceLine(NamedTuple):
    """One algorithm on one data set and labelling: the oracle's mean and sd, and each criterion's loss."""

    dataset: str
    labelling: str
    algorithm: str
    oracle: float
    oracle_sd: float
    losses: tuple[Loss, ...]


class Price(NamedTuple):
    """The losses of one metric, which has the place ``metric`` among the tables.

    ``overall`` has a loss of each criterion over data sets, for all algorithms together and, where there are several,
    for each by its name.
    """

    metric: int
    name: str
    oracle: str
    criteria: tuple[str, ...]
    lines: tuple[PriceLine, ...]
    overall: Mapping[str, tuple[Loss, ...]]


def find_prices(report: Report) -> list[Price]:
    """Compare the criteria of a run with its oracle ones, metric by metric.

    A metric is compared with its own oracle criterion, or, where the run has none, with the first one. Algorithms that
    were not tuned, or used true labels anyway, are left out.

    Returns
    -------
    list of Price
        Empty where no cell was tuned by an oracle criterion and by another.
    """
    tuned = _tuned(report.rows)
    rules, origins = report.rules, report.details.origins
    prices = (_price(place, table, tuned, rules, origins) for place, table in enumerate(report.tables))
    return [price for price in prices if price is not None]


def _tuned(rows: Sequence[Row]) -> set[tuple[str, str, str]]:
    """Return the data sets, labellings and algorithms of the rows that were tuned."""
    return {
        (row["dataset"], row["labelling"], str(row["algorithm"]))
        for row in rows
        if row["criterion"] is not None
    }


def _price(
    place: int,
    table: ScoreTable,
    tuned: set[tuple[str, str, str]],
    rules: Rules,
    origins: Mapping[str, str],
) -> Price | None:
    names = list(dict.fromkeys(block.criterion for block in table.blocks if block.criterion is not None))
    oracles = [name for name in names if name.startswith(ORACLE)]
    criteria = tuple(name for name in names if not name.startswith(ORACLE))
    if table.greater_is_better is None or not oracles or not criteria:
        return None
    oracle = ORACLE + table.metric if ORACLE + table.metric in oracles else oracles[0]
    found = list(_lines(table, oracle, criteria, tuned, rules))
    if not found:
        return None
    overall = _overall(found, len(criteria), rules, origins)
    return Price(place, table.metric, oracle, criteria, tuple(found), overall)


def _lines(
    table: ScoreTable, oracle: str, criteria: Sequence[str], tuned: set[tuple[str, str, str]], rules: Rules
) -> Iterator[PriceLine]:
    places = {block: i for i, block in enumerate(table.blocks)}
    for block, i in places.items():
        if block.criterion != oracle:
            continue
        others = [places.get(Block(block.dataset, block.labelling, name)) for name in criteria]
        for j, algorithm in enumerate(table.algorithms):
            reference = any(k is not None and table.reference[k, j] for k in others)
            if (block.dataset, block.labelling, algorithm) in tuned and not reference:
                test: PairedTest = "wilcoxon" if rules.replicate_test == "wilcoxon" else "t"
                losses = _corrected([_loss(table, i, k, j, rules) for k in others], test, rules.alpha)
                if any(loss.n for loss in losses):
                    oracles = float(table.mean[i, j]), float(table.sd[i, j])
                    yield PriceLine(block.dataset, block.labelling, algorithm, *oracles, losses)


def _loss(table: ScoreTable, oracle: int, other: int | None, column: int, rules: Rules) -> Loss:
    """Return the loss of one cell over its replicates."""
    if other is None:
        return Loss(np.nan, np.nan, np.nan, 0, 0)
    sign = 1.0 if table.greater_is_better else -1.0
    pair = sign * table.values[oracle, column], sign * table.values[other, column]
    differences = paired_differences(*pair)
    overlap = float(table.overlap[oracle]) if rules.replicate_test == "corrected-t" else 0.0
    p = _p_value(differences, "wilcoxon" if rules.replicate_test == "wilcoxon" else "t", overlap)
    return _summary(differences, p, int(table.planned[other, column]))


def _overall(
    lines: Sequence[PriceLine], criteria: int, rules: Rules, origins: Mapping[str, str]
) -> dict[str, tuple[Loss, ...]]:
    """Return the losses over data sets, each averaged over its lines first; those that share rows are one."""
    test: PairedTest = "t" if rules.test == "t" else "wilcoxon"
    algorithms = dict.fromkeys(line.algorithm for line in lines)
    groups = {"": list(lines)}
    if len(algorithms) > 1:
        groups |= {name: [line for line in lines if line.algorithm == name] for name in algorithms}
    return {
        name: _corrected(
            [_over_datasets(group, k, test, origins) for k in range(criteria)], test, rules.alpha
        )
        for name, group in groups.items()
    }


def _over_datasets(
    lines: Sequence[PriceLine], criterion: int, test: PairedTest, origins: Mapping[str, str]
) -> Loss:
    by_dataset: dict[str, list[float]] = {}
    for line in lines:
        loss = line.losses[criterion]
        if np.isfinite(loss.mean):
            by_dataset.setdefault(origins.get(line.dataset, line.dataset), []).append(loss.mean)
    means = np.array([np.mean(values) for values in by_dataset.values()], dtype=np.float64)
    tables = {origins.get(line.dataset, line.dataset) for line in lines}
    return _summary(means, _p_value(means, test, 0.0), len(tables))


def _p_value(differences: Floats, test: PairedTest, overlap: float) -> float:
    known = differences[np.isfinite(differences)]
    if known.size < 2:
        return np.nan
    return signed_rank(known).p if test == "wilcoxon" else float(t_test(known, overlap)[1])


def _summary(differences: Floats, p: float, planned: int) -> Loss:
    known = differences[np.isfinite(differences)]
    mean = float(known.mean()) if known.size else np.nan
    sd = float(known.std(ddof=1)) if known.size > 1 else np.nan
    return Loss(mean, sd, p, int(known.size), planned)


def _corrected(losses: Sequence[Loss], test: PairedTest, alpha: float) -> tuple[Loss, ...]:
    """Correct the p-values of a line; tests that could not reject are left out."""
    least = [least_p(test, loss.n) if loss.p == loss.p else np.nan for loss in losses]
    able = holm(np.array(least, dtype=np.float64)) < alpha
    adjusted = holm(np.where(able, [loss.p for loss in losses], np.nan)).tolist()
    return tuple(loss._replace(p=p) for loss, p in zip(losses, adjusted, strict=True))
