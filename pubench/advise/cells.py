"""What the cells of a column are: numbers in any notation, dates, or text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "DATE_FORMATS",
    "Numbers",
    "date_format",
    "dates",
    "decimal_mark",
    "distinct_text",
    "is_date",
    "numbers",
]

Floats = NDArray[np.float64]

_NOTATIONS = {
    # Thousands may be marked by the other sign, by a space or an apostrophe.
    ".": re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d{1,3}([ '\u00a0]\d{3})+|\d*)(\.\d*)?([eE][+-]?\d+)?\s?%?"),
    ",": re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d{1,3}([ '\u00a0]\d{3})+|\d*)(,\d*)?([eE][+-]?\d+)?\s?%?"),
}
_MARKS = re.compile(r"[ '\u00a0%+]")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
_CODE = re.compile(r"0\d+")
"""Digits with a leading zero, such as postal codes, are names."""
_MOSTLY = 0.9
"""A column of text holds numbers if at least this share of its cells does."""

DATE_FORMATS = (
    "ISO8601",
    *(f"{day}{time}" for day in ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d")
      for time in ("", " %H:%M", " %H:%M:%S")),
)  # fmt: skip
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?")


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """The cells of a column as numbers, shape (n,): NaN where a cell is missing or is not a finite number.

    ``unreadable`` counts the cells that hold something else than a finite number, such as the given ``example``.
    """

    values: Floats
    unreadable: int = 0
    example: str = ""


def distinct_text(column: pd.Series) -> tuple[NDArray[np.intp], list[str]]:
    """Return the number of each cell's text among the distinct ones (-1 = missing), and these.

    Whole numbers have no decimal point, spaces around text do not count, and a blank cell is missing.

    Raises
    ------
    TypeError
        If cells hold lists or other values that are neither numbers nor text.
    """
    import pandas as pd

    codes, values = pd.factorize(column)
    texts = [_plain(value) for value in values]
    again, distinct = pd.factorize(np.asarray([text or None for text in texts], dtype=object))
    return np.append(again, -1)[codes], [str(text) for text in distinct]


def _plain(value: object) -> str:
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    if not isinstance(value, str | int | float | np.generic) and not hasattr(value, "isoformat"):
        raise TypeError(f"{type(value).__name__} is neither a number nor text")
    return str(value).strip()


def decimal_mark(column: pd.Series) -> str | None:
    """Return "." or "," if the cells are numbers written in that way, None if they are text."""
    from pandas.api import types

    if types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype):
        return "."
    codes, texts = distinct_text(column)
    if any(map(_CODE.fullmatch, texts)):
        return None
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    # Where both notations read all cells, "1,234" is a thousand and more.
    grouped = all(_THOUSANDS.fullmatch(text) for text in texts if "," in text)
    marks = (".", ",") if grouped else (",", ".")
    shares = {mark: _share(texts, counts, mark) for mark in marks}
    best = max(marks, key=lambda mark: shares[mark])
    return best if shares[best] >= _MOSTLY else None


def _share(texts: list[str], counts: NDArray[np.intp], mark: str) -> float:
    readable = [not np.isnan(_number(text, mark)) for text in texts]
    return float(counts[readable].sum() / max(counts.sum(), 1))


def _number(text: str, mark: str) -> float:
    """Return a number in a notation; NaN if the text is not one."""
    try:
        if _NOTATIONS[mark].fullmatch(text):
            plain = _MARKS.sub("", text).replace("," if mark == "." else ".", "").replace(mark, ".")
            value = float(plain) / (100.0 if text.endswith("%") else 1.0)
            return value if np.isfinite(value) else np.nan
    except ValueError:
        pass
    return np.nan


def numbers(column: pd.Series, mark: str) -> Numbers:
    """Return the cells of a column as numbers; ``mark`` is its decimal mark where they are text."""
    from pandas.api import types

    if types.is_numeric_dtype(column.dtype) and column.dtype.kind != "c":
        values = column.to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
        infinite = np.isinf(values)
        values[infinite] = np.nan
        return Numbers(values, int(infinite.sum()), "inf" if infinite.any() else "")
    codes, texts = distinct_text(column)
    parsed = np.asarray([_number(text, mark) for text in texts] + [np.nan])
    unreadable = np.isnan(parsed[:-1])
    example = texts[int(unreadable.argmax())] if unreadable.any() else ""
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    return Numbers(parsed[codes], int(counts[unreadable].sum()), example)


def is_date(column: pd.Series) -> bool:
    """Return whether a column holds points in time by its type."""
    from pandas.api import types

    return types.is_datetime64_any_dtype(column.dtype) or (
        column.dtype == object
        and types.infer_dtype(column, skipna=True) in {"date", "datetime", "datetime64"}
    )


def date_format(column: pd.Series) -> str | None:
    """Return the first format that reads all cells as dates, None if there is none."""
    if is_date(column):
        return "ISO8601"
    _, texts = distinct_text(column)
    if not texts or not all(map(_DATE.fullmatch, texts)):
        return None
    return next((form for form in DATE_FORMATS if not np.isnat(_times(texts, form)).any()), None)


def _times(texts: list[str], form: str) -> NDArray[np.datetime64]:
    import pandas as pd

    found = pd.to_datetime(pd.Series(texts, dtype=object), format=form, errors="coerce", utc=True)
    return found.dt.tz_localize(None).to_numpy(dtype="datetime64[s]", copy=True)


def dates(column: pd.Series, form: str) -> tuple[NDArray[np.datetime64], int]:
    """Return points in time in seconds, shape (n,), NaT where a cell is missing or not a date; and how many are not.

    Cells of type datetime, and texts such as 2026-03-31, are read whatever the format: they have one meaning only.
    """
    codes, texts = distinct_text(column)
    times = _times(texts, form) if texts else np.empty(0, dtype="datetime64[s]")
    iso = [place for place in np.flatnonzero(np.isnat(times)) if _ISO_DATE.match(texts[place])]
    if iso:
        times[iso] = _times([texts[place] for place in iso], "ISO8601")
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    nothing = np.asarray(["NaT"], dtype="datetime64[s]")
    return np.concatenate([times, nothing])[codes], int(counts[np.isnat(times)].sum())
