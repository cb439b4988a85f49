"""``pubench export`` and ``pubench completion``: what is written for other programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pubench.cli.options import FOLDERS
from pubench.cli.streams import show
from pubench.errors import PubenchError

if TYPE_CHECKING:
    from pubench.results.table import Results, Row

__all__ = ["completion", "export", "show_problems"]


@click.command()
@FOLDERS
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "json", "parquet"]),
    default="csv",
    show_default=True,
    help="File format; Parquet needs pyarrow and --out.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write [default: standard output]."
)
@click.option("--no-times", is_flag=True, help="Omit time and memory, which differ from run to run.")
@click.option(
    "--trials",
    is_flag=True,
    help="One row for each trial of a search instead: every criterion and, with [store] trials = true, every metric.",
)
def export(folders: tuple[Path, ...], form: str, out: Path | None, no_times: bool, trials: bool) -> None:
    """Write one tidy row for each cell of the run in FOLDER; the runs of several folders are merged."""
    from pubench.results.export import cell_rows, rows_text, rows_to

    if form == "parquet" and out is None:
        raise click.UsageError("Parquet is binary; name a file with --out.")
    results = _read(folders)
    rows = _trial_rows(folders, no_times) if trials else cell_rows(results, times=not no_times)
    if out is not None:
        rows_to(out, rows, form)
    else:
        click.echo(rows_text(rows, form), nl=False)


def _read(folders: Sequence[Path]) -> Results:
    """Return the merged runs, and say what is damaged or missing."""
    from pubench.results.merging import merge_results
    from pubench.results.shards import part_sentence
    from pubench.results.table import read_results

    several = [read_results(folder) for folder in folders]
    results = merge_results(several)
    show_problems(results.problems)
    show_problems(filter(None, [part_sentence([one.plan for one in several])]))
    return results


def _trial_rows(folders: Sequence[Path], no_times: bool) -> Sequence[Row]:
    from pubench.results.store import detail_problems
    from pubench.results.trials import trial_rows

    for folder in folders:
        show_problems(detail_problems(folder))
    rows = trial_rows(folders, times=not no_times)
    if not rows:
        raise PubenchError(
            "no search has ended there, so there are no trials; run a suite with tune = true for an algorithm"
        )
    return rows


def show_problems(problems: Iterable[str]) -> None:
    """Print to standard error which files or records are damaged."""
    for problem in problems:
        show(f"pubench: {problem}")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL, for example: eval "$(pubench completion bash)"."""
    from click.shell_completion import get_completion_class

    from pubench.cli import cli

    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(cli, {}, "pubench", "_PUBENCH_COMPLETE").source())
