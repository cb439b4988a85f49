"""``pubench site``: a static site of many runs and reports."""

from __future__ import annotations

from pathlib import Path

import click

from pubench.cli.options import FOLDERS
from pubench.cli.streams import show
from pubench.errors import counted

__all__ = ["site"]


@click.command()
@FOLDERS
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder of the site: a new one, or that of an earlier site, which is replaced.",
)
@click.option("--title", default="PU learning benchmarks", show_default=True, help="Title of the site.")
def site(folders: tuple[Path, ...], out: Path, title: str) -> None:
    """Make a static site of the runs and reports in each FOLDER: index, search, method and data-set pages."""
    from pubench.reporting.site import build_site

    # A pattern such as reports/* names the files between the folders too.
    for path in folders:
        if path.is_file():
            show(f"pubench: {path} is a file and is left out; a site is made of folders")
    made = build_site([path for path in folders if not path.is_file()], out, title=title)
    numbers = {"report": len(made.reports), "method": len(made.methods), "data set": len(made.datasets)}
    click.echo(", ".join(counted(count, noun) for noun, count in numbers.items()))
    click.echo(out / "index.html")
