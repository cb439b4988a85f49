"""What a site is made of: run folders, and reports that are kept without one, read into one form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pubench.errors import PubenchError, RunFolderError, counted
from pubench.reporting.reading import report_of
from pubench.reporting.render.html import html_report
from pubench.reporting.sections.datasets import HEADS, card_line, summarise
from pubench.reporting.site.committed import is_committed, read_committed
from pubench.results.export import export_text
from pubench.results.table import Row, read_results
from pubench.results.verification import read_verified
from pubench.stats.comparison import Ranking, rank
from pubench.stats.scores import ScoreTable, score_table

__all__ = ["SiteReport", "read_reports", "verified_words"]

_VERIFIED = "verified"


@dataclass(frozen=True, slots=True)
class SiteReport:
    """A report as the site shows it.

    Attributes
    ----------
    name : str
        That of its folder.
    title, description : str
        Those of its suite.
    tables : tuple of ScoreTable
        One for each metric that the report shows.
    rankings : tuple of Ranking
        One for each table.
    cards : mapping of str to mapping of str to str
        What is known of each data set: a text for each head of :mod:`pubench.reporting.sections.datasets`.
    status : mapping of str to int
        How many cells ended in each status.
    collapsed : mapping of str to int
        How many models of each algorithm put all rows into one class.
    verified : str
        What was verified, in words; empty if nothing was.
    page, cells : bytes
        The report's page, and its rows as CSV.
    """

    name: str
    title: str
    description: str
    tables: tuple[ScoreTable, ...]
    rankings: tuple[Ranking, ...]
    cards: Mapping[str, Mapping[str, str]]
    status: Mapping[str, int]
    collapsed: Mapping[str, int]
    verified: str
    page: bytes
    cells: bytes

    @property
    def is_verified(self) -> bool:
        """Whether cells of it were run again, with equal rows, and nothing has changed since."""
        return self.verified.startswith(_VERIFIED)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The labels of its algorithms."""
        return self.tables[0].algorithms if self.tables else ()

    @property
    def datasets(self) -> tuple[str, ...]:
        """The labels of its data sets."""
        return tuple(dict.fromkeys(block.dataset for table in self.tables for block in table.blocks))


def read_reports(folders: Sequence[Path]) -> tuple[SiteReport, ...]:
    """Read each folder once.

    Raises
    ------
    PubenchError
        If there is none, one holds neither a run nor a report, or two have the same name.
    """
    distinct = {folder.resolve(): folder for folder in reversed(folders)}
    paths = list(dict.fromkeys(map(Path.resolve, folders)))
    if not paths:
        raise RunFolderError("there is no run to show: give at least one folder of a run or of a report")
    names: dict[str, Path] = {}
    for path in paths:
        # File systems differ in whether capitals count.
        known = names.setdefault(path.name.casefold(), distinct[path])
        if known != distinct[path]:
            raise PubenchError(
                f"{known} and {distinct[path]} would both be called '{path.name}' in the site; rename one of them"
            )
    return tuple(_read(distinct[path], path.name) for path in paths)


def _read(folder: Path, name: str) -> SiteReport:
    if (folder / "plan.json").exists():
        return _of_run(folder, name)
    if is_committed(folder):
        return _of_committed(folder, name)
    raise RunFolderError(
        f"{folder} holds no run (plan.json) and no report (cells.csv and report.html); leave it out"
    )


def _of_run(folder: Path, name: str) -> SiteReport:
    results = read_results(folder)
    report = report_of(results)
    origins = report.details.origins
    cards = {
        label: dict(zip(HEADS, card_line(summarise(label, card)), strict=True))
        for label, card in report.details.cards.items()
    }
    return SiteReport(
        name=name,
        title=report.title,
        description=report.description,
        tables=report.tables,
        rankings=tuple(rank(table, report.rules, origins) for table in report.tables),
        cards=cards,
        status=report.status,
        collapsed=_collapsed(report.rows),
        verified=verified_words(folder),
        page=html_report(report).encode("utf-8", "replace"),
        cells=export_text(results, "csv", times=False).encode(),
    )


def _of_committed(folder: Path, name: str) -> SiteReport:
    found = read_committed(folder)
    tables = tuple(score_table(found.rows, metric, greater) for metric, greater in found.metrics.items())
    return SiteReport(
        name=name,
        title=found.title,
        description=found.description,
        tables=tables,
        rankings=tuple(rank(table, found.rules, found.origins) for table in tables),
        cards=found.cards,
        status=dict(Counter(str(row["status"]) for row in found.rows)),
        collapsed=_collapsed(found.rows),
        verified="",
        page=found.page,
        cells=found.cells,
    )


def _collapsed(rows: Sequence[Row]) -> dict[str, int]:
    return dict(Counter(str(row["algorithm"]) for row in rows if row.get("collapsed")))


def verified_words(folder: Path) -> str:
    """Say what was verified, unless a file of the run has changed since."""
    state = read_verified(folder)
    if state is None or not state.current:
        return "" if state is None else "changed since it was verified"
    found = state.verified
    if not found.rerun:
        return "files verified, nothing run again"
    how = "to the bit" if found.exact else "to six digits"
    at_limits = f"; {found.limited} ended at a limit or crashed" if found.limited else ""
    return (
        f"{_VERIFIED}: {len(found.rerun)} of {counted(found.cells, 'cell')} run again, equal {how}{at_limits}"
    )
