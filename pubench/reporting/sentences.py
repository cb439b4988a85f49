"""Sentences that all formats share: how much was run, and the meaning of marks."""

from __future__ import annotations

from pubench.errors import counted
from pubench.reporting.report import Report
from pubench.reporting.wording import REFERENCE, TIED, clean
from pubench.stats.scores import ScoreTable
from pubench.suite.reporting import Rules

__all__ = ["REPLICATE_TESTS", "cell_counts", "legend", "missing_rule", "scope"]

REPLICATE_TESTS = {
    "corrected-t": "the corrected resampled t-test",
    "t": "the paired t-test",
    "wilcoxon": "Wilcoxon's signed-rank test",
}
MISSING = {
    "pairwise": "Cells that lack a replicate (k/n, undefined) are left out of ranks and tests; two algorithms are "
    "compared where both are complete.",
    "worst-rank": "Cells that lack a replicate (k/n, undefined) count as the worst of their row in ranks and tests; "
    "skipped and unfinished ones are left out.",
}


def legend(best: str, rules: Rules) -> str:
    """Return what the marks of a table mean; ``best`` says how the best is shown."""
    return (
        f"Mean (standard deviation) over replicates; best {best}. {TIED}: not significantly different from the best by "
        f"{REPLICATE_TESTS[rules.replicate_test]} over replicates with Holm's correction, alpha = {rules.alpha:g}, "
        f"where it detects a difference of {rules.detectable:g} with probability 0.8. No mark: a significant "
        "difference, or too few replicates to tell. "
        f"k/n: only k of n replicates ended ok. {REFERENCE} used true labels: a reference, neither ranked nor tested."
    )


def missing_rule(rules: Rules) -> str:
    """Return how cells that lack a replicate are treated."""
    return MISSING[rules.missing]


def cell_counts(report: Report) -> str:
    """Return how many cells ended in each status, in words."""
    total = sum(report.status.values())
    parts = ", ".join(f"{count} {clean(status)}" for status, count in report.status.items())
    return f"{total} planned: {parts}" if parts else "none planned"


def scope(table: ScoreTable) -> str:
    """Say how much was run: how many data sets, labellings, algorithms, criteria and replicates."""
    numbers = {
        "data set": len({block.dataset for block in table.blocks}),
        "labelling": len({block.labelling for block in table.blocks}),
        "algorithm": len(table.algorithms),
        "replicate": int(table.planned.max(initial=0)),
    }
    criteria = [name for name in dict.fromkeys(block.criterion for block in table.blocks) if name]
    run = ", ".join(counted(count, name) for name, count in numbers.items())
    return f"{run}; tuned by {', '.join(criteria)}." if criteria else f"{run}."
