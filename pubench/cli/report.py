"""``pubench report``: the tables of one run or of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from pubench.cli.output import with_problems

if TYPE_CHECKING:
    from pubench.reporting import Report
    from pubench.results.table import Results

__all__ = ["html_page", "make_report", "markdown_page", "read_runs", "report"]

FORMS = ("text", "html", "markdown", "csv", "latex")


class Forms(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """Names of formats with commas between them."""

    name = "format[,format...]"

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Split the list and refuse what is no format."""
        names = tuple(dict.fromkeys(value.split(","))) if isinstance(value, str) else value
        unknown = [name for name in names if name not in FORMS]
        if unknown:
            self.fail(f"{unknown[0]!r} is no format; give one or more of {', '.join(FORMS)}.", param, ctx)
        return names


@click.command()
@click.argument(
    "folders", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FOLDER [FOLDER ...]"
)
@click.option(
    "--format",
    "forms",
    type=Forms(),
    help="text, html, markdown, csv or latex; several with commas [default: text, or all but text with --out].",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder to write the report's files into."
)
@click.option(
    "--live", is_flag=True, help="Keep report.html up to date while the run goes on; in its folder or --out."
)
def report(
    folders: tuple[Path, ...], forms: tuple[str, ...] | None, out: Path | None, live: bool
) -> int | None:
    """Print or write the tables of the run in FOLDER; the runs of several folders are put together."""
    if live:
        return _live(folders, forms, out)
    chosen = forms or (FORMS[1:] if out else FORMS[:1])
    if out is None and (len(chosen) > 1 or "latex" in chosen):
        raise click.UsageError("LaTeX, or several formats, make several files; name a folder with --out.")
    if out is not None and "text" in chosen:
        raise click.UsageError("Text is for terminals; leave out --out, or write markdown.")
    merged = with_problems(read_runs(folders))
    made = make_report(merged, folders)
    if out is None:
        _print(merged, made, chosen[0], folders)
        return None
    out.mkdir(parents=True, exist_ok=True)
    for name, content in _files(merged, made, chosen, folders):
        (out / name).write_bytes(content)
        click.echo(out / name)
    return None


def _live(folders: Sequence[Path], forms: Sequence[str] | None, out: Path | None) -> int:
    from pubench.cli.live import watch

    if forms is not None and tuple(forms) != ("html",):
        raise click.UsageError("--live is for the HTML page; leave out --format.")
    if out is None and len(folders) > 1:
        raise click.UsageError("Several runs share no folder for the page; name one with --out.")
    return watch(folders, (out or folders[0]) / "report.html")


def read_runs(folders: Sequence[Path]) -> Results:
    """Read the runs of some folders as one."""
    from pubench.results.merging import merge_results
    from pubench.results.table import read_results

    return merge_results([read_results(folder) for folder in folders])


def make_report(results: Results, folders: Sequence[Path] = ()) -> Report:
    """Gather what the tables show; ``folders`` are those whose runs the results come from."""
    from dataclasses import fields

    from pubench.reporting import build_report
    from pubench.results.store import read_cards
    from pubench.stats.comparison import Rules

    plan = results.plan
    metrics = {name: plan.metrics[name].greater_is_better for name in plan.shown}
    known = {
        label: card for folder in folders or [results.folder] for label, card in read_cards(folder).items()
    }
    labels = dict.fromkeys(cell.dataset for cell in plan.cells)
    cards = {label: known[label] for label in labels if label in known}
    # A later version may know more rules than this one.
    rules = {field.name: plan.report[field.name] for field in fields(Rules) if field.name in plan.report}
    return build_report(
        results.rows, plan.suite, metrics, plan.description, cards, Rules(**rules), plan.paper
    )


def html_page(results: Results, report: Report, folders: Sequence[Path] = (), *, reload: int = 0) -> str:
    """Render a report as one HTML file, with what the run was made with and what its searches tried.

    With ``reload`` the page loads itself again after so many seconds.
    """
    from pubench.reporting.html import html_report
    from pubench.results.store import read_provenance, read_trials

    made: list[dict[str, Any]] = []
    trials: dict[str, Any] = {}
    for folder in folders or [results.folder]:
        made += [entry for entry in read_provenance(folder) if isinstance(entry, dict)][-1:]
        trials |= read_trials(folder)
    return html_report(report, results.rows, made, trials, _inside(results, folders), reload=reload)


def markdown_page(results: Results, report: Report, folders: Sequence[Path] = ()) -> str:
    """Render a report as Markdown, with the numbers of what the HTML page draws of images."""
    from pubench.reporting.images import find_galleries
    from pubench.reporting.text import markdown_report

    return markdown_report(report, find_galleries(results.rows, _inside(results, folders)))


def _inside(results: Results, folders: Sequence[Path]) -> dict[str, Any]:
    """Return what the models of all runs told of themselves."""
    from pubench.results.store import read_inside

    inside: dict[str, Any] = {}
    for folder in folders or [results.folder]:
        inside |= {key: msgspec.to_builtins(record) for key, record in read_inside(folder).items()}
    return inside


def _print(results: Results, made: Report, form: str, folders: Sequence[Path]) -> None:
    from pubench.reporting.spreadsheet import scores_csv
    from pubench.reporting.terminal import terminal_report

    if form == "text":
        from rich.console import Console

        terminal_report(made, Console())
    elif form == "html":
        click.echo(html_page(results, made, folders), nl=False)
    else:
        text = markdown_page(results, made, folders) if form == "markdown" else scores_csv(made)
        click.echo(text, nl=False)


def _files(
    results: Results, made: Report, forms: Sequence[str], folders: Sequence[Path]
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file of a report."""
    from pubench.reporting.spreadsheet import pairs_csv, paper_csv, scores_csv

    if "html" in forms:
        yield "report.html", html_page(results, made, folders).encode()
    if "markdown" in forms:
        yield "report.md", markdown_page(results, made, folders).encode()
    if "csv" in forms:
        yield "scores.csv", scores_csv(made).encode()
        yield "pairs.csv", pairs_csv(made).encode()
        if made.paper is not None:
            yield "paper.csv", paper_csv(made).encode()
    if "latex" in forms:
        yield from _latex(made)


def _latex(made: Report) -> Iterator[tuple[str, bytes]]:
    from pubench.reporting.diagram import rank_diagram
    from pubench.reporting.drawing import draw, pgf
    from pubench.reporting.latex import latex_files

    files = latex_files(made)
    for name, text in files.items():
        yield name, text.encode()
    for name, comparison in zip(files, made.comparisons, strict=False):
        diagram = rank_diagram(comparison)
        if diagram is not None:
            stem = name.removesuffix(".tex")
            yield f"{stem}-ranks.pdf", draw(diagram, "pdf")
            yield f"{stem}-ranks.pgf", pgf(diagram).encode()
