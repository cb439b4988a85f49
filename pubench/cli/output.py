"""``pubench export`` and ``pubench completion``: what is written for other programs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from pubench.cli.options import FOLDERS
from pubench.cli.streams import show

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
def export(folders: tuple[Path, ...], form: str, out: Path | None, no_times: bool) -> None:
    """Write one tidy row for each cell of the run in FOLDER; the runs of several folders are merged."""
    from pubench.results.export import export_text, export_to
    from pubench.results.merging import merge_results
    from pubench.results.shards import part_sentence
    from pubench.results.table import read_results

    several = [read_results(folder) for folder in folders]
    results = merge_results(several)
    show_problems(results.problems)
    show_problems(filter(None, [part_sentence([one.plan for one in several])]))
    if out is not None:
        export_to(out, results, form, times=not no_times)
    elif form == "parquet":
        raise click.UsageError("Parquet is binary; name a file with --out.")
    else:
        click.echo(export_text(results, form, times=not no_times), nl=False)


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
