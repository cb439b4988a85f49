"""``pubench explain``: which columns a model uses, how, and why rows score as they do."""

from __future__ import annotations

from pathlib import Path

import click

from pubench.cli.options import refuse_overwriting

__all__ = ["explain"]


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write a page with pictures.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the reasons of all rows as CSV.",
)
@click.option(
    "--top", type=click.IntRange(min=1), default=10, show_default=True, help="How many rows of FILE to show."
)
def explain(model: Path, file: Path | None, html: Path | None, out: Path | None, top: int) -> None:
    """Explain MODEL, and the rows of FILE if it is given.

    The importance of a column is the loss of AUC of labelled against unlabelled rows when it is shuffled: on rows held
    out of a fit, or on FILE if that has the label column. Reasons of a row are the columns that matter most for it.
    """
    from pubench.advise.archive import load
    from pubench.advise.describing import (
        explain_rows,
        explanation_page,
        explanation_sections,
        id_columns,
        reasons_csv,
    )
    from pubench.advise.explaining import measured_importance
    from pubench.advise.reading import read_table
    from pubench.advise.sections import text_lines
    from pubench.advise.settings import Source
    from pubench.data.cache import write_atomically

    for written in (out, html):
        refuse_overwriting(written, model, file)
    trained = load(model)
    if file is None and out is not None:
        raise click.UsageError("--out writes the reasons of the rows of FILE; give FILE, or remove --out")
    frame = None if file is None else read_table(file, text=trained.schema.text)
    known = file is not None and Source.of_file(file).digest == trained.card.provenance.digest
    if known:
        click.echo(
            "Caution: FILE is the training table, so its probabilities are overconfident. Importance is measured on "
            "held-out rows; `pubench predict --unlabelled` scores each row by models that did not see it."
        )
    rows = () if frame is None else explain_rows(trained, frame)
    importance, where = measured_importance(trained, None if known else frame)
    sections = explanation_sections(trained.card, importance, where, rows[:top])
    click.echo("\n".join(text_lines(sections)))
    if out is not None and frame is not None:
        write_atomically(out, reasons_csv(rows, id_columns(trained, frame)))
        click.echo(f"wrote {out}")
    if html is not None:
        write_atomically(html, explanation_page(trained.card, sections))
        click.echo(f"wrote {html}")
