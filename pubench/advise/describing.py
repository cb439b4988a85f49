"""A trained model in words: what it is, which columns matter and how, and why single rows score as they do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pubench.advise.explaining import reasons
from pubench.advise.page import rendered
from pubench.advise.predicting import predict_rows, ranks
from pubench.advise.sections import Section, Table, left_out_lines
from pubench.advise.trained import Card, Curve, Importance, TrainedModel

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ExplainedRow",
    "card_sections",
    "explain_rows",
    "explanation_page",
    "explanation_sections",
    "id_columns",
    "reasons_csv",
]

_SHOWN_COLUMNS = 20
_SCENARIOS = {
    "single-training-set": "All rows together count as a sample of the population (single-training-set). If the "
    "labelled rows were collected separately from the unlabelled ones, use --scenario case-control.",
    "case-control": "The unlabelled rows count as a sample of the population (case-control). If all rows come from "
    "one sample, use --scenario single-training-set.",
}


@dataclass(frozen=True, slots=True)
class ExplainedRow:
    """One row: the cells that name it, its rank and probability, and the columns that matter most for it."""

    names: tuple[str, ...]
    rank: int
    probability: float
    reasons: tuple[str, ...]


def card_sections(card: Card) -> tuple[Section, ...]:
    """Return what a person should know of a model that was just fitted."""
    known = card.provenance
    head = f"{known.rows:,} rows, {known.labelled:,} of them labelled in column '{card.label}'."
    left_out = left_out_lines([(one.name, one.failure) for one in card.leaderboard if one.failure])
    return (
        Section("Your data", (head, *card.remarks, _SCENARIOS[card.scenario])),
        Section("Class prior", tuple(_prior_lines(card))),
        Section("Methods", table=_methods(card), notes=(_PAUC, *left_out)),
        Section("Limits", (*card.doubts, *card.limits)),
    )


_PAUC = (
    "AUC: how well held-out labelled rows rank above unlabelled ones, which also include positives; it stays below the "
    "AUC against true negatives."
)


def _prior_lines(card: Card) -> Iterator[str]:
    prior = card.prior
    if prior.low == prior.high:
        yield f"The prior is {prior.value:.3f}. {prior.assumption}"
    else:
        yield from prior.lines()


def _methods(card: Card) -> Table:
    rows = tuple(
        (one.name, _figure(one.pauc), "" if one.error is None else f"{one.error:.3f}", f"{one.weight:.2f}")
        for one in card.leaderboard
        if not one.failure
    )
    return Table(("method", "AUC", "error", "weight"), rows)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def explain_rows(model: TrainedModel, frame: pd.DataFrame) -> tuple[ExplainedRow, ...]:
    """Explain rows of a table, in the order of their ranks.

    Parameters
    ----------
    model : TrainedModel
    frame : DataFrame
        With the columns of the training data.
    """
    X = model.schema.encode(frame).X
    predicted = predict_rows(model, X)
    columns = [one.column for one in model.card.importance]
    found = reasons(model.ensemble, model.schema, X, model.typical, columns)
    ids = id_columns(model, frame)
    rows = []
    for place, (rank, why) in enumerate(zip(ranks(predicted.score), found, strict=True)):
        names = tuple(_name(frame[one].iloc[place]) for one in ids) or (str(place + 1),)
        texts = tuple(
            f"{one.column} = {_cell(frame[one.column].iloc[place])} ({one.effect:+.2f})" for one in why
        )
        rows.append(ExplainedRow(names, int(rank), float(predicted.probability[place, 0]), texts))
    return tuple(sorted(rows, key=lambda row: row.rank))


def id_columns(model: TrainedModel, frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the columns of a table that name its rows; rows are numbered if there are none."""
    return tuple(name for name in model.schema.ids if name in frame.columns)


def _name(value: object) -> str:
    return "" if value is None or value != value else str(value)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "missing" if value != value else f"{value:.4g}"
    return "missing" if value is None else str(value)


