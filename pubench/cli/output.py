"""``pubench report``, ``pubench export`` and ``pubench completion``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pubench.report import Report
    from pubench.results import Results

__all__ = ["completion", "export", "html_page", "make_report", "report"]


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(["text", "markdown", "html"]), default="text", show_default=True
)
def report(folder: Path, form: str) -> None:
    """Print the tables of the run in FOLDER."""
    from pubench.report.terminal import terminal_report
    from pubench.report.text import markdown_report
    from pubench.results import read_results

    results = _with_problems(read_results(folder))
    made = make_report(results)
    if form != "text":
        click.echo(markdown_report(made) if form == "markdown" else html_page(results, made), nl=False)
        return
    from rich.console import Console

    terminal_report(made, Console())


def make_report(results: Results) -> Report:
    """Gather what the tables show."""
    from pubench.report import build_report
    from pubench.store import read_cards

    metrics = {name: results.plan.metrics[name].greater_is_better for name in results.plan.shown}
    known = read_cards(results.folder)
    labels = dict.fromkeys(cell.dataset for cell in results.plan.cells)
    cards = {label: known[label] for label in labels if label in known}
    return build_report(results.rows, results.plan.suite, metrics, results.plan.description, cards)


def html_page(results: Results, report: Report) -> str:
    """Render a report as one HTML file, with what the run was made with."""
    from pubench.report.html import html_report
    from pubench.store import read_provenance

    entries = [entry for entry in read_provenance(results.folder) if isinstance(entry, dict)]
    return html_report(report, results.rows, entries[-1] if entries else {})


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(["csv", "json", "parquet"]), default="csv", show_default=True
)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write [default: standard output]."
)
@click.option("--no-times", is_flag=True, help="Leave out time and memory, which differ from run to run.")
def export(folder: Path, form: str, out: Path | None, no_times: bool) -> None:
    """Write one tidy row for each cell of the run in FOLDER."""
    from pubench.export import export_text, export_to
    from pubench.results import read_results

    results = _with_problems(read_results(folder))
    if out is not None:
        export_to(out, results, form, times=not no_times)
    elif form == "parquet":
        raise click.UsageError("Parquet is binary; name a file with --out.")
    else:
        click.echo(export_text(results, form, times=not no_times), nl=False)


def _with_problems(results: Results) -> Results:
    for problem in results.problems:
        click.echo(f"pubench: {problem}", err=True)
    return results


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL, for example: eval "$(pubench completion bash)"."""
    from click.shell_completion import get_completion_class

    from pubench.cli import cli

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(cli, {}, "pubench", "_PUBENCH_COMPLETE").source())
