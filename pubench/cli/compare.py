"""``pubench compare``: what changed between two runs of the same cells."""

from __future__ import annotations

import json
from pathlib import Path

import click

from pubench.cli.output import show_problems
from pubench.cli.streams import printed

__all__ = ["compare"]


@click.command()
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON, every block included.")
def compare(first: Path, second: Path, as_json: bool) -> None:
    """Compare the cells that the runs in FIRST and SECOND share: which changes are larger than noise."""
    from pubench.reporting.comparing import compare as compare_folders

    found = compare_folders(first, second)
    if as_json:
        click.echo(json.dumps(found.to_json(), indent=1, allow_nan=False))
        return
    from pubench.reporting.render.compared import print_comparison

    show_problems(found.problems)
    print_comparison(found, printed())
