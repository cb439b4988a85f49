"""Tests of pairs of algorithms: against the best, against a control, or all pairs, and what they can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.stats.bayes import Posterior, bayesian_signed_rank
from pubench.stats.bootstrap import mean_interval
from pubench.stats.corrections import holm
from pubench.stats.paired import paired_differences, signed_rank, t_test
from pubench.stats.power import PairedTest, detectable, least_p, power, units_needed
from pubench.stats.ranks import critical_difference, nemenyi, rank_rows
from pubench.stats.units import Units
from pubench.suite.reporting import Rules

__all__ = ["Family", "Pair", "make_pairs"]

Floats = NDArray[np.float64]
_UNKNOWN = Posterior(np.nan, np.nan, np.nan)


class Pair(NamedTuple):
    """Two algorithms over the ``units`` in which both have a score; positive differences favour the first.

    ``difference`` is the mean one and ``low`` to ``high`` its bootstrap interval, over finite differences. ``effect``
    is the rank-biserial correlation. ``adjusted`` is ``p`` after the correction; both are NaN where the test could not
    reject. ``detectable`` is the mean difference that the test detects with power 0.8, given the spread of these
    differences. Interval and posterior are NaN with too few units for a single signed-rank test.
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
    detectable: float
    posterior: Posterior


@dataclass(frozen=True, slots=True)
class Family:
    """The tests that are corrected together.

    Attributes
    ----------
    control : str or None
        The algorithm that all others are tested against; None for all pairs.
    chosen : bool
        Whether the control was chosen because it is the best on the same data.
    planned, size : int
        How many tests there would be, and how many of them could reject. Only these are made.
    needed : int
        How many units a test needs to be able to reject.
    spread : float
        The median over the tests of the standard deviation of differences; NaN where nothing was tested.
    detectable : float
        The mean difference that is detected with power 0.8 at this spread, at the first step of Holm's correction.
        NaN where nothing was tested, and for Nemenyi's test, which compares ranks.
    rope_power : float
        The power at a difference as large as the region of practical equivalence; NaN as above.
    """

    control: str | None
    chosen: bool
    planned: int
    size: int
    needed: int
    spread: float = np.nan
    detectable: float = np.nan
    rope_power: float = np.nan


def make_pairs(
    units: Units, names: tuple[str, ...], ranks: Floats, n: int, rules: Rules, overall: float = 0.0
) -> tuple[tuple[Pair, ...], Family]:
    r"""Test pairs of competitors by the rules.

    Against the best, the algorithm b with the best average rank is chosen on the same data. A wrong rejection then
    says of an algorithm i that is in truth as good as every other one that it is worse than b, whichever of the k - 1
    others b is. So one-sided p-values times k - 1 keep the probability of that at most alpha for each such i, and
    two-sided ones times :math:`(k - 1) / 2`. Holm's factors are at least that (the argument is that of
    multiple comparisons with the best, Hsu, 1981). Of several such algorithms one may be rejected more often, so
    an adjusted p-value is at least that of the overall test, too.

    Parameters
    ----------
    units : Units
    names : tuple of str
        The k competitors.
    ranks : array of shape (k,)
        Their average ranks over ``n`` units.
    n : int
    rules : Rules
    overall : float
        The p-value of the test that all algorithms are equal; 0 where it was not made.

    Returns
    -------
    pairs, family
        Pairs with a control have it as their second algorithm.
    """
    if len(names) < 2:
        return (), Family(None, False, 0, 0, 0)
    if rules.test == "nemenyi":
        return _nemenyi_pairs(units, names, ranks, n, rules)
    control = None if rules.all_pairs else _control(units, names, ranks, rules)
    chosen = control is not None and names[control] != rules.control
    places = _places(len(names), control)
    differences = [_differences(units, i, j) for i, j in places]
    least_factor = (len(names) - 1) / 2 if chosen else 1.0
    least = np.array([least_p(rules.test, len(one)) if len(one) > 1 else np.nan for one in differences])
    able = holm(least, least_factor) < rules.alpha
    p = np.array([_p_value(found, rules.test) for found in differences])
    adjusted = np.maximum(holm(np.where(able, p, np.nan), least_factor), overall if chosen else 0.0)
    size = int(able.sum())
    level = rules.alpha / max(size, 1)
    pairs = tuple(
        _pair((names[i], names[j]), found, rules, level if able[k] else 0.0, p[k], adjusted[k])
        for k, ((i, j), found) in enumerate(zip(places, differences, strict=True))
    )
    family = Family(
        control=None if control is None else names[control],
        chosen=chosen,
        planned=len(pairs),
        size=size,
        needed=units_needed(rules.test, rules.alpha / len(pairs)),
        **_strength([found for found, one in zip(differences, able, strict=True) if one], level, rules),
    )
    return pairs, family


