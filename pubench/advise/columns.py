"""One column of a person's table, learned from the training rows, and how its cells become numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from pubench.advise.cells import dates, distinct_text, numbers
from pubench.advise.skewness import Unskewing

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OTHER", "PARTS", "Column", "Drift", "DriftKind", "EncodedCells", "Kind", "date_parts"]

Kind = Literal["number", "category", "date", "flag"]
DriftKind = Literal["unknown", "outside", "missing", "unreadable"]
Floats = NDArray[np.float64]

OTHER = "(other)"
PARTS = ("days", "month", "weekday", "hour")
"""What a date becomes: days since 1970 with fractions, month 1 to 12, weekday 0 (Monday) to 6, hour with fractions."""
_FAR = 0.5
"""A number is far outside if it lies this share of the training range beyond its ends."""
_TOLERATED = 0.01
_ROUNDING = 1e-10
"""A number of at most this share of the mean and scale of its column is zero."""
_ISO = "YYYY-MM-DD"
_FORMS = {"%Y": "YYYY", "%m": "MM", "%d": "DD", "%H": "HH", "%M": "MM", "%S": "SS"}
_MORE = 0.05
"""Missing and rare values are notable if their share is larger than in training by more than this."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How cells of one column differ from those of the training rows.

    Attributes
    ----------
    column : str
    kind : {"unknown", "outside", "missing", "unreadable"}
        Categories that training did not have, numbers or dates far outside its range, missing cells, and cells that
        are not what the column holds (taken as missing).
    count, rows : int
        The number of such cells, of so many rows.
    expected : float
        Their share in training.
    example : str
        One of them, or empty.
    remedy : str
        How to write unreadable cells.
    blank : float
        The share of missing cells in training.
    """

    column: str
    kind: DriftKind
    count: int
    rows: int
    expected: float = 0.0
    example: str = ""
    remedy: str = ""
    blank: float = 0.0

    @property
    def serious(self) -> bool:
        """Whether most cells cannot be read, so that predictions do without the column."""
        return self.kind == "unreadable" and self.count > 0.5 * (1 - self.blank) * self.rows

    @property
    def notable(self) -> bool:
        """Whether a person should know it: a share clearly larger than in training, an unreadable or a far cell."""
        if self.kind in ("unreadable", "outside"):
            return self.count > 0
        margin = _MORE if self.kind == "missing" or self.expected > 0 else _TOLERATED
        return self.count > 0 and self.count / max(self.rows, 1) > self.expected + margin

    @property
    def sentence(self) -> str:
        """What differs, for a person."""
        share = f"{self.count:,} of {self.rows:,} rows"
        example = f", such as '{self.example}'" if self.example else ""
        if self.serious:
            return f"'{self.column}' cannot be read in {share}{example}; {self.remedy}, as in training"
        words = {
            "unknown": f"categories that are rare or absent in the training data{example}",
            "outside": f"values far outside the range of the training data{example}",
            "missing": "no value",
            "unreadable": f"cells that could not be read and count as missing{example}",
        }
        return f"'{self.column}' has {words[self.kind]} in {share} (training: {self.expected:.1%})"


@dataclass(frozen=True, slots=True, eq=False)
class EncodedCells:
    """The cells of one column as numbers, shape (n, k), which of them were missing, shape (n,), and how they differ."""

    block: Floats
    missing: NDArray[np.bool_]
    drift: tuple[Drift, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """What is known about one column, and needed to encode it.

    Attributes
    ----------
    name : str
    kind : {"number", "category", "date", "flag"}
        A flag has at most two values.
    missing : float
        The share of missing cells in training.
    flagged : bool
        Whether "is missing" is an encoded column of its own: it is if labelled rows differ in it.
    categories : tuple of str
        Of a category, those that are encoded, the most frequent first; of a flag, the value that is 1, last.
    other : float
        The share of training cells whose category is not encoded: they and unknown ones share one column. It is 0 if
        all are encoded; unknown categories are then zeros.
    parts : tuple of str
        Of a date, those of ``PARTS`` that vary.
    form : str
        Of a number the decimal mark, of a date its format.
    fill, mean, scale, low, high : tuple of float
        For a number or for each part of a date: the median, which replaces a missing cell unless other columns
        predict it, the mean and the standard deviation, and the least and the largest value.
    unskewing : Unskewing or None
        How standardised numbers become less skewed; None if they have few values.
    """

    name: str
    kind: Kind
    missing: float = 0.0
    flagged: bool = False
    categories: tuple[str, ...] = ()
    other: float = 0.0
    parts: tuple[str, ...] = ()
    form: str = ""
    fill: tuple[float, ...] = ()
    mean: tuple[float, ...] = ()
    scale: tuple[float, ...] = ()
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    unskewing: Unskewing | None = None

    @property
    def encoded_names(self) -> tuple[str, ...]:
        """The names of the encoded columns, at least one."""
        flag = (f"{self.name} is missing",) if self.flagged else ()
        match self.kind:
            case "number":
                return (self.name, *flag)
            case "date":
                return (*(f"{self.name}: {part}" for part in self.parts), *flag)
            case "flag":
                return (f"{self.name} = {self.categories[-1]}", *flag)
            case "category":
                names = (*self.categories, OTHER) if self.other else self.categories
                return (*(f"{self.name} = {name}" for name in names), *flag)

    @property
    def is_text(self) -> bool:
        """Whether the cells are compared as text, so that a file should be read in that way."""
        return self.kind in ("category", "flag")

    def encode(self, cells: pd.Series) -> EncodedCells:
        """Return the encoded cells, one column for each encoded name and without NaN."""
        match self.kind:
            case "number":
                found = numbers(cells, self.form)
                unreadable = self._unreadable(found.unreadable, len(cells), found.example)
                return self._scaled(found.values[:, np.newaxis], unreadable)
            case "date":
                times, wrong = dates(cells, self.form)
                return self._scaled(date_parts(times, self.parts), self._unreadable(wrong, len(cells)))
            case "category" | "flag":
                return self._coded(cells)

    def original(self, encoded: float) -> float:
        """Return the number, or the first part of the date, that is encoded so."""
        if self.unskewing is not None:
            encoded = float(self.unskewing.invert(np.asarray(encoded)))
        found = encoded * self.scale[0] + self.mean[0]
        return 0.0 if abs(found) < _ROUNDING * (abs(self.mean[0]) + self.scale[0]) else found

    def _scaled(self, values: Floats, unreadable: tuple[Drift, ...]) -> EncodedCells:
        missing = np.isnan(values[:, 0])
        low, high = np.asarray(self.low), np.asarray(self.high)
        span = _FAR * (high - low)
        least, most = low - span, high + span
        outside = (values[:, 0] < least[0]) | (values[:, 0] > most[0])
        # A far value counts as the bound from which values are far, so that it does not decide alone.
        filled = np.clip(np.where(np.isnan(values), self.fill, values), least, most)
        block = (filled - self.mean) / self.scale
        if self.unskewing is not None:
            block = self.unskewing.apply(block)
        example = f"{values[outside, 0][0]:.10g}" if outside.any() and self.kind == "number" else ""
        drift = (
            *self._drift("outside", int(outside.sum()), len(values), example=example),
            *self._drift("missing", int(missing.sum()), len(values), self.missing),
        )
        return EncodedCells(self._with_flag(block, missing), missing, (*drift, *unreadable))

    def _coded(self, cells: pd.Series) -> EncodedCells:
        codes, texts = distinct_text(cells)
        place = {text: number for number, text in enumerate(self.categories)}
        n_known = len(self.categories)
        # Places of known categories, then that of all others, then that of missing cells.
        places = np.asarray([*(place.get(text, n_known) for text in texts), n_known + 1])[codes]
        unknown = places == n_known
        first = texts[int(codes[unknown.argmax()])] if unknown.any() else ""
        if self.kind == "flag":
            block = (places == n_known - 1)[:, np.newaxis]
        else:
            block = places[:, np.newaxis] == np.arange(n_known + (self.other > 0))
        missing = codes < 0
        drift = (
            *self._drift("unknown", int(unknown.sum()), len(cells), self.other, first),
            *self._drift("missing", int(missing.sum()), len(cells), self.missing),
        )
        return EncodedCells(self._with_flag(block.astype(np.float64), missing), missing, drift)

    def _with_flag(self, block: Floats, missing: NDArray[np.bool_]) -> Floats:
        return np.column_stack([block, missing]) if self.flagged else block

    def _unreadable(self, count: int, rows: int, example: str = "") -> tuple[Drift, ...]:
        if self.kind == "date":
            form = _ISO if self.form == "ISO8601" else self.form
            for part, word in _FORMS.items():
                form = form.replace(part, word)
            remedy = f"write dates as {form}"
        else:
            remedy = f"write numbers with a decimal {'comma' if self.form == ',' else 'point'}"
        found = self._drift("unreadable", count, rows, example=example)
        return tuple(replace(one, remedy=remedy, blank=self.missing) for one in found)

    def _drift(
        self, kind: DriftKind, count: int, rows: int, expected: float = 0.0, example: str = ""
    ) -> tuple[Drift, ...]:
        return (Drift(self.name, kind, count, rows, expected, example),) if count else ()


def date_parts(times: NDArray[np.datetime64], parts: tuple[str, ...]) -> Floats:
    """Return parts of points in time as numbers, shape (n, number of parts); NaN where there is none."""
    days = times.astype("datetime64[s]").astype(np.float64) / 86400.0
    days[np.isnat(times)] = np.nan
    whole = np.floor(days)
    month = times.astype("datetime64[M]").astype(np.float64) % 12 + 1
    month[np.isnat(times)] = np.nan
    # 1 January 1970 was a Thursday.
    found = {"days": days, "month": month, "weekday": (whole + 3) % 7, "hour": (days - whole) * 24}
    return np.column_stack([found[part] for part in parts])
