"""Which algorithms differ in one metric: from a score table to ranks, tests and groups, which reports show."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.stats.bayes import Posterior, bayesian_signed_rank
from pubench.stats.bootstrap import mean_interval
from pubench.stats.cliques import maximal_cliques
from pubench.stats.corrections import holm
from pubench.stats.paired import paired_differences, signed_rank, t_test
from pubench.stats.ranks import Friedman, critical_difference, friedman, nemenyi, rank_rows
from pubench.stats.scores import ScoreTable
from pubench.stats.ties import tied_with_best
from pubench.stats.units import Units, make_units
from pubench.suite.reporting import Rules

__all__ = ["Comparison", "Pair", "Ranking", "compare", "rank"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Pair(NamedTuple):
    """Two algorithms over the ``units`` in which both have a score; positive differences favour the first.

    ``difference`` is the mean one and ``low`` to ``high`` its bootstrap interval, over finite differences. ``effect``
    is the rank-biserial correlation. ``adjusted`` is ``p`` after the correction; both are NaN below two units.
    """

    first: str
    second: str
    units: int
    wins: int
    ties: int
    losses: int
    difference: float
    low: float
    high: float
    effect: float
    p: float
    adjusted: float
    posterior: Posterior


@dataclass(frozen=True, slots=True)
class Ranking:
    """Average ranks of competitors over the units, and so over the lines of a table, in which all have a score.

    ``ranks`` has shape (k,), 1 is best; NaN where there is no such unit. ``units`` of ``all_units`` and ``lines`` of
    ``all_lines`` are used.
    """

    algorithms: tuple[str, ...]
    ranks: Floats
    units: int
    all_units: int
    lines: int
    all_lines: int
    unit: Literal["dataset", "block"]

    @property
    def over(self) -> str:
        """What the ranks are averages over, in words; lines are counted where they are not the units themselves."""
        unit = "data sets" if self.unit == "dataset" else "blocks"
        lines = f", {self.lines} of {self.all_lines} lines" if self.all_lines != self.all_units else ""
        return f"{self.units} of {self.all_units} {unit}{lines}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the competitors of one table compare; references are left out.

    Attributes
    ----------
    rules : Rules
    algorithms : tuple of str
        The k competitors in the table's order.
    ranks : float array of shape (k,)
        Average rank (1 is best) over the units in which all competitors have a score; NaN where there is none.
    units, all_units : int
        How many units these are, and how many the table has.
    ranking : Ranking
        The ranks, and what they are computed from.
    datasets : int
        How many data sets the units come from: fewer than units if blocks are compared.
    friedman : Friedman or None
        None below three competitors or two units.
    critical_difference : float or None
        Nemenyi's, if that is the test, with at least two competitors and two units.
    pairs : tuple of Pair
    groups : tuple of tuples of str
        The largest sets of two or more competitors of which no two differ, each in the order of ranks. Empty where
        nothing was tested.
    tied : bool array of shape (B, A)
        Cells that do not differ from the best of their block.
    """

    metric: str
    rules: Rules
    algorithms: tuple[str, ...]
    ranks: Floats
    units: int
    all_units: int
    ranking: Ranking
    datasets: int
    friedman: Friedman | None
    critical_difference: float | None
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[str, ...], ...]
    tied: Bools

    @property
    def tested(self) -> bool:
        """Whether the competitors were tested against each other."""
        return self.units > 1 and len(self.algorithms) > 1


