"""From a feature column of a table to numbers: text becomes codes, missing cells become NaN."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pubench.errors import DataError
from pubench_datasets.targets import Column, class_limit

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["encode", "plain"]

Encoded = tuple[NDArray[np.float64], tuple[str, ...] | None]

_TIME = r"([ T]\d{1,2}:\d\d(:\d\d(\.\d+)?)?\s?([AaPp][Mm])?(Z|[+-]\d\d:?\d\d)?)?"
_DATE = re.compile(rf"(\d{{4}}([-/.])\d{{1,2}}\2\d{{1,2}}|\d{{1,2}}([-/.])\d{{1,2}}\3\d{{2,4}}){_TIME}")

# Number formats that Python does not read: 0,5 and 1.234,5 and 1,234.5 and 12%.
_FOREIGN_NUMBER = re.compile(
    r"[+-]?(\d*,\d+|\d{1,3}(\.\d{3})+,\d+|\d{1,3}(,\d{3})+(\.\d+)?|\d*\.?\d+(?=\s?%))([eE][+-]?\d+)?(\s?%)?"
)


def encode(
    series: pd.Series[Any], column: Column, *, categorical: bool, text: bool, missing: Sequence[str]
) -> Encoded:
    """Return a column as float64, shape (n,), and the names of its codes if it is categorical.

    Parameters
    ----------
    series : the cells; ``column`` locates them for messages
    categorical : whether the column is categorical whatever its cells are
    text : whether the file is text, so that a column with both numbers and text is an error
    missing : texts that stand for a missing cell
    """
    import pandas as pd
    from pandas.api import types

    if missing:
        series = series.mask(series.astype(object).map(plain).isin(list(missing)))
    if types.is_datetime64_any_dtype(series.dtype) or series.dtype.kind in "mM":
        raise _dates(column)
    declared = isinstance(series.dtype, pd.CategoricalDtype)
    if not categorical and not declared and types.is_numeric_dtype(series.dtype):
        return _finite(_to_float(series, column), column), None
    codes, cells = _distinct(series, column)
    if not categorical and not declared:
        numbers = _numbers(cells, column, text)
        if numbers is not None:
            return _finite(np.append(numbers, np.nan)[codes], column), None
    return _coded(codes, [plain(cell) for cell in cells], column, allowed=categorical or declared)


def _distinct(series: pd.Series[Any], column: Column) -> tuple[NDArray[np.intp], list[Any]]:
    """Return the number of each cell among the distinct ones (-1 = missing), and these."""
    import pandas as pd

    try:
        codes, values = pd.factorize(series)
    except TypeError as error:
        raise DataError(
            f"{column.name} contains lists or other values that are neither numbers nor text; exclude it with drop"
        ) from error
    return codes, list(values)


def plain(value: object) -> object:
    """Return a cell as text; whole numbers without a decimal point."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return value if isinstance(value, str) else str(value)


def _to_float(series: pd.Series[Any], column: Column) -> NDArray[np.float64]:
    if series.dtype.kind == "c":
        raise DataError(f"{column.name} contains complex numbers; exclude it with drop")
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def _finite(values: NDArray[np.float64], column: Column) -> NDArray[np.float64]:
    infinite = np.isinf(values)
    if infinite.any():
        row = int(infinite.argmax())
        raise DataError(
            f"{column.name} is {values[row]} in {column.at(row)}; "
            "write a finite number or leave the cell empty (missing)"
        )
    return values


def _dates(column: Column) -> DataError:
    return DataError(
        f"{column.name} contains dates, which are not numbers; exclude it with drop, or save parts of them as numbers"
    )


def _numbers(cells: list[Any], column: Column, text: bool) -> NDArray[np.float64] | None:
    """Return the distinct cells if they are numbers, None if they are text; refuse other types."""
    from pandas.api import types

    kind = types.infer_dtype(cells, skipna=False)
    if kind in {"date", "datetime", "datetime64", "time", "timedelta"}:
        raise _dates(column)
    if kind in {"boolean", "integer", "floating", "mixed-integer-float", "decimal", "empty"}:
        return np.asarray([float(cell) for cell in cells])
    if kind != "string":
        first = next((cell for cell in cells if not isinstance(cell, str)), None)
        raise DataError(
            f"{column.name} contains {type(first).__name__} values, neither numbers nor text; exclude it with drop"
        )
    if {cell.lower() for cell in cells} <= {"true", "false"}:
        return np.asarray([float(cell.lower() == "true") for cell in cells])
    if all(_DATE.fullmatch(cell) for cell in cells):
        raise _dates(column)
    return _text_numbers(cells, column) if text else None


def _text_numbers(cells: list[str], column: Column) -> NDArray[np.float64] | None:
    """Return numbers if all cells are numbers (for example too large for an integer); refuse text among numbers."""
    numeric = np.asarray([_is_number(cell) for cell in cells])
    if numeric.all():
        return np.asarray([float(cell) for cell in cells])
    foreign = np.asarray([bool(_FOREIGN_NUMBER.fullmatch(cell)) for cell in cells])
    counted = dict(zip(cells, (numeric | foreign).tolist(), strict=True))
    flags = np.asarray([counted.get(value, True) for value in column.values[~column.missing()]])
    if flags.mean() <= 0.5:
        return None
    first = cells[int(foreign.argmax() if foreign.any() else numeric.argmin())]
    where = f"{first!r} in {column.at(column.values.tolist().index(first))}"
    if foreign.any():
        raise DataError(
            f"{column.name} contains numbers with a comma or a percent sign, such as {where}; write them with a "
            "decimal point only, or list the column in categorical or drop"
        )
    raise DataError(
        f"{column.name} contains numbers, but {where}; correct it, set missing = [{first!r}], "
        "or list the column in categorical or drop"
    )


def _is_number(text: str) -> bool:
    try:
        return "_" not in text and not np.isnan(float(text))
    except ValueError:
        return False


def _coded(codes: NDArray[Any], names: list[Any], column: Column, *, allowed: bool) -> Encoded:
    """Return codes in the order of their names: numbers by size, text alphabetically."""
    if not allowed and len(names) > class_limit(len(codes)):
        raise DataError(
            f"{column.name} has {len(names)} distinct texts in {len(codes)} rows, too many for categories; "
            "exclude it with drop, or list it in categorical if they are categories"
        )
    numeric = all(_is_number(name) for name in names)
    ordered = sorted(set(names), key=lambda name: (float(name), name) if numeric else (0.0, name))
    rank = {name: code for code, name in enumerate(ordered)}
    ranks = np.asarray([*(rank[name] for name in names), np.nan], dtype=np.float64)
    return ranks[codes], tuple(ordered)
