"""Rows of real PU data whose true class a person has checked: they test models, and no model learns from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pubench import GivenLabels
from pubench.errors import DataError
from pubench_datasets.targets import Column, check_name, zero_or_one

__all__ = ["check_audited", "to_given"]


def check_audited(audited: str | None, labelled: str | None, split: str | None) -> None:
    """Refuse checked classes without labels, or next to a split."""
    check_name("audited", audited)
    if audited is None:
        return
    if labelled is None:
        raise DataError("audited is for real PU data; set labelled, too, or remove audited")
    if split is not None:
        raise DataError("audited and split are both set: audited rows are the test rows; remove split")


def to_given(s: NDArray[np.uint8], column: Column) -> dict[str, GivenLabels]:
    """Return the labels, and the true class of each row that has one; -1 elsewhere."""
    blank = column.missing()
    y_test = np.full(s.size, -1, dtype=np.int8)
    for row in np.flatnonzero(~blank):
        y_test[row] = zero_or_one(column, int(row), "write 1 (positive) or 0 (negative), or leave it blank")
    for kind, label in ((1, "positive"), (0, "negative")):
        if not (y_test == kind).any():
            raise DataError(f"{column.name} has no {label} row; check some rows of both classes")
    labels = s.astype(np.int8)
    labels[~blank] = -1
    if not {0, 1} <= set(labels.tolist()):
        missing = "labelled" if 1 not in labels else "unlabelled"
        raise DataError(f"{column.name} leaves no {missing} row to learn from; leave some of them blank")
    return {"": GivenLabels(labels, y_test)}