def explanation_sections(
    card: Card, importance: Sequence[Importance], where: str, rows: Sequence[ExplainedRow]
) -> tuple[Section, ...]:
    """Return the explanation of a model part by part.

    Parameters
    ----------
    card : Card
    importance : sequence of Importance
        The largest first.
    where : str
        On which rows it was measured.
    rows : sequence of ExplainedRow
        Rows to explain; none for the model alone.
    """
    shown = importance[:_SHOWN_COLUMNS]
    table = Table(
        ("column", "loss of AUC", "spread"),
        tuple((one.column, f"{one.loss:.3f}", f"{one.spread:.3f}") for one in shown),
    )
    more = len(importance) - len(shown)
    notes = (f"Loss of AUC of labelled against unlabelled rows when the column is shuffled, {where}.",)
    parts = [
        Section(
            "Feature importance", table=table, notes=(*notes, *([f"{more} more columns."] if more else []))
        )
    ]
    if card.curves:
        parts.append(Section("Partial dependence", table=_curve_table(card.curves), notes=(_CURVE_NOTE,)))
    if rows:
        parts.append(Section("Reasons", table=_reason_table(rows), notes=(_REASON_NOTE,)))
    return (*parts, Section("Limits", (*card.doubts, _ASSOCIATION, *card.limits)))


_CURVE_NOTE = (
    "The mean probability of unlabelled rows if all of them had the same value: the lowest and the highest."
)
_REASON_NOTE = (
    "In brackets: how much lower the log-odds of being positive would be if the column had its most common value; 0.7 "
    "is a factor of two in the odds."
)
_ASSOCIATION = (
    "An explanation describes the model, not causes: columns that vary together share their importance."
)


def _curve_table(curves: Sequence[Curve]) -> Table:
    rows = []
    for curve in curves:
        order = sorted(range(len(curve.values)), key=curve.probability.__getitem__)
        least, most = order[0], order[-1]
        cells = (f"{curve.probability[place]:.2f} at {curve.values[place]}" for place in (least, most))
        rows.append((curve.column, *cells))
    return Table(("column", "lowest", "highest"), tuple(rows))


def _reason_table(rows: Sequence[ExplainedRow]) -> Table:
    cells = tuple(
        (", ".join(one.names), str(one.rank), f"{one.probability:.2f}", "; ".join(one.reasons))
        for one in rows
    )
    return Table(("row", "rank", "probability", "reasons"), cells)


def reasons_csv(rows: Sequence[ExplainedRow], ids: Sequence[str] = ()) -> str:
    """Return the reasons of all rows as CSV: a row each, the most important reason first.

    Parameters
    ----------
    rows : sequence of ExplainedRow
    ids : sequence of str
        The names of the columns that name rows, as in the file of predictions; none if they are numbered.
    """
    import csv
    import io

    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    most = max((len(row.reasons) for row in rows), default=0)
    writer.writerow(
        [*(ids or ("row",)), "rank", "probability", *(f"reason_{place + 1}" for place in range(most))]
    )
    for row in rows:
        writer.writerow(
            [*row.names, row.rank, row.probability, *row.reasons, *[""] * (most - len(row.reasons))]
        )
    return file.getvalue()


def explanation_page(card: Card, sections: Sequence[Section]) -> str:
    """Render an explanation as one HTML file with pictures of partial dependence, which needs no other file."""
    title = f"Explanation of a model of {card.provenance.source}"
    pictures = [_picture(curve) for curve in card.curves]
    return rendered("explanation.html", title, sections, pictures=pictures)


@dataclass(frozen=True, slots=True)
class _Picture:
    """A curve in the coordinates of a picture: each point with its place, label, and whether points are joined."""

    column: str
    points: tuple[tuple[float, float, str, str], ...]
    joined: bool


def _picture(curve: Curve) -> _Picture:
    low, high = min(curve.positions), max(curve.positions)
    span = (high - low) or 1.0
    points = tuple(
        (round(60 + 500 * (x - low) / span, 1), round(170 - 150 * p, 1), value, f"{p:.2f}")
        for x, p, value in zip(curve.positions, curve.probability, curve.values, strict=True)
    )
    return _Picture(curve.column, points, curve.ordered)
