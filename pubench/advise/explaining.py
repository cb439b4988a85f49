"""Why a model says what it says: the importance of columns, partial dependence, and reasons for single rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench._ranking import auc_and_ap
from pubench.advise.columns import OTHER, Column
from pubench.advise.ensemble import Ensemble
from pubench.advise.labels import read_labels
from pubench.advise.schema import Encoded, Schema
from pubench.advise.trained import Curve, Importance, TrainedModel
from pubench.base import held_rows
from pubench.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Reason",
    "explained",
    "explaining_methods",
    "explaining_rows",
    "importances",
    "measured_importance",
    "partial_dependence",
    "reasons",
    "typical_row",
]

_HELD, _MOST_HELD, _MOST_MEMBERS = 1 / 3, 400, 3
_SHUFFLES, _MANY_COLUMNS = 3, 60
_CURVES, _CURVE_ROWS, _STEPS = 6, 100, 9
_MOST_ASKED = 20
Floats = NDArray[np.float64]
Labels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Reason:
    """What a column does to one row.

    Attributes
    ----------
    column : str
    effect : float
        How much lower the log-odds of being positive were if the column had its most common value. Probabilities near
        0 or 1 hardly move whatever changes, and log-odds do.
    """

    column: str
    effect: float


def explaining_rows(s: Labels, seed: int) -> NDArray[np.bool_]:
    """Return which rows explain a model, shape (n,): a third, which the fits that are explained must not see."""
    return held_rows(s, _HELD, seed)


def explaining_methods(names: Sequence[str], weights: Sequence[float]) -> tuple[str, ...]:
    """Return the heaviest methods, which stand for all of them in an explanation."""
    order = np.argsort(-np.asarray(weights), kind="stable")[:_MOST_MEMBERS]
    return tuple(names[place] for place in order)


def explained(
    schema: Schema, encoded: Encoded, s: Labels, ensemble: Ensemble, other: Ensemble
) -> tuple[tuple[Importance, ...], tuple[Curve, ...]]:
    """Explain a model that was just fitted.

    The importance of columns is measured on a third of the rows, by a model fitted on the rest: a model knows its own
    training rows too well.

    Parameters
    ----------
    schema : Schema
    encoded : Encoded
        All training rows.
    s : ndarray of shape (n,)
    ensemble : Ensemble
        Fitted on them.
    other : Ensemble
        Fitted on the rows that are not :func:`explaining_rows`.
    """
    from threadpoolctl import threadpool_limits

    seed = ensemble.random_state
    with threadpool_limits(1):
        rows = _sample(np.flatnonzero(explaining_rows(s, seed)), s, seed)
        found = importances(other, schema, encoded.X[rows], s[rows], seed=seed)
        curves = partial_dependence(ensemble, schema, encoded.X, s, [one.column for one in found[:_CURVES]])
    return found, curves


def _sample(rows: NDArray[np.int64], s: Labels, seed: int) -> NDArray[np.int64]:
    """Return at most 400 labelled and 400 unlabelled ones of some rows."""
    rng = np.random.default_rng(seed)
    parts = [rows[s[rows] == kind] for kind in (0, 1)]
    return np.sort(np.concatenate([rng.permutation(part)[:_MOST_HELD] for part in parts]))


def importances(
    ensemble: Ensemble, schema: Schema, X: Floats, s: Labels, *, seed: int
) -> tuple[Importance, ...]:
    """Return the loss of AUC of P against U when a column is shuffled, the largest first.

    All encoded columns of one original column are shuffled together.

    Parameters
    ----------
    ensemble : Ensemble
    schema : Schema
    X : ndarray of shape (n, d)
        Encoded rows, better not those of the fit.
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    seed : int
    """
    rng, source = np.random.default_rng(seed), np.asarray(schema.source)
    whole = float(auc_and_ap(ensemble.blend(X).score, s)[0])
    shuffles = _SHUFFLES if len(schema.columns) <= _MANY_COLUMNS else 1
    found = []
    for place, column in enumerate(schema.columns):
        orders = [rng.permutation(len(X)) for _ in range(shuffles)]
        # All at once: calling a model costs more than some more rows.
        changed = np.concatenate([np.where(source == place, X[order], X) for order in orders])
        scores = ensemble.blend(changed).score.reshape(shuffles, len(X))
        losses = [whole - float(auc_and_ap(one, s)[0]) for one in scores]
        found.append(Importance(column.name, float(np.mean(losses)), float(np.std(losses))))
    return tuple(sorted(found, key=lambda one: -one.loss))


def measured_importance(
    model: TrainedModel, frame: pd.DataFrame | None
) -> tuple[tuple[Importance, ...], str]:
    """Return the importance of columns on a table with labels, else that of the fit, and where it was measured."""
    card = model.card
    if frame is None or card.label not in frame.columns:
        return card.importance, "on rows held out of a fit"
    try:
        s = read_labels(frame[card.label], card.label)
    except DataError:
        # New rows often come with an empty label column, and the explanation needs no labels.
        return (
            card.importance,
            f"on rows held out of a fit, because column '{card.label}' of the file does not mark labelled rows",
        )
    rows = _sample(np.arange(len(s)), s, card.seed)
    X = model.schema.encode(frame.iloc[rows]).X
    return importances(model.ensemble, model.schema, X, s[rows], seed=card.seed), "on the rows of the file"


def partial_dependence(
    ensemble: Ensemble, schema: Schema, X: Floats, s: Labels, columns: Sequence[str]
) -> tuple[Curve, ...]:
    """Return how the mean probability of some unlabelled rows depends on one column each.

    Parameters
    ----------
    ensemble, schema
        See :func:`importances`.
    X : ndarray of shape (n, d)
    s : ndarray of shape (n,)
    columns : sequence of str
        Original columns.
    """
    rng = np.random.default_rng(ensemble.random_state)
    rows = X[np.sort(rng.permutation(np.flatnonzero(s == 0))[:_CURVE_ROWS])]
    source, names = np.asarray(schema.source), [column.name for column in schema.columns]
    curves = []
    for name in columns:
        place = names.index(name)
        block = np.flatnonzero(source == place)
        grid = list(_grid(schema.columns[place], X[:, block]))
        changed = np.tile(rows, (len(grid), 1, 1))
        for part, step in zip(changed, grid, strict=True):
            part[:, block[: len(step.cells)]] = step.cells
        found = ensemble.predict_proba(changed.reshape(-1, X.shape[1]))[:, 1]
        means = found.reshape(len(grid), len(rows)).mean(axis=1)
        labels, positions = tuple(step.label for step in grid), tuple(step.position for step in grid)
        ordered = schema.columns[place].kind in ("number", "date")
        curves.append(Curve(name, labels, positions, tuple(map(float, means)), ordered))
    return tuple(curves)


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """One value of a column: its text, where it is drawn, and its first encoded cells."""

    label: str
    position: float
    cells: Floats


def _grid(column: Column, block: Floats) -> Iterator[_Step]:
    """Yield the values of a column to try: quantiles of numbers and dates, all categories."""
    match column.kind:
        case "number" | "date":
            for value in np.unique(np.quantile(block[:, 0], np.linspace(0.05, 0.95, _STEPS))):
                original = column.original(float(value))
                yield _Step(_number_text(column, original), original, np.array([value]))
        case "flag":
            first = column.categories[0] if len(column.categories) > 1 else f"not {column.categories[-1]}"
            yield _Step(first, 0.0, np.zeros(1))
            yield _Step(column.categories[-1], 1.0, np.ones(1))
        case "category":
            names = (*column.categories, OTHER) if column.other else column.categories
            for place, name in enumerate(names):
                yield _Step(name, float(place), np.eye(len(names))[place])


def _number_text(column: Column, value: float) -> str:
    if column.kind == "date" and column.parts[0] == "days":
        return str(np.datetime64(int(value), "D"))
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"


def typical_row(schema: Schema, X: Floats, s: Labels) -> Floats:
    """Return an encoded row in which every column has its most common value in U, shape (d,).

    A number or date has its median; the encoded columns of a category have their most frequent combination.
    """
    rows, source = X[s == 0], np.asarray(schema.source)
    row: Floats = np.median(rows, axis=0)
    for place, column in enumerate(schema.columns):
        if column.is_text:
            block = np.flatnonzero(source == place)
            found, counts = np.unique(rows[:, block], axis=0, return_counts=True)
            row[block] = found[counts.argmax()]
    return row


def reasons(
    ensemble: Ensemble, schema: Schema, X: Floats, typical: Floats, columns: Sequence[str], *, most: int = 3
) -> list[tuple[Reason, ...]]:
    """Return for each row the columns that change its log-odds most if they are made usual, the largest first.

    Parameters
    ----------
    ensemble, schema
        See :func:`importances`.
    X : ndarray of shape (n, d)
    typical : ndarray of shape (d,)
        See :func:`typical_row`.
    columns : sequence of str
        Original columns, the most important first; at most twenty are asked.
    most : int
        The number of reasons for a row.
    """
    source, names = np.asarray(schema.source), [column.name for column in schema.columns]
    unknown = [name for name in columns if name not in names]
    if unknown:
        raise DataError(f"the model has no column '{unknown[0]}'; fit it again")
    whole = ensemble.log_odds(X)
    asked = list(columns)[:_MOST_ASKED]
    effects = np.empty((len(X), len(asked)))
    for number, name in enumerate(asked):
        usual = np.where(source == names.index(name), typical, X)
        effects[:, number] = whole - ensemble.log_odds(usual)
    order = np.argsort(-np.abs(effects), axis=1, kind="stable")[:, :most]
    return [
        tuple(Reason(asked[place], float(row[place])) for place in places if row[place] != 0.0)
        for row, places in zip(effects, order, strict=True)
    ]
