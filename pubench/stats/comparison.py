"""Which algorithms differ in one metric: from a score table to ranks, tests and groups, which reports show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pubench.errors import counted, plural
from pubench.stats.bootstrap import rank_intervals
from pubench.stats.cliques import maximal_cliques
from pubench.stats.pairs import Family, Pair, make_pairs
from pubench.stats.power import least_p
from pubench.stats.ranks import Friedman, can_reject, critical_difference, friedman, rank_rows
from pubench.stats.scores import ScoreTable
from pubench.stats.ties import tie_marks
from pubench.stats.units import Units, make_units
from pubench.suite.reporting import Rules

__all__ = ["Comparison", "Family", "Pair", "Ranking", "compare", "rank"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Average ranks of competitors over the units, and so over the lines of a table, in which all have a score.

    ``ranks`` has shape (k,), 1 is best; NaN where there is no such unit. ``low`` and ``high``, of the same shape, are
    bootstrap intervals over units, NaN with too few units for a signed-rank test. ``units`` of ``all_units`` and
    ``lines`` of ``all_lines`` are used.
    """

    algorithms: tuple[str, ...]
    ranks: Floats
    low: Floats
    high: Floats
    units: int
    all_units: int
    lines: int
    all_lines: int
    unit: Literal["dataset", "block"]

    @property
    def over(self) -> str:
        """What the ranks are averages over, in words; lines are counted where they are not the units themselves."""
        unit = plural(self.all_units, "data set" if self.unit == "dataset" else "block")
        lines = (
            f", {self.lines} of {counted(self.all_lines, 'line')}" if self.all_lines != self.all_units else ""
        )
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
    shared : tuple of tuples of str
        Data sets that share rows, and so are one unit.
    tables : int
        How many tables the units come from, data sets that share rows being one: fewer than units if blocks are
        compared.
    friedman : Friedman or None
        None where Friedman's test cannot reject, as below three competitors or two units.
    critical_difference : float or None
        Nemenyi's, if that is the test and it can reject.
    pairs : tuple of Pair
    family : Family
        Which pairs these are, and what their tests can show.
    groups : tuple of tuples of str
        Of all pairs, the largest sets of two or more competitors of which no two differ. Against the best or a
        control, this one with all that do not differ from it. Each is in the order of ranks. Empty where nothing was
        tested.
    tied : bool array of shape (B, A)
        Cells that do not differ from the best of their block.
    weak : bool array of shape (B, A)
        Cells whose test neither rejects nor detects the difference that a tie mark requires.
    """

    metric: str
    rules: Rules
    algorithms: tuple[str, ...]
    ranks: Floats
    units: int
    all_units: int
    ranking: Ranking
    shared: tuple[tuple[str, ...], ...]
    tables: int
    friedman: Friedman | None
    critical_difference: float | None
    pairs: tuple[Pair, ...]
    family: Family
    groups: tuple[tuple[str, ...], ...]
    tied: Bools
    weak: Bools

    @property
    def tested(self) -> bool:
        """Whether any two competitors were tested against each other."""
        return self.family.size > 0

    @property
    def origins(self) -> Mapping[str, str]:
        """What names the table of each data set that shares rows with others."""
        return {label: group[0] for group in self.shared for label in group}


def compare(table: ScoreTable, rules: Rules, origins: Mapping[str, str] | None = None) -> Comparison:
    """Compare the algorithms of a table.

    Parameters
    ----------
    table : ScoreTable
    rules : Rules
    origins : mapping of str to str, optional
        What identifies the table that a data set comes from, by its label. Data sets of one table share rows and are
        one unit. Default: every data set is a table of its own.

    Returns
    -------
    Comparison
        A pure function of its arguments: random draws have a fixed seed.
    """
    origins = origins or {}
    units = make_units(table, rules, origins)
    k = units.columns.size
    names = tuple(table.algorithms[j] for j in units.columns)
    ranking, ranked = _ranking(units, names, rules)
    n, ranks = ranking.units, ranking.ranks
    overall = friedman(ranked) if can_reject(k, n, rules.alpha) else None
    pairs, family = make_pairs(units, names, ranks, n, rules, overall.f_p if overall else 0.0)
    datasets = dict.fromkeys(block.dataset for block in table.blocks)
    nemenyi = rules.test == "nemenyi" and family.size > 0
    marks = tie_marks(table, rules)
    return Comparison(
        metric=table.metric,
        rules=rules,
        algorithms=names,
        ranks=ranks,
        units=n,
        all_units=units.count,
        ranking=ranking,
        shared=() if rules.unit == "block" else _shared(datasets, origins),
        tables=len({origins.get(label, label) for label in datasets}),
        friedman=overall,
        critical_difference=critical_difference(k, n, rules.alpha) if nemenyi else None,
        pairs=pairs,
        family=family,
        groups=_groups(names, ranks, pairs, family, rules.alpha) if family.size else (),
        tied=marks.tied,
        weak=marks.weak,
    )


def rank(table: ScoreTable, rules: Rules, origins: Mapping[str, str] | None = None) -> Ranking:
    """Rank the algorithms of a table without testing them."""
    units = make_units(table, rules, origins or {})
    return _ranking(units, tuple(table.algorithms[j] for j in units.columns), rules)[0]


def _ranking(units: Units, names: tuple[str, ...], rules: Rules) -> tuple[Ranking, Floats]:
    """Return the average ranks, and the ranks within each unit."""
    all_columns = list(range(len(names)))
    ranked = rank_rows(units.means(all_columns))
    n = len(ranked) if all_columns else 0
    ranks = ranked.mean(axis=0) if n else np.full(len(names), np.nan)
    lines = int(units.used(all_columns).sum()) if all_columns else 0
    enough = least_p("wilcoxon", n) < rules.alpha
    unknown = np.full(len(names), np.nan)
    low, high = rank_intervals(ranked, 1 - rules.alpha) if enough else (unknown, unknown)
    return Ranking(names, ranks, low, high, n, units.count, lines, len(units.unit), rules.unit), ranked


def _shared(labels: Iterable[str], origins: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """Return the data sets that share rows with others, those of one table together."""
    tables: dict[str, list[str]] = {}
    for label in labels:
        tables.setdefault(origins.get(label, label), []).append(label)
    return tuple(tuple(group) for group in tables.values() if len(group) > 1)


def _groups(
    names: tuple[str, ...], ranks: Floats, pairs: tuple[Pair, ...], family: Family, alpha: float
) -> tuple[tuple[str, ...], ...]:
    """Return the sets of competitors that do not differ, in the order of their ranks."""
    order = np.argsort(ranks, kind="stable")
    place = {names[j]: position for position, j in enumerate(order)}
    if family.control is not None:
        alike_control = [pair.first for pair in pairs if pair.adjusted >= alpha]
        group = sorted([family.control, *alike_control], key=place.__getitem__)
        return (tuple(group),) if alike_control else ()
    alike = np.ones((len(names), len(names)), dtype=np.bool_)
    for pair in pairs:
        i, j = place[pair.first], place[pair.second]
        # A pair that was not tested is not known to differ.
        alike[i, j] = alike[j, i] = not pair.adjusted < alpha
    return tuple(tuple(names[order[i]] for i in group) for group in maximal_cliques(alike))