def _places(k: int, control: int | None) -> list[tuple[int, int]]:
    if control is None:
        return list(combinations(range(k), 2))
    return [(j, control) for j in range(k) if j != control]


def _control(units: Units, names: Sequence[str], ranks: Floats, rules: Rules) -> int:
    """Return the place of the control, or of the best average rank.

    Where no unit has a score of every algorithm, those with scores in most units are ranked among themselves.
    """
    if rules.control in names:
        return names.index(rules.control)
    if not np.isnan(ranks).any():
        return int(ranks.argmin())
    counts = np.array([len(units.means([j])) for j in range(len(names))])
    complete = np.flatnonzero(counts == counts.max()).tolist()
    ranked = rank_rows(units.means(complete))
    return int(complete[int(ranked.mean(axis=0).argmin())] if len(ranked) else complete[0])


def _differences(units: Units, i: int, j: int) -> Floats:
    means = units.means([i, j])
    return paired_differences(means[:, 0], means[:, 1])


def _p_value(differences: Floats, test: PairedTest) -> float:
    return signed_rank(differences).p if test == "wilcoxon" else float(t_test(differences)[1])


def _pair(
    names: tuple[str, str], differences: Floats, rules: Rules, level: float, p: float, adjusted: float
) -> Pair:
    """Summarise a pair; ``level`` is that of its test, 0 where it was not made."""
    finite, n = differences[np.isfinite(differences)], len(differences)
    enough = least_p("wilcoxon", n) < rules.alpha
    low, high = mean_interval(finite, 1 - rules.alpha) if enough else (np.nan, np.nan)
    found = _spread(differences) * detectable(_paired(rules), n, level) if level else np.nan
    return Pair(
        *names,
        units=n,
        wins=int((differences > 0).sum()),
        ties=int((differences == 0).sum()),
        losses=int((differences < 0).sum()),
        difference=float(finite.mean()) if finite.size else np.nan,
        low=low,
        high=high,
        effect=signed_rank(differences).effect,
        p=float(p) if level else np.nan,
        adjusted=float(adjusted),
        detectable=float(found),
        posterior=bayesian_signed_rank(differences, rules.rope) if enough else _UNKNOWN,
    )


def _paired(rules: Rules) -> PairedTest:
    return "t" if rules.test == "t" else "wilcoxon"


def _spread(differences: Floats) -> float:
    """Return the standard deviation of finite differences; NaN below two of them."""
    finite = differences[np.isfinite(differences)]
    return float(finite.std(ddof=1)) if finite.size > 1 else np.nan


def _strength(tested: Sequence[Floats], level: float, rules: Rules) -> dict[str, float]:
    """Return what the family can show, at the median spread and the median number of units of its tests."""
    spreads = np.array([_spread(found) for found in tested], dtype=np.float64)
    if not tested or np.isnan(spreads).all():
        return {}
    n, spread = int(np.median([len(found) for found in tested])), float(np.nanmedian(spreads))
    test = _paired(rules)
    chance = power(test, n, level, rules.rope / spread) if spread else 1.0
    return {"spread": spread, "detectable": spread * detectable(test, n, level), "rope_power": chance}


def _nemenyi_pairs(
    units: Units, names: tuple[str, ...], ranks: Floats, n: int, rules: Rules
) -> tuple[tuple[Pair, ...], Family]:
    """Compare all pairs by average ranks; no two can differ by more than k - 1."""
    k = len(names)
    places = _places(k, None)
    able = n > 1 and critical_difference(k, n, rules.alpha) < k - 1
    p = nemenyi(ranks, n)[np.triu_indices(k, 1)] if able else np.full(len(places), np.nan)
    pairs = tuple(
        _pair((names[i], names[j]), _differences(units, i, j), rules, 0.0, np.nan, found)._replace(p=found)
        for (i, j), found in zip(places, p.tolist(), strict=True)
    )
    # The critical difference is proportional to 1 / sqrt(n).
    needed = int(np.floor((critical_difference(k, 1, rules.alpha) / (k - 1)) ** 2)) + 1
    return pairs, Family(None, False, len(pairs), len(pairs) if able else 0, max(needed, 2))
