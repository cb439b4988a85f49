"""Write the list of the papers' claims from the committed rows: ``python reports/claims.py``."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pubench.plugins.discovery import discover
from pubench.plugins.registry import Registry
from pubench.reporting.claims import ClaimResult
from pubench.reporting.published import compare_with_paper
from pubench.results.table import Row
from pubench.stats.scores import score_table
from pubench.suite import Suite, bundled_suites, load_suite
from pubench.suite.columns import on_training

REPORTS = Path(__file__).parent
PAGE = REPORTS / "claims.md"
TEXTS = {"dataset", "labelling", "criterion", "algorithm", "status"}
KINDS = ("holds", "holds in part", "does not hold", "cannot be tested")
INTRODUCTION = """# The papers' claims

What the five papers say of their methods, held against the committed rows by `python reports/claims.py`. Each claim
is in the suite's `[[paper.claims]]`, and a run's report opens with it. Rows are committed without times, so claims
about times cannot be tested here; a run of the suite tests them.
"""


def results() -> Iterator[tuple[Suite, tuple[ClaimResult, ...]]]:
    """Yield the suites with claims, and what the committed rows say of each claim."""
    registry = discover(third_party=False)
    for name in bundled_suites():
        suite = load_suite(name)
        if suite.paper.claims:
            cells = rows(name)
            tables = [score_table(cells, *each) for each in directions(suite, registry).items()]
            found = compare_with_paper(suite.paper, tables)
            yield suite, found.claims if found else ()


def is_committed(name: str) -> bool:
    """Whether the rows of a suite are here."""
    return (REPORTS / name / "cells.csv").exists()


def directions(suite: Suite, registry: Registry) -> dict[str, bool | None]:
    """Return the columns of a suite's tables, each with whether greater is better."""
    found = {name: registry.metric(name).spec.greater_is_better for name in suite.report.metrics}
    training = {name: registry.criterion(name).spec.greater_is_better for name in suite.report.training}
    return found | {on_training(name): greater for name, greater in training.items()}


def rows(name: str) -> list[Row]:
    """Read the committed rows of a suite; none if it is not run yet, so that its claims cannot be tested."""
    if not is_committed(name):
        return []
    with (REPORTS / name / "cells.csv").open(encoding="utf-8", newline="") as file:
        return [{key: _value(key, text) for key, text in row.items()} for row in csv.DictReader(file)]


def _value(key: str, text: str) -> str | float | bool | None:
    if key in TEXTS or not text:
        return text or None
    if text in ("True", "False"):
        return text == "True"
    try:
        return float(text)
    except ValueError:
        return text


def page() -> str:
    """Return the list as Markdown: how many claims hold, then each with its figures."""
    found = list(results())
    counts = {suite.name: Counter(one.verdict for one in claims) for suite, claims in found}
    whole = sum(counts.values(), Counter[str]())
    lines = [[f"[{name}](#{name})", *(str(count[kind]) for kind in KINDS)] for name, count in counts.items()]
    table = [
        ["suite", *KINDS],
        ["---", *["---:"] * 4],
        *lines,
        ["all", *(str(whole[kind]) for kind in KINDS)],
    ]
    parts = [INTRODUCTION, _markdown(table)]
    for suite, claims in found:
        parts += [f"## {suite.name}\n\n{suite.paper.citation}.\n"]
        listed = [[one.says, one.place, f"**{one.verdict}**", one.ours, one.paper or "–"] for one in claims]
        parts += [_markdown([["claim", "where", "verdict", "here", "paper"], ["---"] * 5, *listed])]
        parts += [f"Chosen with true classes: {suite.paper.chosen_with_truth}\n"]
    return "\n".join(parts)


def _markdown(lines: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
