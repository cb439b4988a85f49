"""``pubench fit``: a model of one's own table in one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pubench.cli.budget import comparison_progress
from pubench.cli.options import refuse_overwriting
from pubench.cli.signals import current_signals
from pubench.cli.table_options import BUDGET_OPTION, PRIOR, goal_option, table_options
from pubench.errors import PubenchError

if TYPE_CHECKING:
    from pubench.specs import Scenario

__all__ = ["fit"]


@click.command()
@table_options
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The model file.")
@click.option(
    "--method",
    default="auto",
    show_default=True,
    metavar="auto|single|NAME",
    help="All methods, weighted (auto or ensemble); one method, chosen (single); or a method by its name.",
)
@PRIOR
@goal_option("The purpose of the model; it is recorded in the model file.")
@BUDGET_OPTION
def fit(
    file: Path,
    label: str,
    ids: tuple[str, ...],
    out: Path,
    method: str,
    prior: float | None,
    goal: str,
    scenario: Scenario,
    budget: float | None,
    seed: int,
    quiet: bool,
) -> int:
    """Fit a model to FILE, a table of known positives and unlabelled rows, and write it to one file.

    The file holds the columns, the prior, the fitted methods, probabilities and threshold, and no code. Ctrl-C during
    the comparison keeps the methods that have been compared.
    """
    from pubench.advise.advice import GOALS
    from pubench.advise.archive import save
    from pubench.advise.describing import card_sections
    from pubench.advise.reading import read_table
    from pubench.advise.sections import text_lines
    from pubench.advise.settings import Settings, Source
    from pubench.advise.training import train

    refuse_overwriting(out, file)
    if out.is_dir() or not out.absolute().parent.is_dir():
        # Said before the work, not after it.
        raise PubenchError(
            f"the folder of --out {out} does not exist, or {out} is a folder; give a file name"
        )
    frame, source = read_table(file, text=ids), Source.of_file(file)
    wanted = next(one for one in GOALS if one == goal)
    settings = Settings(scenario, wanted, method, prior, budget, seed)
    with comparison_progress(quiet=quiet) as on_progress:
        model = train(frame, settings, label=label, ids=ids, source=source, on_progress=on_progress)
    save(model, out)
    click.echo("\n".join(text_lines(card_sections(model.card))))
    click.echo(
        f"\nwrote {out}; next:\n  pubench predict {out} NEW.csv --out scores.csv\n  pubench explain {out}"
    )
    signals = current_signals()
    return 0 if signals.received is None else signals.code
