"""Sentences that all formats share: how much was run, the results of the tests, and the meaning of marks."""

from __future__ import annotations

from collections.abc import Sequence

from pubench.reporting.report import Report
from pubench.reporting.wording import REFERENCE, TIED, clean, p_value
from pubench.stats.comparison import Comparison
from pubench.stats.scores import ScoreTable
from pubench.suite.reporting import Rules

__all__ = ["REPLICATE_TESTS", "cell_counts", "findings", "legend", "missing_rule", "scope"]

TESTS = {
    "wilcoxon": "Wilcoxon's signed-rank test with Holm's correction",
    "t": "the paired t-test with Holm's correction",
    "nemenyi": "Nemenyi's test",
}
REPLICATE_TESTS = {
    "corrected-t": "the corrected resampled t-test",
    "t": "the paired t-test",
    "wilcoxon": "Wilcoxon's signed-rank test",
}
LONGEST = 240
MISSING = {
    "pairwise": "Cells that lack a replicate (k/n, undefined) are left out of ranks and tests; two algorithms are "
    "compared where both are complete.",
    "worst-rank": "Cells that lack a replicate (k/n, undefined) count as the worst of their line in ranks and tests; "
    "skipped and unfinished ones are left out.",
}


def legend(best: str, rules: Rules) -> str:
    """Return what the marks of a table mean; ``best`` says how the best is shown."""
    return (
        f"Mean (standard deviation) over replicates; best {best}. {TIED}: not significantly different from the best by "
        f"{REPLICATE_TESTS[rules.replicate_test]} over replicates with Holm's correction, alpha = {rules.alpha:g}. "
        f"k/n: only k of n replicates ended ok. {REFERENCE} used true labels: a reference, neither ranked nor tested."
    )


def missing_rule(rules: Rules) -> str:
    """Return how cells that lack a replicate are treated."""
    return MISSING[rules.missing]


def findings(comparison: Comparison, *, brief: bool = False) -> list[str]:
    """Return the results of the tests of a table, or why there were none.

    A brief version counts groups that are too long to list; the diagram shows them.
    """
    k, units = len(comparison.algorithms), _units(comparison)
    if k < 2:
        return []
    if not comparison.tested:
        found = "No" if not comparison.units else "Only one"
        one = units.removesuffix("s")
        pairs = any(pair.adjusted == pair.adjusted for pair in comparison.pairs)
        how = "only tested in pairs" if pairs else "not tested against each other"
        return [f"{found} {one} has a score of every algorithm, so algorithms are {how}."]
    return [*_friedman(comparison), _groups(comparison, brief), *_cautions(comparison)]


def cell_counts(report: Report) -> str:
    """Return how many cells ended in each status, in words."""
    total = sum(report.status.values())
    parts = ", ".join(f"{count} {clean(status)}" for status, count in report.status.items())
    return f"{total} planned: {parts}" if parts else "none planned"


def _units(comparison: Comparison) -> str:
    return "blocks" if comparison.rules.unit == "block" else "data sets"


def _friedman(comparison: Comparison) -> list[str]:
    found = comparison.friedman
    if found is None:
        return []
    return [
        f"Friedman's test over {comparison.units} {_units(comparison)}: chi-squared = {found.statistic:.2f}, "
        f"p {p_value(found.p)}; Iman and Davenport's F = {found.f:.2f}, p {p_value(found.f_p)}."
    ]


def _groups(comparison: Comparison, brief: bool) -> str:
    rules, names = comparison.rules, comparison.algorithms
    test = f"{TESTS[rules.test]} (alpha = {rules.alpha:g}"
    if comparison.critical_difference is not None:
        test += f", critical difference {comparison.critical_difference:.2f}"
    test += f", {comparison.units} {_units(comparison)})"
    if _is_powerless(comparison):
        few = f"there are too few {_units(comparison)}"
        return f"{test[0].upper()}{test[1:]} cannot find significant differences: {few}."
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
    groups = "; ".join(_listed(group) for group in comparison.groups)
    if brief and len(groups) > LONGEST:
        return f"By {test} there are {len(comparison.groups)} groups without significant differences."
    return f"By {test} there are no significant differences within {groups}. All other pairs differ."


def _is_powerless(comparison: Comparison) -> bool:
    """Whether the least possible p-value of a sign pattern, corrected for all pairs, is at least alpha."""
    least = 2.0 ** (1 - comparison.units) * len(comparison.pairs)
    return comparison.rules.test == "wilcoxon" and least >= comparison.rules.alpha


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _cautions(comparison: Comparison) -> list[str]:
    """Say where p-values are too small."""
    if comparison.datasets == comparison.all_units:
        return []
    return [
        f"The {comparison.all_units} blocks come from {comparison.datasets} data sets and are not independent, "
        "so p-values are too small."
    ]


def scope(table: ScoreTable) -> str:
    """Say how much was run: how many data sets, labellings, algorithms, criteria and replicates."""
    numbers = {
        "data set": len({block.dataset for block in table.blocks}),
        "labelling": len({block.labelling for block in table.blocks}),
        "algorithm": len(table.algorithms),
        "replicate": int(table.planned.max(initial=0)),
    }
    criteria = [name for name in dict.fromkeys(block.criterion for block in table.blocks) if name]
    run = ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for name, count in numbers.items())
    return f"{run}; tuned by {', '.join(criteria)}." if criteria else f"{run}."
