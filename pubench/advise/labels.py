"""The label column of a person's table: which rows are known positives, and which are unlabelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.advise.cells import distinct_text
from pubench.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FEW", "few_doubt", "few_labels", "read_labels"]

FEW = 20
"""With fewer labelled rows than this, everything that is said is doubtful."""
_LABELLED = frozenset(
    ("1", "yes", "y", "true", "t", "x", "p", "pos", "positive", "+", "+1", "known", "labelled", "labeled")
)
_UNLABELLED = frozenset(
    (
        "0",
        "-1",
        "no",
        "n",
        "false",
        "f",
        "u",
        "unknown",
        "unlabelled",
        "unlabeled",
        "-",
        "none",
        "neg",
        "negative",
    )
)
_SHOWN = 4


def read_labels(column: pd.Series, name: str) -> NDArray[np.uint8]:
    """Return which rows are labelled positives.

    Parameters
    ----------
    column : Series of shape (n,)
        ``1/0``, ``1/blank``, ``yes/no``, ``yes/blank``, ``true/false``, ``1/-1``, or any single value and blank cells.
    name : str
        What to call the column in messages.

    Returns
    -------
    ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled. No row is dropped: a blank cell means unlabelled.

    Raises
    ------
    DataError
        If the column is an id or has more than two values, if it is unclear which value means "labelled", or if no
        rows or all rows are labelled.
    """
    codes, values = _distinct(column, name)
    blank = int(np.count_nonzero(codes < 0))
    _refuse_many(name, values, blank, len(codes))
    words = [value.lower() for value in values]
    labelled = [word in _LABELLED for word in words]
    unlabelled = [word in _UNLABELLED for word in words]
    if len(values) == 1 and blank and not unlabelled[0]:
        # A date, a name or a remark in some cells, and nothing elsewhere, marks these rows.
        labelled = [True]
    if len(values) == 2 and sum(labelled) + sum(unlabelled) != 2:
        raise DataError(
            f"label column '{name}' contains '{values[0]}' and '{values[1]}', and it is unclear which of them means "
            "labelled; write 1 for labelled positives and 0 for all other rows"
        )
    s = np.append(labelled, False)[codes].astype(np.uint8)
    _refuse_one_sided(name, s)
    return s


def few_labels(s: NDArray[np.uint8]) -> str | None:
    """Return a sentence of doubt if there are few labelled rows, else None."""
    return few_doubt(int(np.count_nonzero(s)))


def few_doubt(n_p: int) -> str | None:
    """Return a sentence of doubt if so many labelled rows are few, else None."""
    if n_p >= FEW:
        return None
    rows = "1 row is" if n_p == 1 else f"{n_p} rows are"
    return (
        f"Only {rows} labelled: every figure is very uncertain, and methods can hardly be distinguished. "
        f"Label at least {FEW} positives, better 100, if you can."
    )


def _distinct(column: pd.Series, name: str) -> tuple[NDArray[np.intp], list[str]]:
    """Return the number of each cell's value (-1 = blank), and the values as text; upper and lower case are alike."""
    try:
        codes, texts = distinct_text(column)
    except TypeError as error:
        raise DataError(
            f"label column '{name}': {error}; write 1 for labelled positives and 0 for all other rows"
        ) from None
    places = {text.lower(): place for place, text in reversed(list(enumerate(texts)))}
    values = sorted(places.values())
    merged = np.searchsorted(values, [places[text.lower()] for text in texts])
    return np.append(merged, -1)[codes], [texts[place] for place in values]


def _refuse_many(name: str, values: list[str], blank: int, n: int) -> None:
    """Refuse a column with more than two kinds of cells."""
    if len(values) + (blank > 0) <= 2:
        return
    if len(values) == 2:
        raise DataError(
            f"label column '{name}' contains '{values[0]}', '{values[1]}' and {blank:,} blank cells, and it is unclear "
            "which rows are unlabelled; write 1 for labelled positives and 0 for all other rows (known negatives are "
            "used as unlabelled rows)"
        )
    shown = ", ".join(f"'{value}'" for value in values[:_SHOWN])
    if len(values) > max(10, n / 10):
        raise DataError(
            f"label column '{name}' has {len(values):,} different values ({shown}, ...) in {n:,} rows, like an id or a "
            "measurement; name the column that says which rows are known positives"
        )
    more = ", ..." if len(values) > _SHOWN else ""
    raise DataError(
        f"label column '{name}' has {len(values):,} different values ({shown}{more}); "
        "write 1 for labelled positives and 0 for all other rows"
    )


def _refuse_one_sided(name: str, s: NDArray[np.uint8]) -> None:
    if not s.any():
        raise DataError(
            f"label column '{name}' marks no row as labelled; write 1 (or yes) in the rows that are known positives"
        )
    if s.all():
        raise DataError(
            f"label column '{name}' marks all {len(s):,} rows as labelled positives, and there is nothing to compare "
            "them with; add unlabelled rows, with 0 or a blank cell in this column"
        )
