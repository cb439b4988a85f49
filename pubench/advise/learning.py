"""Learning what the columns of a table are: numbers, categories, dates, flags, ids, or of no use."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.advise.cells import date_format, dates, decimal_mark, distinct_text, is_date, numbers
from pubench.advise.columns import PARTS, Column, date_parts
from pubench.advise.delimited import refuse_duplicates
from pubench.advise.schema import Dropped, Schema
from pubench.advise.skewness import learn_unskewing
from pubench.errors import DataError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_CATEGORIES", "Learned", "learn_columns"]

MOST_CATEGORIES = 30
_RARE = 3
"""A category in fewer rows than this is not encoded by itself."""
_FLAGGED = 0.01
_CLEARLY = 3.0
"""Standard errors by which the shares of missing cells in P and U must differ."""
_ID_NAME = re.compile(r"(?i)(.*[\W_])?(ids?|uuid|guid|key|nr|no|number|index|rowid|row)|.*[a-z]I[dD]|.*ID")
_ID_SHARE = 0.5
_TEXT_SHARE = 0.5
_ALL_DISTINCT = 0.95
_ENOUGH = 20
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Learned:
    """The schema, and what is worth a sentence about it.

    Attributes
    ----------
    schema : Schema
    id_like : tuple of str
        Columns that look like ids, although nobody said so.
    distinct : tuple of (str, int)
        Categories with more values than are encoded, and how many they have.
    unreadable : tuple of (str, int, str)
        Columns of numbers or dates with other cells, their number, and one of them.
    """

    schema: Schema
    id_like: tuple[str, ...] = ()
    distinct: tuple[tuple[str, int], ...] = ()
    unreadable: tuple[tuple[str, int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """What one column is: one of the first three, and what to say about it."""

    column: Column | None = None
    id_like: bool = False
    dropped: str = ""
    distinct: int = 0
    unreadable: int = 0
    example: str = ""


def learn_columns(
    frame: pd.DataFrame, label: str | None, ids: tuple[str, ...], s: NDArray[np.uint8] | None = None
) -> Learned:
    """Learn a schema from a table whose column names are text; see :func:`learn_schema`."""
    names = tuple(str(name) for name in frame.columns)
    refuse_duplicates("the table", names)
    _check_roles(names, label, ids)
    found = {name: _understood(frame[name], name) for name in names if name != label and name not in ids}
    if s is not None:
        found = {name: _flagged_by(one, frame[name], s) for name, one in found.items()}
    found = _without_copies(found, frame)
    id_like = tuple(name for name, one in found.items() if one.id_like)
    schema = Schema(
        columns=tuple(one.column for one in found.values() if one.column is not None),
        ids=(*ids, *id_like),
        dropped=tuple(Dropped(name, one.dropped) for name, one in found.items() if one.dropped),
    )
    if not schema.columns:
        raise DataError(
            "no column of the table can be used: all are ids, constant, empty or free text; "
            "add columns that describe the rows"
        )
    return Learned(
        schema,
        id_like,
        tuple((name, one.distinct) for name, one in found.items() if one.distinct),
        tuple((name, one.unreadable, one.example) for name, one in found.items() if one.unreadable),
    )


def _without_copies(found: dict[str, _Found], frame: pd.DataFrame) -> dict[str, _Found]:
    """Drop columns whose cells are those of an earlier column: they would only count twice."""
    from pandas.util import hash_pandas_object

    first: dict[bytes, str] = {}
    kept = dict(found)
    for name in (name for name, one in found.items() if one.column is not None):
        cells = hash_pandas_object(frame[name], index=False).to_numpy()
        original = first.setdefault(hashlib.sha256(cells.tobytes()).digest(), name)
        if original != name:
            kept[name] = _Found(dropped=f"it has the same cells as '{original}'")
    return kept


def _flagged_by(found: _Found, cells: pd.Series, s: NDArray[np.uint8]) -> _Found:
    """Drop the flag of missing cells where they are about as frequent in labelled as in unlabelled rows.

    Flags that say nothing are noise to learners, and a table with many gaps has many of them.
    """
    column = found.column
    if column is None or not column.flagged:
        return found
    missing = distinct_text(cells)[0] < 0 if column.is_text else cells.isna().to_numpy()
    share, sizes = missing.mean(), np.bincount(s, minlength=2)
    difference = abs(missing[s == 1].mean() - missing[s == 0].mean())
    error = np.sqrt(share * (1 - share) * (1 / sizes).sum())
    return found if difference >= _CLEARLY * error else replace(found, column=replace(column, flagged=False))


def _check_roles(names: tuple[str, ...], label: str | None, ids: tuple[str, ...]) -> None:
    for role, name in (*((("label", label),) if label is not None else ()), *(("id", name) for name in ids)):
        if name not in names:
            raise DataError(f"the table has no column '{name}' ({role}){did_you_mean(str(name), names)}")
    if label in ids:
        raise DataError(f"column '{label}' cannot be the label and an id; name another column")


def _understood(cells: pd.Series, name: str) -> _Found:
    """Return what one column is."""
    try:
        if cells.dtype.kind == "c":
            raise TypeError
        if cells.dtype.kind == "m":
            cells = cells.dt.total_seconds() / 86400.0
        missing = float(cells.isna().mean())
        if missing == 1.0:
            return _Found(dropped="it is empty")
        if is_date(cells):
            return _date(cells, name, "ISO8601")
        mark = decimal_mark(cells)
        if mark is not None:
            return _number(cells, name, mark)
        form = date_format(cells)
        return _category(cells, name) if form is None else _date(cells, name, form)
    except TypeError:
        return _Found(dropped="its cells are neither numbers nor text")


def _number(cells: pd.Series, name: str, mark: str) -> _Found:
    found = numbers(cells, mark)
    known = found.values[~np.isnan(found.values)]
    if not len(known):
        return _Found(dropped="it has no finite number")
    if known.min() == known.max():
        return _constant(cells, name, len(known))
    if _is_row_number(known, len(cells), name):
        return _Found(id_like=True)
    column = _scaled(name, "number", found.values[:, np.newaxis], mark)
    if column is None:
        return _Found(dropped="its numbers are too large or too close to each other")
    return _Found(column, unreadable=found.unreadable, example=found.example)


def _constant(cells: pd.Series, name: str, n_known: int) -> _Found:
    """One value: of no use if it is in all cells, else a flag."""
    _, texts = distinct_text(cells)
    if n_known == len(cells) or len(texts) != 1:
        return _Found(dropped="it is constant")
    return _Found(Column(name, "flag", 1.0 - n_known / len(cells), categories=(texts[0],)))


def _is_row_number(known: Floats, n: int, name: str) -> bool:
    """Whether whole numbers only name rows: they are consecutive, or distinct in a column named like an id."""
    if n < _ENOUGH or (known != np.floor(known)).any():
        return False
    distinct = len(np.unique(known)) / len(known)
    if _ID_NAME.fullmatch(name):
        return distinct >= _ID_SHARE
    return distinct == 1.0 and bool(known.max() - known.min() < 1.5 * len(known))


def _scaled(name: str, kind: str, values: Floats, form: str, parts: tuple[str, ...] = ()) -> Column | None:
    """Return a column of numbers or of parts of dates, shape (n, k); None if its scale is not a usable number."""
    missing = float(np.isnan(values[:, 0]).mean())
    known = values[~np.isnan(values[:, 0])]
    fill = np.median(known, axis=0)
    filled = np.where(np.isnan(values), fill, values)
    with np.errstate(over="ignore", invalid="ignore"):
        mean, scale = filled.mean(axis=0), filled.std(axis=0)
    if not (np.isfinite(scale) & (scale > 1e-12 * np.abs(mean))).all():
        return None
    return Column(
        name,
        "date" if kind == "date" else "number",
        missing=missing,
        flagged=missing >= _FLAGGED,
        parts=parts,
        form=form,
        fill=_floats(fill),
        mean=_floats(mean),
        scale=_floats(scale),
        low=_floats(known.min(axis=0)),
        high=_floats(known.max(axis=0)),
        unskewing=learn_unskewing((filled[:, 0] - mean[0]) / scale[0]) if kind == "number" else None,
    )


def _floats(values: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _date(cells: pd.Series, name: str, form: str) -> _Found:
    times, wrong = dates(cells, form)
    values = date_parts(times, PARTS)
    known = values[~np.isnan(values[:, 0])]
    varies = known.min(axis=0) < known.max(axis=0)
    if not varies.any():
        return _constant(cells, name, len(known))
    parts = tuple(part for part, one in zip(PARTS, varies, strict=True) if one)
    return _Found(_scaled(name, "date", values[:, varies], form, parts), unreadable=wrong)


def _category(cells: pd.Series, name: str) -> _Found:
    codes, texts = distinct_text(cells)
    known = int(np.count_nonzero(codes >= 0))
    if known == 0:
        return _Found(dropped="it is empty")
    if len(texts) == 1:
        return _constant(cells, name, known)
    if len(texts) > MOST_CATEGORIES and len(texts) > _TEXT_SHARE * known:
        spaces = np.mean([" " in text for text in texts[:1000]])
        if len(texts) >= _ALL_DISTINCT * known and spaces < _TEXT_SHARE:
            return _Found(id_like=True)
        return _Found(
            dropped=f"it is text with {len(texts):,} different values in {known:,} rows, which methods cannot use; "
            "turn it into numbers or a few categories"
        )
    missing = 1.0 - known / len(cells)
    if len(texts) == 2:
        return _Found(Column(name, "flag", missing, missing >= _FLAGGED, _flag_order(texts)))
    return _encoded_categories(name, codes, texts, missing)


def _flag_order(texts: list[str]) -> tuple[str, ...]:
    """Return two values, the one that is 1 last: "yes" after "no", "true" after "false"."""
    return tuple(sorted(texts, key=lambda text: (text.lower() in ("yes", "true", "y", "t", "1"), text)))


def _encoded_categories(name: str, codes: NDArray[np.intp], texts: list[str], missing: float) -> _Found:
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    order = sorted(range(len(texts)), key=lambda place: (-counts[place], texts[place]))
    kept = [place for place in order[:MOST_CATEGORIES] if counts[place] >= _RARE] or order[:MOST_CATEGORIES]
    other = float((counts.sum() - counts[kept].sum()) / len(codes))
    column = Column(
        name, "category", missing, missing >= _FLAGGED, tuple(texts[place] for place in kept), other
    )
    return _Found(column, distinct=len(texts) if len(texts) > len(kept) else 0)
