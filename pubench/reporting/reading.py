"""From run folders to the `Report` value: the first step of every report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pubench.reporting.details import read_details
from pubench.reporting.report import Report, build_report
from pubench.results.merging import read_runs
from pubench.results.shards import part_sentence
from pubench.results.table import Results

__all__ = ["read_runs", "report_of"]


def report_of(results: Results, folders: Sequence[Path] = ()) -> Report:
    """Make the report of a run's results.

    Parameters
    ----------
    results : Results
        Of one run, or of several that were merged.
    folders : sequence of Path, optional
        The folders of the merged runs; default: the folder of the results.
    """
    plan, details = results.plan, read_details(folders or [results.folder])
    labels = dict.fromkeys(cell.dataset for cell in plan.own_cells)
    cards = {label: details.cards[label] for label in labels if label in details.cards}
    return build_report(
        results.rows,
        plan.suite,
        {name: plan.metrics[name].greater_is_better for name in plan.shown},
        description=" ".join(filter(None, (plan.description, part_sentence([plan])))),
        rules=plan.report,
        paper=plan.paper,
        details=replace(details, cards=cards, problems=(*results.problems, *details.problems)),
    )
