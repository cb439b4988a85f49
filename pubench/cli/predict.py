"""``pubench predict``: ranks, probabilities and decisions for new rows."""

from __future__ import annotations

from pathlib import Path

import click

from pubench.cli.budget import rows_progress
from pubench.cli.options import refuse_overwriting

__all__ = ["predict"]


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The CSV file to write."
)
@click.option(
    "--unlabelled",
    is_flag=True,
    help="Instead of FILE, the unlabelled rows of the fit, each by models that did not see it.",
)
def predict(model: Path, file: Path | None, out: Path, unlabelled: bool) -> None:
    """Predict the rows of FILE with MODEL: id, rank, probability, its interval (low, high), and decision.

    CSV and Parquet files may be larger than memory. Unknown categories and values outside the training range are
    reported; a missing column is an error.
    """
    from pubench.advise.archive import load
    from pubench.advise.predicting import predict_file

    if unlabelled == (file is not None):
        raise click.UsageError("give FILE, or --unlabelled for the unlabelled rows of the fit, and not both")
    refuse_overwriting(out, model, file)
    trained = load(model)
    doubts = [f"Caution: {doubt}" for doubt in trained.card.doubts]
    if file is None:
        from pubench.advise.predicting import predict_unlabelled
        from pubench.data.cache import write_atomically

        found = predict_unlabelled(trained)
        write_atomically(out, found.to_csv(index=False))
        click.echo(f"{len(found):,} unlabelled rows, {int(found.decision.sum()):,} of them called positive")
        click.echo("\n".join([*doubts, f"wrote {out}"]))
        return
    from pubench.advise.settings import Source

    if Source.of_file(file).digest == trained.card.provenance.digest:
        click.echo(
            "Caution: FILE is the training table, so its probabilities are overconfident; use --unlabelled."
        )
    written = predict_file(trained, file, out, on_progress=rows_progress())
    serious = [drift for drift in written.drift if drift.serious]
    for drift in serious:
        click.echo(f"Serious: {drift.sentence}.")
    click.echo(f"{written.rows:,} rows, {written.positive:,} of them called positive")
    about, low, high = (f"{count:,.0f}" for count in written.expected)
    spread = "" if low == high else f" ({low} to {high} over the plausible range of the prior)"
    click.echo(f"By their probabilities, about {about} are positive{spread}")
    cut = trained.ensemble.cut_probability
    if cut is not None:
        click.echo(f"Decision 1 means a probability of {cut:.3f} or more")
    for doubt in doubts:
        click.echo(doubt)
    for name in written.lost_ids:
        click.echo(f"'{name}' is missing; it only names rows")
    if written.short is not None and written.short.count:
        lines = "1 line has" if written.short.count == 1 else f"{written.short.count:,} lines have"
        click.echo(
            f"Caution: {lines} fewer cells than the header (first: line {written.short.first}); the cells that are not "
            "there count as missing."
        )
    unread = {drift.column for drift in serious}
    for drift in written.drift:
        if drift.notable and drift.column not in unread:
            click.echo(f"Drift: {drift.sentence}.")
    click.echo(f"wrote {out}")