def compare(table: ScoreTable, rules: Rules) -> Comparison:
    """Compare the algorithms of a table.

    Parameters
    ----------
    table : ScoreTable
    rules : Rules

    Returns
    -------
    Comparison
        A pure function of both: random draws have a fixed seed.
    """
    units = make_units(table, rules)
    k = units.columns.size
    names = tuple(table.algorithms[j] for j in units.columns)
    ranking, ranked = _ranking(units, names, rules)
    n, ranks = ranking.units, ranking.ranks
    tested = n > 1 and k > 1
    pairs = _pairs(units, names, rules, nemenyi(ranks, n) if tested and rules.test == "nemenyi" else None)
    return Comparison(
        metric=table.metric,
        rules=rules,
        algorithms=names,
        ranks=ranks,
        units=n,
        all_units=units.count,
        ranking=ranking,
        datasets=len({block.dataset for block in table.blocks}),
        friedman=friedman(ranked) if tested and k > 2 else None,
        critical_difference=(
            critical_difference(k, n, rules.alpha) if tested and rules.test == "nemenyi" else None
        ),
        pairs=pairs,
        groups=_groups(names, ranks, pairs, rules.alpha) if tested else (),
        tied=tied_with_best(table, rules),
    )


def rank(table: ScoreTable, rules: Rules) -> Ranking:
    """Rank the algorithms of a table without testing them."""
    units = make_units(table, rules)
    return _ranking(units, tuple(table.algorithms[j] for j in units.columns), rules)[0]


def _ranking(units: Units, names: tuple[str, ...], rules: Rules) -> tuple[Ranking, Floats]:
    """Return the average ranks, and the ranks within each unit."""
    all_columns = list(range(len(names)))
    ranked = rank_rows(units.means(all_columns))
    n = len(ranked) if all_columns else 0
    ranks = ranked.mean(axis=0) if n else np.full(len(names), np.nan)
    lines = int(units.used(all_columns).sum()) if all_columns else 0
    return Ranking(names, ranks, n, units.count, lines, len(units.unit), rules.unit), ranked


def _pairs(units: Units, names: tuple[str, ...], rules: Rules, from_ranks: Floats | None) -> tuple[Pair, ...]:
    drafts = [_pair(units, i, j, names, rules) for i, j in combinations(range(len(names)), 2)]
    if from_ranks is not None:
        upper = from_ranks[np.triu_indices(len(names), 1)]
        return tuple(pair._replace(p=p, adjusted=p) for pair, p in zip(drafts, upper.tolist(), strict=True))
    if rules.test == "nemenyi":
        return tuple(pair._replace(p=np.nan) for pair in drafts)
    adjusted = holm(np.array([pair.p for pair in drafts], dtype=np.float64)).tolist()
    return tuple(pair._replace(adjusted=value) for pair, value in zip(drafts, adjusted, strict=True))


def _pair(units: Units, i: int, j: int, names: tuple[str, ...], rules: Rules) -> Pair:
    """Compare two algorithms; p-values are corrected later."""
    means = units.means([i, j])
    differences = paired_differences(means[:, 0], means[:, 1])
    finite = differences[np.isfinite(differences)]
    low, high = mean_interval(finite, 1 - rules.alpha)
    ranked = signed_rank(differences)
    p = ranked.p if rules.test == "wilcoxon" else float(t_test(differences)[1])
    return Pair(
        names[i],
        names[j],
        len(differences),
        int((differences > 0).sum()),
        int((differences == 0).sum()),
        int((differences < 0).sum()),
        float(finite.mean()) if finite.size else np.nan,
        low,
        high,
        ranked.effect,
        p if len(differences) > 1 else np.nan,
        np.nan,
        bayesian_signed_rank(differences, rules.rope),
    )


def _groups(
    names: tuple[str, ...], ranks: Floats, pairs: tuple[Pair, ...], alpha: float
) -> tuple[tuple[str, ...], ...]:
    """Return the cliques of competitors that do not differ, in the order of their ranks."""
    order = np.argsort(ranks, kind="stable")
    place = {names[j]: position for position, j in enumerate(order)}
    alike = np.eye(len(names), dtype=np.bool_)
    for pair in pairs:
        i, j = place[pair.first], place[pair.second]
        alike[i, j] = alike[j, i] = pair.adjusted >= alpha
    return tuple(tuple(names[order[i]] for i in group) for group in maximal_cliques(alike))
