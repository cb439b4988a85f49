"""``pubench cite``: the papers behind a run, as BibTeX or in words."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["cite"]


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@click.option("--text", "as_text", is_flag=True, help="Print a line for each paper instead of BibTeX.")
def cite(folders: tuple[Path, ...], as_text: bool) -> None:
    """Print the papers of all algorithms, criteria, prior estimators and data sets of RUN, as BibTeX."""
    from pubench.reporting.details import read_details
    from pubench.results.credit import bibliography
    from pubench.results.run_folder import read_plan

    for folder in folders:
        read_plan(folder)
    found = read_details(folders).credits
    click.echo("\n".join(map(str, found)) if as_text else bibliography(found), nl=as_text)
