"""What can be concluded from a comparison, in sentences that all formats share; what cannot be concluded is first."""

from __future__ import annotations

from collections.abc import Sequence

from pubench.errors import be, counted, have
from pubench.reporting.wording import TIED, number, p_value
from pubench.stats.comparison import Comparison, Pair

__all__ = ["findings", "inconclusive"]

TESTS = {
    "wilcoxon": "Wilcoxon's signed-rank test with Holm's correction",
    "t": "the paired t-test with Holm's correction",
    "nemenyi": "Nemenyi's test",
}
LONGEST = 240
_MOST_SHARED = 3
"""Groups of data sets that share rows are named, up to so many."""


def inconclusive(comparison: Comparison) -> list[str]:
    """Return what cannot be concluded from a comparison of two or more algorithms, and what would be needed."""
    family = comparison.family
    if not family.planned:
        return []
    if not family.size:
        test = f"{TESTS[comparison.rules.test]} ({counted(family.planned, 'comparison')}"
        return [
            f"It cannot be concluded which algorithms differ: {_too_few(comparison)} for {test}, "
            f"alpha = {comparison.rules.alpha:g}); at least {family.needed} are needed."
        ]
    if family.size < family.planned:
        untested = [pair for pair in comparison.pairs if pair.adjusted != pair.adjusted]
        return [_untested(comparison, untested)]
    return []


def findings(comparison: Comparison, *, brief: bool = False, mark: str = TIED) -> list[str]:
    """Return what the tests of a table found, and what they could have found.

    A brief version counts algorithms that are too many to list, and leaves out what the documentation explains.
    ``mark`` is what cells not significantly different from the best have.
    """
    if len(comparison.algorithms) < 2:
        return []
    results = _against_control if comparison.family.control is not None else _groups
    found = [*_unranked(comparison), *_shared(comparison), *_friedman(comparison)]
    if comparison.tested:
        found += [results(comparison, brief), *_strength(comparison)]
        found += [] if brief else _selection(comparison)
    return [*found, *_cautions(comparison), *_unmarked(comparison, mark)]


def _units(comparison: Comparison) -> str:
    return "blocks" if comparison.rules.unit == "block" else "data sets"


def _too_few(comparison: Comparison) -> str:
    most = max(pair.units for pair in comparison.pairs)
    unit = _units(comparison).removesuffix("s")
    if comparison.rules.test == "nemenyi":
        most = comparison.units
    return f"{counted(most, unit)} {be(most)} too few"


def _untested(comparison: Comparison, pairs: Sequence[Pair]) -> str:
    control = comparison.family.control
    few = f"too few {_units(comparison)} have a score of both"
    if control is None:
        return f"{counted(len(pairs), 'pair')} cannot be compared: {few}."
    return f"{_some([pair.first for pair in pairs])} cannot be compared with {control}: {few}."


def _unranked(comparison: Comparison) -> list[str]:
    if comparison.units > 1 or comparison.all_units < 2:
        return []
    found = "Only one" if comparison.units else "No"
    unit = _units(comparison).removesuffix("s")
    how = "; algorithms are tested where both have a score" if comparison.tested else ""
    return [f"{found} {unit} has a score of every algorithm{how}."]


def _shared(comparison: Comparison) -> list[str]:
    groups = [_some(group) for group in comparison.shared]
    if len(groups) > _MOST_SHARED:
        return [
            f"{len(groups)} groups of data sets share rows, such as {groups[0]}; each group counts as one data set."
        ]
    return [f"{group} share rows, so they count as one data set." for group in groups]


def _friedman(comparison: Comparison) -> list[str]:
    found = comparison.friedman
    if found is None:
        return []
    return [
        f"Friedman's test over {comparison.units} {_units(comparison)}: chi-squared = {found.statistic:.2f}, "
        f"p {p_value(found.p)}; Iman and Davenport's F = {found.f:.2f}, p {p_value(found.f_p)}."
    ]


def _test(comparison: Comparison) -> str:
    rules, family = comparison.rules, comparison.family
    parts = [f"alpha = {rules.alpha:g}"]
    if comparison.critical_difference is not None:
        parts.append(f"critical difference {comparison.critical_difference:.2f}")
    parts.append(f"{_tested_units(comparison)} {_units(comparison)}")
    if rules.test != "nemenyi":
        parts.append(counted(family.size, "comparison"))
    return f"{TESTS[rules.test]} ({', '.join(parts)})"


