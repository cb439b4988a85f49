"""From the values of a column to classes, labels or a split, with the same rules for every file format."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench.errors import DataError

__all__ = [
    "Column",
    "Cut",
    "check_answer",
    "check_flag",
    "check_name",
    "class_limit",
    "refuse_truth",
    "to_classes",
    "to_labels",
    "to_split",
    "zero_or_one",
]

_WHOLE = re.compile(r"[+-]?(0|[1-9]\d*)(\.0*)?")
_LABELS = {"0": 0, "0.0": 0, "false": 0, "1": 1, "1.0": 1, "true": 1}
# 2**53: beyond it, neighbouring whole numbers are the same float.
_EXACT = 9_007_199_254_740_992


@dataclass(frozen=True, slots=True)
class Column:
    """Values with their location for messages: ``name`` such as "x.csv: column 'age'", ``at(3)`` such as "line 5"."""

    name: str
    values: NDArray[Any]
    at: Callable[[int], str]

    def missing(self) -> NDArray[np.bool_]:
        """Return which rows have no value, shape (n,)."""
        import pandas as pd

        return np.asarray(pd.isna(self.values), dtype=bool)

    def complete(self, remedy: str | None = None) -> NDArray[Any]:
        """Return the values; refuse the column if one is missing."""
        missing = self.missing()
        if missing.any():
            first, count = self.at(int(missing.argmax())), int(missing.sum())
            where, it = (
                (f"1 row, {first}", "it") if count == 1 else (f"{count} rows, first in {first}", "them")
            )
            remedy = remedy or (
                f"fill {it} in (unlabelled rows of PU data belong in a column of 1 and 0; name it with labelled)"
            )
            raise DataError(f"{self.name} has no value in {where}; {remedy}")
        return self.values

    def numbers(self, why: str) -> NDArray[np.float64]:
        """Return the values as finite numbers; raise DataError if one is not, naming the parameter ``why``."""
        values = self.complete()
        try:
            numbers = values.astype(np.float64)
        except (TypeError, ValueError) as error:
            row = next(i for i, value in enumerate(values) if not _is_number(value))
            raise DataError(
                f"{self.name} is {str(values[row])!r} in {self.at(row)}, but {why} needs numbers; correct it"
            ) from error
        if not np.isfinite(numbers).all():
            row = int(np.isfinite(numbers).argmin())
            raise DataError(
                f"{self.name} is {numbers[row]} in {self.at(row)}, but {why} needs finite numbers; correct it"
            )
        return numbers


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class Cut:
    """How a numeric target becomes two classes: ``"high"`` above a threshold, ``"low"`` up to it.

    ``quantile`` sets the threshold to that quantile (linear interpolation) of the target over all rows of the file,
    training and test rows alike: it defines the classes and is not learned from them.
    """

    threshold: float | None = None
    quantile: float | None = None

    def __post_init__(self) -> None:
        if self.threshold is not None and self.quantile is not None:
            raise DataError("threshold and quantile are both set; set one of them")
        for name in ("threshold", "quantile"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
                raise DataError(f"{name} = {value!r} is not a number")
        if self.threshold is not None and not np.isfinite(self.threshold):
            raise DataError(f"threshold = {self.threshold} is not finite")
        if self.quantile is not None and not 0 < self.quantile < 1:
            raise DataError(f"quantile = {self.quantile} must lie between 0 and 1")

    def __bool__(self) -> bool:
        return self.threshold is not None or self.quantile is not None

    def classes(self, column: Column) -> NDArray[Any]:
        """Return ``"low"`` or ``"high"`` for each row."""
        name = "quantile" if self.threshold is None else "threshold"
        numbers = column.numbers(name)
        at = (
            float(np.quantile(numbers, self.quantile))
            if self.threshold is None and self.quantile
            else self.threshold
        )
        assert at is not None
        high = numbers > at
        if high.all() or not high.any():
            raise DataError(
                f"{column.name} runs from {numbers.min():g} to {numbers.max():g}: "
                f"{name} = {getattr(self, name):g} leaves only one class; choose another"
            )
        return np.where(high, "high", "low")


def check_name(parameter: str, value: object, *, optional: bool = True) -> None:
    """Refuse a name that is not text; None is allowed if the name is optional."""
    if not isinstance(value, str) and not (optional and value is None):
        raise DataError(f"{parameter} = {value!r} is not a name; write {parameter} = '...'")


def check_flag(parameter: str, value: object) -> None:
    """Refuse a value that is neither true nor false."""
    if not isinstance(value, bool):
        raise DataError(
            f"{parameter} = {value!r} is neither true nor false; write one of them without quotes"
        )


def check_answer(target: str | None, labelled: str | None, cut: Cut) -> None:
    """Refuse names that are not text, and a target together with labels."""
    check_name("target", target)
    check_name("labelled", labelled)
    if labelled is not None:
        refuse_truth(target, cut)


def refuse_truth(target: str | None, cut: Cut) -> None:
    """Refuse parameters of classes, because real PU data have labels instead."""
    for name, value in (("target", target), ("threshold", cut.threshold), ("quantile", cut.quantile)):
        if value is not None:
            raise DataError(
                f"labelled and {name} are both set: PU data have no true classes; remove one of the two"
            )


def class_limit(n: int) -> float:
    """Return the largest number of distinct texts in a column of n rows that is not free text or a key."""
    return max(50, n / 10)


def to_classes(column: Column, cut: Cut) -> NDArray[Any]:
    """Return the class of each row: booleans, whole numbers, or text as written."""
    if cut:
        return cut.classes(column)
    values = column.complete()
    if values.dtype == object and all(isinstance(value, bool | np.bool_) for value in values):
        values = values.astype(bool)
    if values.dtype.kind in "iu" or values.dtype.kind == "b":
        classes = values
    elif values.dtype.kind == "f":
        classes = _whole(values) if (values == np.trunc(values)).all() else _texts(values)
    else:
        classes = _texts(values)
    _check_classes(column, classes)
    return classes


def _check_classes(column: Column, classes: NDArray[Any]) -> None:
    """Refuse a single class, and columns that are not classes: keys, free text and measurements."""
    distinct, n = np.unique(classes), len(classes)
    if len(distinct) == 1:
        raise DataError(
            f"{column.name} is {str(distinct[0])!r} in every row, but there must be at least two classes; "
            "choose another target"
        )
    numeric = all(_is_number(value) for value in distinct)
    # Fractional numbers that rarely repeat are measurements, however few they are.
    measured = numeric and distinct.dtype.kind not in "iub" and len(distinct) > max(2, n / 2)
    if len(distinct) > class_limit(n) or measured:
        remedy = (
            "set threshold or quantile to make two" if numeric else "set target to the column of the classes"
        )
        raise DataError(
            f"{column.name} has {len(distinct)} distinct values in {n} rows, too many for classes; {remedy}"
        )


def _whole(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(np.int64) if (np.abs(values) < _EXACT).all() else _texts(values)


def _texts(values: NDArray[Any]) -> NDArray[Any]:
    """Return text, or whole numbers if all values are: "1" and "1.0" are the class 1, "01" is not."""
    texts = np.asarray([str(value) for value in values])
    distinct = np.unique(texts).tolist()
    if all(_WHOLE.fullmatch(text) and abs(float(text)) < _EXACT for text in distinct):
        return texts.astype(np.float64).astype(np.int64)
    return texts


def to_labels(column: Column) -> NDArray[np.uint8]:
    """Return s of real PU data: 1 = labelled positive, 0 = unlabelled."""
    remedy = "write 1 (labelled positive) or 0 (unlabelled)"
    rows = range(len(column.complete(remedy)))
    s = np.asarray([zero_or_one(column, row, remedy) for row in rows], dtype=np.uint8)
    if s.all() or not s.any():
        raise DataError(
            f"{column.name} is {s[0]} in every row; PU data need both labelled (1) and unlabelled (0) rows"
        )
    return s


def zero_or_one(column: Column, row: int, remedy: str) -> int:
    """Return 0 or 1, as numbers or as false and true; raise DataError if a cell holds something else."""
    text = str(column.values[row]).lower()
    if text not in _LABELS:
        raise DataError(f"{column.name} is {str(column.values[row])!r} in {column.at(row)}; {remedy}")
    return _LABELS[text]


def to_split(column: Column) -> NDArray[Any]:
    """Return ``"train"`` or ``"test"`` for each row."""
    values = column.complete()
    split = np.asarray([str(value) for value in values])
    known = np.isin(split, ("train", "test"))
    if not known.all():
        row = int(known.argmin())
        raise DataError(f"{column.name} is {str(values[row])!r} in {column.at(row)}; write 'train' or 'test'")
    return split
