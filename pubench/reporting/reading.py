"""From run folders to the `Report` value: the first step of every report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from pubench.errors import PubenchError, did_you_mean, some_of
from pubench.reporting.details import Card, read_details
from pubench.reporting.report import Report, build_report
from pubench.reporting.setting import decisions_sentence, prior_sentence
from pubench.results.merging import read_runs
from pubench.results.shards import part_sentence
from pubench.results.table import Results
from pubench.suite.columns import on_training
from pubench.suite.reporting import TableWidth

__all__ = ["read_runs", "report_of"]


def report_of(results: Results, folders: Sequence[Path] = (), width: TableWidth | None = None) -> Report:
    """Make the report of a run's results.

    Parameters
    ----------
    results : Results
        Of one run, or of several that were merged.
    folders : sequence of Path, optional
        The folders of the merged runs; default: the folder of the results.
    width : str, optional
        The width of LaTeX tables; default: what the suite says.

    Raises
    ------
    PubenchError
        If the width is unknown.
    """
    rules = results.plan.report
    if width is not None:
        if width not in get_args(TableWidth):
            raise PubenchError(
                f"{width!r} is not a width of tables{did_you_mean(width, get_args(TableWidth))}"
            )
        rules = rules.model_copy(update={"width": width})
    plan, details = results.plan, read_details(folders or [results.folder])
    labels = dict.fromkeys(cell.dataset for cell in plan.own_cells)
    cards = {label: details.cards[label] for label in labels if label in details.cards}
    report = build_report(
        results.rows,
        plan.suite,
        {name: plan.metrics[name].greater_is_better for name in plan.shown},
        description=" ".join(
            filter(None, (plan.description, part_sentence([plan]), _unknown_classes(results, cards)))
        ),
        rules=rules,
        paper=plan.paper,
        details=replace(details, cards=cards, problems=(*results.problems, *details.problems)),
    )
    names = [*dict.fromkeys(cell.algorithm for cell in plan.own_cells)]
    said = prior_sentence(results.rows, plan.priors), decisions_sentence(names, plan.cut)
    return replace(report, setting=" ".join(filter(None, said)))


def _unknown_classes(results: Results, cards: Mapping[str, Card]) -> str:
    """Say what judges models of data whose true classes are unknown; empty if all are known."""
    labels = [label for label, card in cards.items() if card.pu and not card.given]
    rows = [row for row in results.rows if row["dataset"] in labels]
    judges = [
        name
        for name in results.plan.shown
        if not name.startswith(on_training("")) and any(row.get(name) is not None for row in rows)
    ]
    if not judges:
        return ""
    return (
        f"True classes of {some_of(labels)} are unknown: models are judged by {some_of(judges)} on held-out rows, not "
        "by metrics such as accuracy, which need true classes."
    )
