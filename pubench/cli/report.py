"""``pubench report``: the tables of one run or of several, printed or written to files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pubench.cli.options import FOLDERS
from pubench.cli.output import show_problems
from pubench.cli.streams import printed

if TYPE_CHECKING:
    from pubench.suite.reporting import TableWidth

__all__ = ["report"]

FORMATS = ("text", "html", "markdown", "csv", "latex")
PRINTED = {"html": "report.html", "markdown": "report.md", "csv": "scores.csv"}
"""The file of each format that is printed without --out."""


class Formats(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """Names of formats with commas between them."""

    name = "format[,format...]"

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Split the list and refuse unknown formats."""
        names = tuple(dict.fromkeys(value.split(","))) if isinstance(value, str) else value
        unknown = [name for name in names if name not in FORMATS]
        if unknown:
            self.fail(
                f"{unknown[0]!r} is not a format; give one or more of {', '.join(FORMATS)}.", param, ctx
            )
        return names


@click.command()
@FOLDERS
@click.option(
    "--format",
    "formats",
    type=Formats(),
    help="text, html, markdown, csv or latex; several with commas [default: text, or all but text with --out].",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder to write the report's files into."
)
@click.option(
    "--width",
    type=click.Choice(("column", "single", "page")),
    help="Where LaTeX tables fit: one of two columns, the text of a one-column class, or both columns "
    "[default: as the suite says].",
)
@click.option(
    "--live", is_flag=True, help="Keep report.html up to date while the run goes on; in its folder or --out."
)
def report(
    folders: tuple[Path, ...],
    formats: tuple[str, ...] | None,
    out: Path | None,
    width: TableWidth | None,
    live: bool,
) -> int | None:
    """Print or write the tables of the run in FOLDER; the runs of several folders are merged."""
    chosen = formats or (FORMATS[1:] if out else FORMATS[:1])
    if width is not None and (live or "latex" not in chosen):
        raise click.UsageError(
            "--width is for LaTeX tables; leave it out, or add --format latex --out FOLDER."
        )
    if live:
        return _live(folders, formats, out)
    if out is None and (len(chosen) > 1 or "latex" in chosen):
        raise click.UsageError("LaTeX, or several formats, make several files; name a folder with --out.")
    if out is not None and "text" in chosen:
        raise click.UsageError("Text is for terminals; leave out --out, or write markdown.")
    _report(folders, chosen, out, width)
    return None


def _report(
    folders: Sequence[Path], formats: Sequence[str], out: Path | None, width: TableWidth | None
) -> None:
    from pubench.reporting import FORMATS as FILES
    from pubench.reporting import read_runs, report_of, terminal_report, write_report

    made = report_of(read_runs(folders), folders, width)
    show_problems(made.details.problems)
    if out is not None:
        for path in write_report(made, out, formats):
            click.echo(path)
    elif formats[0] == "text":
        terminal_report(made, printed())
    else:
        click.echo(dict(FILES[formats[0]](made))[PRINTED[formats[0]]].decode(), nl=False)


def _live(folders: Sequence[Path], formats: Sequence[str] | None, out: Path | None) -> int:
    from pubench.cli.live import watch

    if formats is not None and tuple(formats) != ("html",):
        raise click.UsageError("--live is for the HTML page; leave out --format.")
    if out is None and len(folders) > 1:
        raise click.UsageError("Several runs have no common folder for the page; name one with --out.")
    return watch(folders, (out or folders[0]) / "report.html")
