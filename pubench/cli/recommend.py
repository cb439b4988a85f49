"""``pubench recommend``: which method to use for one's own data, and what it is worth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pubench.cli.budget import comparison_progress
from pubench.cli.options import refuse_overwriting
from pubench.cli.signals import current_signals
from pubench.cli.streams import show
from pubench.cli.table_options import BUDGET_OPTION, goal_option, table_options

if TYPE_CHECKING:
    from pubench.specs import Scenario

__all__ = ["recommend"]


@click.command()
@table_options
@goal_option("What the model is for.")
@BUDGET_OPTION
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Also write a page."
)
def recommend(
    file: Path,
    label: str,
    ids: tuple[str, ...],
    goal: str,
    scenario: Scenario,
    budget: float | None,
    seed: int,
    as_json: bool,
    html: Path | None,
    quiet: bool,
) -> int:
    """Recommend a method for FILE, a table of known positives and unlabelled rows.

    Shows how the table was read, what the data say about the class prior, how methods compare by repeated
    resampling, and what precision to expect among the top rows. Ctrl-C shows the results so far.
    """
    from pubench.advise.advice import GOALS
    from pubench.advise.recommend import recommend as advise
    from pubench.advise.sections import make_sections, text_lines

    refuse_overwriting(html, file)
    wanted = next(one for one in GOALS if one == goal)
    with comparison_progress(quiet=quiet) as on_progress:
        advice = advise(
            file,
            label=label,
            ids=ids,
            goal=wanted,
            scenario=scenario,
            budget=budget,
            seed=seed,
            on_progress=on_progress,
        )
    if html is not None:
        from pubench.advise.page import advice_page
        from pubench.data.cache import write_atomically

        write_atomically(html, advice_page(advice))
    if as_json:
        click.echo(json.dumps(advice.to_json(), indent=1))
    else:
        click.echo("\n".join(text_lines(make_sections(advice))))
    if html is not None and not quiet:
        show(f"wrote {html}")
    return current_signals().code if advice.is_interrupted else 0
