"""Whether the parts of a model file fit together: lengths, sizes, and numbers that a model can have."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from pubench.advise.ensemble import Member
from pubench.advise.schema import Schema
from pubench.advise.skewness import EXPONENTS, Unskewing
from pubench.advise.trained import TrainedModel, TrainingRows
from pubench.specs import Array

__all__ = ["check_structure"]


def check_structure(model: TrainedModel, unknown: Collection[str]) -> None:
    """Refuse a model whose parts contradict each other.

    Parameters
    ----------
    model : TrainedModel
    unknown : collection of str
        The names of parts that no model has.

    Raises
    ------
    ValueError
        With the first contradiction.
    """
    problem = next(_problems(model, unknown), None)
    if problem is not None:
        raise ValueError(problem)


def _problems(model: TrainedModel, unknown: Collection[str]) -> Iterator[str]:
    if unknown:
        yield f"unknown part '{min(unknown)}'"
    width = len(model.schema.names)
    if not model.schema.columns or not model.ensemble.members_:
        yield "no columns or no methods"
    if model.ensemble.n_features_in_ != width or model.typical.shape != (width,):
        yield f"the model takes {model.ensemble.n_features_in_} encoded columns, and its table has {width}"
    yield from _schema_problems(model.schema, width)
    yield from _training_problems(model.training, model.card.provenance.rows, len(model.schema.ids))
    for member in model.ensemble.members_:
        merged = sum(len(group) - 1 for group in model.schema.groups) if member.takes_codes else 0
        yield from _member_problems(member, width - merged)
    if abs(sum(member.weight for member in model.ensemble.members_) - 1) > 1e-6:
        yield "the weights of methods do not add up to 1"


def _schema_problems(schema: Schema, width: int) -> Iterator[str]:
    for column in schema.columns:
        sizes = {"number": 1, "date": len(column.parts), "category": 0, "flag": 0}[column.kind]
        figures = (column.fill, column.mean, column.scale, column.low, column.high)
        if any(len(one) != sizes or not np.isfinite(one).all() for one in figures):
            yield f"column '{column.name}' has figures of another length"
        if 0.0 in column.scale or (column.is_text and not column.categories):
            yield f"column '{column.name}' cannot be encoded"
        if column.unskewing is not None and not _is_usable(column.unskewing):
            yield f"column '{column.name}' is transformed in an unknown way"
    for one in schema.fillings:
        if not 0 <= one.place < width or len(one.weights) != width:
            yield "missing cells are filled by a rule for other columns"


def _training_problems(training: TrainingRows, rows: int, ids: int) -> Iterator[str]:
    shapes = [
        one.shape for one in (training.s, training.unseen.score, training.unseen.vote, training.decided)
    ]
    if any(shape != (rows,) for shape in shapes) or training.ids.ndim != 2 or training.ids.shape[0] > ids:
        yield f"scores or ids are not those of {rows} training rows"
    elif training.ids.shape[0] and training.ids.shape[1] != rows:
        yield f"ids are not those of {rows} training rows"
    elif not (_is_finite(training.unseen.score) and _is_finite(training.unseen.vote)):
        yield "scores of training rows are not finite"
    elif not (_is_binary(training.s) and _is_binary(training.decided)) or len(np.unique(training.s)) != 2:
        yield "labels or decisions are not 0 and 1"


def _member_problems(member: Member, width: int) -> Iterator[str]:
    if member.reference.ndim != 1 or not member.reference.size or not _is_finite(member.reference):
        yield f"method '{member.name}' has no scores to compare with"
    elif (np.diff(member.reference) < 0).any():
        yield f"the scores of method '{member.name}' are not in order"
    if not 0 <= member.weight <= 1 + 1e-9:
        yield f"method '{member.name}' has the weight {member.weight}"
    if getattr(member.model, "n_features_in_", width) != width:
        yield f"method '{member.name}' was fitted to other columns"


def _is_usable(unskewing: Unskewing) -> bool:
    low, high = EXPONENTS
    return (
        low <= unskewing.exponent <= high
        and bool(np.isfinite(unskewing.mean))
        and 0 < unskewing.scale < np.inf
    )


def _is_finite(values: Array) -> bool:
    return bool(np.isfinite(values).all())


def _is_binary(values: Array) -> bool:
    return bool(np.isin(values, (0, 1)).all())