def _tested_units(comparison: Comparison) -> str:
    """Return how many units the tests use; with missing cells, their numbers differ."""
    if comparison.rules.test == "nemenyi":
        return str(comparison.units)
    found = [pair.units for pair in comparison.pairs if pair.adjusted == pair.adjusted]
    return str(found[0]) if min(found) == max(found) else f"{min(found)} to {max(found)}"


def _against_control(comparison: Comparison, brief: bool) -> str:
    """Say which algorithms differ from the best, or from the control."""
    family, alpha = comparison.family, comparison.rules.alpha
    control = f"{family.control}, which has the best average rank" if family.chosen else f"{family.control}"
    differ = [pair for pair in comparison.pairs if pair.adjusted < alpha]
    groups = {
        "significantly worse than": [pair.first for pair in differ if not _is_better(pair, comparison)],
        "significantly better than": [pair.first for pair in differ if _is_better(pair, comparison)],
        "not significantly different from": [
            pair.first for pair in comparison.pairs if pair.adjusted >= alpha
        ],
    }
    parts, named = [], control
    for relation, names in groups.items():
        if names:
            all_of_them = len(names) == family.planned > 2
            who = "all other algorithms" if all_of_them else _some(names, LONGEST if brief else None)
            parts.append(f"{who} {'is' if len(names) == 1 else 'are'} {relation} {named}")
            named = "it"
    p = f" (p {p_value(comparison.pairs[0].adjusted)})" if family.planned == 1 else ""
    return f"By {_test(comparison)}, {'; '.join(parts)}{p}."


def _is_better(pair: Pair, comparison: Comparison) -> bool:
    """Tell in which direction a test rejected: that of the mean, or that of the signed ranks."""
    return (pair.difference if comparison.rules.test == "t" else pair.effect) > 0


def _groups(comparison: Comparison, brief: bool) -> str:
    """Say which pairs differ, of all pairs."""
    rules, names, test = comparison.rules, comparison.algorithms, _test(comparison)
    if len(names) == 2:
        (pair,) = comparison.pairs
        verdict = "differ" if pair.adjusted < rules.alpha else "do not differ"
        return (
            f"By {test} {pair.first} and {pair.second} {verdict} significantly, p {p_value(pair.adjusted)}."
        )
    if not comparison.groups:
        return f"By {test} all algorithms differ significantly."
    if len(comparison.groups[0]) == len(names):
        return f"By {test} no two algorithms differ significantly."
    groups = "; ".join(_some(group) for group in comparison.groups)
    if brief and len(groups) > LONGEST:
        count = len(comparison.groups)
        return f"By {test} there {be(count)} {counted(count, 'group')} without significant differences."
    return f"By {test} there are no significant differences within {groups}. All other pairs differ."


def _strength(comparison: Comparison) -> list[str]:
    """Say which differences the tests detect, at the spread that was observed."""
    family, rope = comparison.family, comparison.rules.rope
    if not family.spread > 0:
        return []
    chance = "below 0.01" if family.rope_power < 0.01 else f"{family.rope_power:.2f}"
    practical = f", and one of {rope:g} with probability {chance}" if rope else ""
    return [
        f"With the observed spread of differences (standard deviation {number(family.spread)}) such a test detects a "
        f"mean difference of {number(family.detectable)} with probability 0.8{practical}."
    ]


def _selection(comparison: Comparison) -> list[str]:
    if not comparison.family.chosen or len(comparison.algorithms) < 3:
        return []
    lost = f"{comparison.rules.control} has no scores to compare. " if comparison.rules.control else ""
    return [f"{lost}The best was chosen on the same data, so its lead is overestimated."]


def _cautions(comparison: Comparison) -> list[str]:
    """Say where p-values are too small."""
    if comparison.rules.unit != "block" or comparison.tables == comparison.all_units:
        return []
    return [
        f"The {comparison.all_units} blocks come from {counted(comparison.tables, 'data set')} and are not "
        "independent, so p-values are too small."
    ]


def _unmarked(comparison: Comparison, mark: str) -> list[str]:
    """Say why cells that a test over replicates did not reject have no mark."""
    count, of = int(comparison.weak.sum()), comparison.rules.detectable
    if not count:
        return []
    return [
        f"{counted(count, 'cell')} {have(count)} neither {mark} nor a significant difference from the best of the "
        "line: the replicates are too few "
        f"to detect a difference of {of:g}."
    ]


def _some(names: Sequence[str], longest: int | None = None) -> str:
    """List names; too many are counted."""
    if longest is not None and len(", ".join(names)) > longest:
        return f"{len(names)} algorithms"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
