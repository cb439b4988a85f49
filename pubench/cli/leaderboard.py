"""``pubench leaderboard``: the ranks of methods in many runs and reports, for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from pubench.cli.options import FOLDERS

__all__ = ["leaderboard"]


@click.command()
@FOLDERS
@click.option(
    "--format", "form", type=click.Choice(["csv", "json"]), default="csv", show_default=True, help="Format."
)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write [default: standard output]."
)
def leaderboard(folders: tuple[Path, ...], form: str, out: Path | None) -> None:
    """Write one row for each method and metric of the runs and reports in each FOLDER: mean, rank and its interval."""
    from pubench.reporting.leaderboard_file import leaderboard_rows
    from pubench.results.export import rows_text, rows_to

    rows = leaderboard_rows(folders)
    if out is not None:
        rows_to(out, rows, form)
    else:
        click.echo(rows_text(rows, form), nl=False)
