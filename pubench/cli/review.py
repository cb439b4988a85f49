"""``pubench review``: rows to check by hand, and what the answers say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pubench.cli.options import refuse_overwriting

if TYPE_CHECKING:
    from pubench.advise.trained import ReviewResult

__all__ = ["review"]


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option(
    "-n", "number", type=click.IntRange(min=1), default=50, show_default=True, help="How many rows to choose."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The CSV of rows to fill in; with --answers, the updated model [default: MODEL itself].",
)
@click.option(
    "--answers", type=click.Path(path_type=Path), metavar="FILE", help="The CSV that was filled in."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
def review(
    model: Path, file: Path | None, number: int, out: Path | None, answers: Path | None, seed: int
) -> None:
    """Choose unlabelled rows of the fit to check by hand, or turn the answers into an estimate.

    Write yes or no in the column 'answer' of the file that --out names; leave it blank if you do not know. Then pass
    the file with --answers: it gives estimates of precision and prior, and updates the threshold and the
    probabilities. With FILE, the training table, the rows to check are written with all their columns.
    """
    refuse_overwriting(out, answers, file)
    if answers is not None:
        if file is not None:
            raise click.UsageError("FILE has no effect with --answers; remove it")
        _update(model, answers, out or model)
        return
    refuse_overwriting(out, model)
    if out is None:
        raise click.UsageError("name the file of rows to fill in with --out, or give answers with --answers")
    from pubench.advise.answers import rows_table
    from pubench.advise.archive import load
    from pubench.advise.reading import read_table
    from pubench.advise.reviewing import choose_rows
    from pubench.data.cache import write_atomically

    trained = load(model)
    frame = None if file is None else read_table(file, text=trained.schema.text)
    rows = choose_rows(trained, number, seed=seed)
    write_atomically(out, rows_table(trained, rows, frame).to_csv(index=False))
    click.echo(f"wrote {len(rows)} rows to {out}; write yes or no in the column 'answer', then:")
    click.echo(f"  pubench review {model} --answers {out}")


def _update(model: Path, answers: Path, out: Path) -> None:
    from pubench.advise.answers import ANSWER, ROW, answers_of
    from pubench.advise.archive import load, save
    from pubench.advise.reading import read_table
    from pubench.advise.reviewing import review_lines, reviewed

    trained = load(model)
    filled = read_table(answers, text=(ANSWER, ROW, *trained.schema.ids))
    found = answers_of(filled, trained)
    updated = reviewed(trained, found)
    save(updated, out)
    click.echo(
        "\n".join(
            (*review_lines(updated), *_cautions(trained.card.review, filled[ROW].nunique(), len(found)))
        )
    )
    click.echo(f"wrote {out}")


def _cautions(earlier: ReviewResult | None, rows: int, answered: int) -> Iterator[str]:
    """Yield what limits the estimate: rows without an answer, and earlier answers that it does not use."""
    if rows > answered:
        yield (
            f"Caution: {rows - answered:,} of {rows:,} rows have no answer. The intervals hold only if these rows are "
            "like those with an answer: answer them too if you can."
        )
    if earlier is not None:
        yield (
            f"Caution: the {earlier.answers:,} answers of the earlier review are replaced. To use all answers, put the "
            "rows of both files into one."
        )
