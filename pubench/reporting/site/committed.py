"""A report kept without its run folder: rows in ``cells.csv``, the page, and what ``report.md`` says about them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pubench.errors import RunFolderError
from pubench.reporting.files import MARKDOWN, PAGE
from pubench.reporting.render.packing import rules_and_origins
from pubench.reporting.sections.datasets import HEADS
from pubench.results.exported import read_exported
from pubench.results.table import Row
from pubench.suite.reporting import Rules

__all__ = ["CELLS", "CommittedReport", "is_committed", "read_committed"]

CELLS = "cells.csv"
_DIRECTIONS = {"higher": True, "lower": False, None: None}
_HEADING = re.compile(r"^## (?P<name>.+?)(?: \((?P<direction>higher|lower) is better\))?$", re.MULTILINE)
_USUAL = ("accuracy", "f1", "roc-auc")


class CommittedReport(NamedTuple):
    """What such a folder says; ``cards`` has the texts of `HEADS` for each data set.

    ``rules`` and ``origins`` are those of the page; an old page has the default rules, and data sets with the same
    stored rows count once.
    """

    title: str
    description: str
    rows: tuple[Row, ...]
    metrics: dict[str, bool | None]
    cards: dict[str, dict[str, str]]
    rules: Rules
    origins: dict[str, str]
    page: bytes
    cells: bytes


def is_committed(folder: Path) -> bool:
    """Tell whether a folder holds such a report."""
    return (folder / CELLS).is_file() and (folder / PAGE).is_file()


def read_committed(folder: Path) -> CommittedReport:
    """Read the report of a folder.

    Raises
    ------
    RunFolderError
        If its rows cannot be read.
    """
    found = read_exported(folder / CELLS)
    try:
        page, cells = (folder / PAGE).read_bytes(), (folder / CELLS).read_bytes()
        path = folder / MARKDOWN
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    except OSError as error:
        raise RunFolderError(f"cannot read {error.filename}: {error.strerror}") from None
    metrics = {
        name: _DIRECTIONS[one["direction"]]
        for one in _HEADING.finditer(text)
        if (name := _plain(one["name"])) in found.metrics
    } or {name: True for name in _USUAL if name in found.metrics}
    first, _, rest = text.partition("\n\n")
    title = _plain(first.removeprefix("# ")) if first.startswith("# ") else folder.resolve().name
    description = rest.partition("\n\n")[0]
    described = _plain(description) if not description.startswith(("Cells: ", "## ")) else ""
    cards = dict(_cards(text))
    rules, origins = rules_and_origins(page)
    origins = origins or _same_rows(cards)
    return CommittedReport(title, described, found.rows, metrics, cards, rules, origins, page, cells)


def _same_rows(cards: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the first data set with the same stored rows, by label."""
    first: dict[str, str] = {}
    return {
        label: first.setdefault(card["fingerprint"], label)
        for label, card in cards.items()
        if card["fingerprint"]
    }


def _cards(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield what the table of data sets says about each."""
    section = text.partition("\n## Data sets\n")[2].partition("\n## ")[0]
    lines = [_cells(line) for line in section.splitlines() if line.startswith("| ")]
    if not lines or tuple(lines[0]) != HEADS:
        return
    for line in lines[2:]:
        if len(line) == len(HEADS):
            yield line[0], dict(zip(HEADS, line, strict=True))


def _cells(line: str) -> Sequence[str]:
    """Split a line of a table at the bars that are not escaped."""
    return [_plain(cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def _plain(text: str) -> str:
    """Return Markdown text as it was before it was escaped."""
    return re.sub(r"\\([\\|`*\[<])", r"\1", text)
