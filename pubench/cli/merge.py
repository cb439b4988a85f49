"""``pubench merge``: the run folders of shards as one run folder."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from pubench.cli.options import FOLDERS
from pubench.cli.output import show_problems
from pubench.errors import counted, have

__all__ = ["merge"]


@click.command()
@FOLDERS
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="The merged run folder: a new one, or one of the same suite, to which missing cells are added.",
)
def merge(folders: tuple[Path, ...], out: Path) -> int:
    """Merge the run folders of one suite, such as its shards, into one run folder."""
    from pubench.results.merged_folder import merge_folders

    merged = merge_folders(folders, out)
    show_problems((*merged.notes, *merged.conflicts))
    pending, total = merged.results.counts["pending"], len(merged.results.rows)
    click.echo(f"{out}: {total - pending} of {counted(total, 'cell')} {have(total)} ended")
    if pending:
        click.echo(f"Run the suite with --out {shlex.quote(str(out))} to run the rest, or merge again later.")
    return 1 if merged.conflicts else 0
