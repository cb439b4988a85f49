"""The options of commands that read a person's table: what its columns mean, and how its rows were drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from pubench.cli.budget import BUDGET
from pubench.cli.options import SCENARIO

__all__ = ["BUDGET_OPTION", "PRIOR", "goal_option", "table_options"]

F = TypeVar("F", bound=Callable[..., object])
BUDGET_OPTION = click.option(
    "--budget",
    type=BUDGET,
    metavar="TIME",
    help="Time after which no new fit of the comparison starts, such as 60, 90s or 5m; the prior estimate and the "
    "first method may take longer [default: no limit].",
)
PRIOR = click.option(
    "--prior",
    type=float,
    metavar="SHARE",
    help="The share of positives in the population, if you know it [default: estimate].",
)


def goal_option(meaning: str) -> Callable[[F], F]:
    """Return the option that says what a model is for; ``meaning`` is its help."""
    return click.option(
        "--goal",
        type=click.Choice(("ranking", "decision", "probability")),
        default="ranking",
        show_default=True,
        help=meaning,
    )


def table_options(command: F) -> F:
    """Add what every command about a table has: FILE, --label, --id, --scenario, --seed and --quiet."""
    options = (
        click.argument("file", type=click.Path(path_type=Path)),
        click.option(
            "--label", required=True, metavar="COLUMN", help="The column that marks known positives."
        ),
        click.option(
            "--id",
            "ids",
            multiple=True,
            metavar="COLUMN",
            help="A column that only names rows; may be repeated.",
        ),
        click.option(
            "--scenario",
            type=SCENARIO,
            default="single-training-set",
            show_default=True,
            help="How the rows were drawn.",
        ),
        click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed."),
        click.option("--quiet", "-q", is_flag=True, help="No progress."),
    )
    for option in reversed(options):
        command = option(command)
    return command
