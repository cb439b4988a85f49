"""From the `Report` value to files: what each format writes, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pubench.data.cache import write_together
from pubench.errors import PubenchError, StoreError, did_you_mean
from pubench.interpreter import collector_paused
from pubench.reporting.draw.diagrams import draw
from pubench.reporting.render.csv import claims_csv, pairs_csv, paper_csv, scores_csv
from pubench.reporting.render.html import html_report
from pubench.reporting.render.latex import latex_files
from pubench.reporting.render.markdown import markdown_report
from pubench.reporting.render.pgf import fitted_diagram, pgf
from pubench.reporting.report import Report
from pubench.results.credit import bibliography
from pubench.results.run_folder import last_change
from pubench.results.under_way import Training

__all__ = ["FORMATS", "is_current", "write_page", "write_report"]

PAGE, MARKDOWN = "report.html", "report.md"


def write_report(report: Report, out: Path, formats: Sequence[str]) -> tuple[Path, ...]:
    """Write the files of a report: all of them, or none if there is no room for all.

    Parameters
    ----------
    report : Report
    out : Path
        The folder; it is made if it does not exist.
    formats : sequence of str
        Names of `FORMATS`.

    Returns
    -------
    tuple of Path
        The files, in the order in which they were written.

    Raises
    ------
    PubenchError
        If a format is unknown; nothing is written then.
    StoreError
        If a file cannot be written; the files of an earlier report are as they were.
    """
    if isinstance(formats, str) or not formats:
        raise PubenchError(f"formats must be a sequence of one or more of {', '.join(FORMATS)}")
    for name in formats:
        if name not in FORMATS:
            raise PubenchError(f"{name!r} is not a format of reports{did_you_mean(str(name), FORMATS)}")
    # All is rendered before the first file is written: an error leaves the folder as it was.
    with collector_paused():
        files = {file: data for name in FORMATS if name in formats for file, data in FORMATS[name](report)}
    _write({out / file: content for file, content in files.items()})
    return tuple(out / file for file in files)


def is_current(folder: Path) -> bool:
    """Tell whether a run folder has the two reports that a run writes, and neither is older than what it shows."""
    try:
        oldest = min((folder / name).stat().st_mtime_ns for name in (PAGE, MARKDOWN))
    except OSError:
        return False
    return oldest >= last_change(folder)


def write_page(report: Report, path: Path, *, reload: int, training: Sequence[Training] = ()) -> None:
    """Write the HTML page alone; with ``reload`` it loads itself again after so many seconds."""
    _write({path: _encoded(html_report(report, reload=reload, training=training))})


def _write(files: Mapping[Path, bytes]) -> None:
    try:
        write_together(files)
    except OSError as error:
        raise StoreError(
            f"cannot write {error.filename}: {error.strerror}; the results of the run are kept"
        ) from None


def _encoded(text: str) -> bytes:
    """Return text as UTF-8; what is left of file names that are not UTF-8, in a command for example, becomes ``?``."""
    return text.encode("utf-8", "replace")


Files = Iterator[tuple[str, bytes]]


def _html(report: Report) -> Files:
    yield PAGE, _encoded(html_report(report))


def _markdown(report: Report) -> Files:
    yield MARKDOWN, _encoded(markdown_report(report))


def _csv(report: Report) -> Files:
    yield "scores.csv", scores_csv(report).encode()
    yield "pairs.csv", pairs_csv(report).encode()
    if report.paper is not None and report.paper.numbers:
        yield "paper.csv", paper_csv(report).encode()
    if report.paper is not None and report.paper.claims:
        yield "claims.csv", claims_csv(report).encode()


def _latex(report: Report) -> Files:
    files = latex_files(report)
    for name, text in files.items():
        yield name, _encoded(text)
    for name, comparison in zip(files, report.comparisons, strict=False):
        fitted = fitted_diagram(comparison, report.rules.width)
        if fitted is not None:
            stem = name.removesuffix(".tex")
            yield f"{stem}-ranks.pdf", draw(fitted.diagram, "pdf")
            yield f"{stem}-ranks.pgf", _encoded(pgf(fitted))
    if report.details.credits:
        yield "references.bib", _encoded(bibliography(report.details.credits))


FORMATS: Mapping[str, Callable[[Report], Files]] = {
    "html": _html,
    "markdown": _markdown,
    "csv": _csv,
    "latex": _latex,
}
"""What yields the name and content of each file of a format."""
