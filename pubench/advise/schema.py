"""The columns of a person's table: learned once from the training rows, then applied to other tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from pubench.advise.category_codes import Groups
from pubench.advise.columns import Column, Drift
from pubench.advise.filling import Filling, fill_gaps, learn_fillings
from pubench.advise.memory import refuse_if_large
from pubench.errors import DataError
from pubench.specs import JSONValue

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Dropped", "Encoded", "Schema", "learn_schema", "total_drift"]

_SHOWN = 6
_MOST_ROWS = 5000
"""Enough to learn how columns depend on each other."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A column that is not used, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Rows as learners take them.

    Attributes
    ----------
    X : float64 array of shape (n, d), without NaN
        Numbers and dates are standardised by the training rows; categories are 0 or 1.
    names : tuple of str
        The d encoded columns, for example "age", "city = Rome", "joined: month", "dose is missing".
    source : tuple of int
        For each of them the place of its column in ``Schema.columns``.
    remarks : tuple of Drift
        How the cells differ from the training rows; those that a person should know are ``notable``.
    """

    X: NDArray[np.float64]
    names: tuple[str, ...]
    source: tuple[int, ...]
    remarks: tuple[Drift, ...]

    def take(self, rows: NDArray[np.int64]) -> Encoded:
        """Return some of the rows."""
        return replace(self, X=self.X[rows])

    def without(self, columns: Collection[int]) -> Encoded:
        """Return the rows without what comes from the columns at these places of ``Schema.columns``."""
        keep = [place for place, source in enumerate(self.source) if source not in columns]
        return replace(
            self,
            X=np.ascontiguousarray(self.X[:, keep]),
            names=tuple(self.names[place] for place in keep),
            source=tuple(self.source[place] for place in keep),
        )


@dataclass(frozen=True, slots=True)
class Schema:
    """What was understood of a table.

    Attributes
    ----------
    columns : tuple of Column
        The columns that are used.
    ids : tuple of str
        Columns kept aside because they only name rows: those that were given, then those that look like ids.
    dropped : tuple of Dropped
        Columns that carry no information or cannot be used.
    fillings : tuple of Filling
        How missing numbers follow from other columns; without one, they are the column's median.
    """

    columns: tuple[Column, ...]
    ids: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    fillings: tuple[Filling, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the encoded columns, d in all."""
        return tuple(name for column in self.columns for name in column.encoded_names)

    @property
    def source(self) -> tuple[int, ...]:
        """For each encoded column the place of its column in ``columns``."""
        return tuple(place for place, column in enumerate(self.columns) for _ in column.encoded_names)

    @property
    def groups(self) -> Groups:
        """For each category of several encoded columns, their places."""
        places = iter(range(len(self.names)))
        blocks = [(column, tuple(islice(places, len(column.encoded_names)))) for column in self.columns]
        found = (
            block[: len(block) - column.flagged] for column, block in blocks if column.kind == "category"
        )
        return tuple(group for group in found if len(group) > 1)

    @property
    def text(self) -> tuple[str, ...]:
        """The columns that :func:`read_table` should read as text: ids and categories keep their leading zeros."""
        return (*self.ids, *(column.name for column in self.columns if column.is_text))

    def encode(self, frame: pd.DataFrame) -> Encoded:
        """Return the rows of a table in the columns that learners take.

        Raises
        ------
        DataError
            If the table lacks a column, or the encoded rows do not fit into memory.
        """
        X, gaps, remarks = self._encoded(frame.rename(columns=str))
        fill_gaps(X, gaps, self.fillings)
        return Encoded(X, self.names, self.source, remarks)

    def filling_gaps(self, frame: pd.DataFrame) -> Schema:
        """Return the schema with what the training rows, or some of very many, say about missing numbers."""
        if not any(column.kind == "number" and column.missing > 0 for column in self.columns):
            return self
        some = frame.iloc[:: -(-len(frame) // _MOST_ROWS)]
        X, gaps, _ = self._encoded(some.rename(columns=str))
        return replace(self, fillings=learn_fillings(X, gaps))

    def _encoded(
        self, frame: pd.DataFrame
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], tuple[Drift, ...]]:
        """Return the rows with medians in place of missing numbers, where these are, and how cells differ."""
        self._refuse_missing([str(name) for name in frame.columns])
        names = self.names
        refuse_if_large(
            f"the table of {len(frame):,} rows and {len(names):,} encoded columns",
            8 * len(frame) * len(names),
        )
        X, gaps = np.empty((len(frame), len(names))), np.zeros((len(frame), len(names)), dtype=bool)
        remarks: list[Drift] = []
        start = 0
        for column in self.columns:
            cells = column.encode(frame[column.name])
            X[:, start : start + cells.block.shape[1]] = cells.block
            gaps[:, start] = cells.missing & (column.kind == "number")
            start += cells.block.shape[1]
            remarks += cells.drift
        return X, gaps, tuple(remarks)

    def _refuse_missing(self, there: list[str]) -> None:
        absent = [column.name for column in self.columns if column.name not in there]
        if absent:
            shown = ", ".join(f"'{name}'" for name in absent[:_SHOWN]) + (
                ", ..." if len(absent) > _SHOWN else ""
            )
            count = "a column" if len(absent) == 1 else f"{len(absent)} columns"
            raise DataError(
                f"the table lacks {count} of the training data: {shown}; add {'it' if len(absent) == 1 else 'them'} "
                "(cells may be blank), or check the spelling"
            )
        twice = [column.name for column in self.columns if there.count(column.name) > 1]
        if twice:
            raise DataError(f"the table has more than one column named '{twice[0]}'; rename one of them")

    def to_json(self) -> JSONValue:
        """Return the schema as plain JSON values."""
        return msgspec.to_builtins(self)  # type: ignore[no-any-return]

    @classmethod
    def from_json(cls, value: JSONValue) -> Schema:
        """Return the schema that :meth:`to_json` described.

        Raises
        ------
        DataError
            If the values are not a schema.
        """
        try:
            return msgspec.convert(value, cls)
        except msgspec.ValidationError as error:
            raise DataError(f"the stored columns are damaged: {error}; fit the model again") from None


def total_drift(parts: Iterable[Sequence[Drift]], rows: int) -> tuple[Drift, ...]:
    """Return the sum of what was found in the parts of one table with so many rows."""
    found: dict[tuple[str, str], Drift] = {}
    for drift in (one for part in parts for one in part):
        before = found.get((drift.column, drift.kind))
        count = drift.count + (before.count if before else 0)
        found[drift.column, drift.kind] = replace(before or drift, count=count, rows=rows)
    return tuple(found.values())


def learn_schema(
    frame: pd.DataFrame, *, label: str | None, ids: Sequence[str], s: NDArray[np.uint8] | None = None
) -> tuple[Schema, tuple[str, ...]]:
    """Learn what the columns of a table are.

    Parameters
    ----------
    frame : DataFrame of shape (n, m)
        Numbers, text, categories, dates, booleans and missing cells in any mixture.
    label : str or None
        The column of labels, which is left out; None if there is none.
    ids : sequence of str
        Columns that only name rows.
    s : ndarray of shape (n,), optional
        1 = labelled positive, 0 = unlabelled. Whether a cell is missing is a column of its own only where labelled
        rows differ in it; without labels, where 1 % of the cells are missing.

    Returns
    -------
    schema : Schema
    remarks : tuple of str
        What was understood, in sentences for a person.

    Raises
    ------
    DataError
        If a named column does not exist, two columns have the same name, or no column can be used.
    """
    from pubench.advise.learning import learn_columns
    from pubench.advise.remarks import describe

    learned = learn_columns(frame.rename(columns=str), label, tuple(ids), s)
    learned = replace(learned, schema=learned.schema.filling_gaps(frame))
    return learned.schema, describe(learned, len(frame))
