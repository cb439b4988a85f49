"""What the tests found and how they were made, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from pubench.reporting.grid import REFERENCE, TIED
from pubench.reporting.paper import Paper, PaperLine, tally
from pubench.reporting.words import chance, mean_and_sd, number
from pubench.stats.comparison import Comparison, Rules
from pubench.stats.scores import ScoreTable

__all__ = [
    "PAPER_HEADS",
    "PAPER_LEGEND",
    "REPLICATE_TESTS",
    "findings",
    "legend",
    "missing_rule",
    "paper_line",
    "paper_sentence",
    "paper_summary",
    "scope",
]

PAPER_HEADS = (
    *("metric", "data set", "labelling", "criterion", "algorithm"),
    *("paper", "ours", "difference", "verdict", "remark"),
)
PAPER_LEGEND = (
    "Mean (standard deviation); difference is ours minus the paper's. Within: the two differ by at most the root of "
    "the sum of both variances, an unknown one counting as zero, and the rounding of the printed mean."
)

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
    "pairwise": "Cells that lack a replicate (k/n, undefined) take no part in ranks and tests; two algorithms are "
    "compared where both are complete.",
    "worst-rank": "Cells that lack a replicate (k/n, undefined) count as the worst of their line in ranks and tests; "
    "skipped and unfinished ones take no part.",
}


def legend(best: str, rules: Rules) -> str:
    """Return what the marks of a table mean; ``best`` says how the best is shown."""
    return (
        f"Mean (standard deviation) over replicates; best {best}. {TIED}: not told from the best by "
        f"{REPLICATE_TESTS[rules.replicate_test]} over replicates with Holm's correction, alpha = {rules.alpha:g}. "
        f"k/n: only k of n replicates ended ok. {REFERENCE} saw true labels: a reference, neither ranked nor tested."
    )


def missing_rule(rules: Rules) -> str:
    """Return what becomes of cells that lack a replicate."""
    return MISSING[rules.missing]


def findings(comparison: Comparison, *, brief: bool = False) -> list[str]:
    """Return what the tests say of the algorithms of a table, or why there were none.

    A brief account counts groups that are too long to be listed, and leaves it to the diagram to show them.
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


def _units(comparison: Comparison) -> str:
    return "blocks" if comparison.rules.unit == "block" else "data sets"


def _friedman(comparison: Comparison) -> list[str]:
    found = comparison.friedman
    if found is None:
        return []
    return [
        f"Friedman's test over {comparison.units} {_units(comparison)}: chi-squared = {found.statistic:.2f}, "
        f"p {chance(found.p)}; Iman and Davenport's F = {found.f:.2f}, p {chance(found.f_p)}."
    ]


def _groups(comparison: Comparison, brief: bool) -> str:
    rules, names = comparison.rules, comparison.algorithms
    test = f"{TESTS[rules.test]} (alpha = {rules.alpha:g}"
    if comparison.critical_difference is not None:
        test += f", critical difference {comparison.critical_difference:.2f}"
    test += f", {comparison.units} {_units(comparison)})"
    if _is_powerless(comparison):
        return f"{test[0].upper()}{test[1:]} can never tell algorithms apart: there are too few {_units(comparison)}."
    if len(names) == 2:
        (pair,) = comparison.pairs
        verdict = "differ" if pair.adjusted < rules.alpha else "cannot be told apart"
        return f"By {test} {pair.first} and {pair.second} {verdict}, p {chance(pair.adjusted)}."
    if not comparison.groups:
        return f"By {test} all algorithms differ."
    if len(comparison.groups[0]) == len(names):
        return f"By {test} no two algorithms can be told apart."
    groups = "; ".join(_listed(group) for group in comparison.groups)
    if brief and len(groups) > LONGEST:
        return f"By {test} there are {len(comparison.groups)} groups in which no two can be told apart."
    return f"By {test} no two can be told apart within {groups}. All others differ."


def _is_powerless(comparison: Comparison) -> bool:
    """Whether the least p-value that signs can have, corrected for all pairs, is no less than alpha."""
    least = 2.0 ** (1 - comparison.units) * len(comparison.pairs)
    return comparison.rules.test == "wilcoxon" and least >= comparison.rules.alpha


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _cautions(comparison: Comparison) -> list[str]:
    """Say where the tests find too much."""
    if comparison.datasets == comparison.all_units:
        return []
    return [
        f"The {comparison.all_units} blocks come from {comparison.datasets} data sets and are not independent, "
        "so p-values are too small."
    ]


def paper_line(line: PaperLine) -> list[str]:
    """Return a published number and ours as texts: what it is of, both, the difference, the verdict, the remark."""
    heads = [line.metric, line.dataset, line.labelling, line.criterion, line.algorithm]
    theirs, ours = (
        mean_and_sd(mean, sd) for mean, sd in ((line.paper, line.paper_sd), (line.ours, line.ours_sd))
    )
    remark = "; ".join(text for text in (line.remark, "apart" if line.apart else "") if text)
    return [*heads, theirs, ours, number(line.difference), line.verdict or "–", remark]


def paper_sentence(line: PaperLine) -> str:
    """Return a published number and ours as one line of text."""
    *heads, theirs, ours, difference, verdict, remark = paper_line(line)
    place = " / ".join(head for head in heads if head)
    rest = f"; {remark}" if remark else ""
    return f"{place}: paper {theirs}, ours {ours}, difference {difference}, {verdict}{rest}"


def paper_summary(paper: Paper) -> list[str]:
    """Say how many numbers agree, which are counted apart, and which are missing."""
    groups: dict[str, list[PaperLine]] = {"": []}
    for line in paper.lines:
        groups.setdefault(line.apart, []).append(line)
    compared = groups.pop("")
    told = [f"Compared: {_told(compared)}."] if compared else []
    told += [
        f"Apart, {', '.join(dict.fromkeys(line.dataset for line in lines))} ({reason}): {_told(lines)}."
        for reason, lines in groups.items()
    ]
    return told + [f"Missing: {what}, {cells} ({reason})." for what, cells, reason in paper.missing]


def _told(lines: Sequence[PaperLine]) -> str:
    found = tally(lines)
    names = {
        "within": "within the combined deviation",
        "better": "better",
        "worse": "worse",
        "other": "beyond it",
        "open": "not judged",
    }
    counts = [f"{count} {names[name]}" for name, count in found._asdict().items() if count]
    return f"{len(lines)} {'number' if len(lines) == 1 else 'numbers'}, {', '.join(counts)}"


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
