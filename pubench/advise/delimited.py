"""How a text table is written: its encoding, delimiter, decimal mark and header, found by looking at its beginning."""

from __future__ import annotations

import csv
import gzip
import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pubench.errors import DataError

__all__ = ["MISSING", "Dialect", "ShortLines", "count_short_lines", "find_dialect", "refuse_duplicates"]

MISSING = ("", "NA", "N/A", "#N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "<NA>", "?")
"""Cells that stand for a missing value. "None" does not: it is often a category."""
_DELIMITERS = ",;\t|"
_SAMPLE = 500
_BYTES = 1 << 20
_POINT = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*")
_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_NUMBER = re.compile(r"\s*[+-]?\d+([.,]\d*)?([eE][+-]?\d+)?\s*")
_CODE = re.compile(r"\s*0\d+\s*")

Records = list[list[str]]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text table is written.

    Attributes
    ----------
    delimiter, decimal, encoding : str
    names : tuple of str
        The columns; one without a name is called "column 3".
    codes : tuple of str
        Columns of digits with leading zeros, such as postal codes: as numbers they would lose them.
    growth : float
        How many bytes a table takes for each byte of text, at 8 bytes a cell: "0,0,0" grows fourfold.
    """

    delimiter: str
    decimal: str
    encoding: str
    names: tuple[str, ...]
    codes: tuple[str, ...] = ()
    growth: float = 1.0


def find_dialect(path: Path) -> Dialect:
    """Return how a CSV or TSV file is written.

    Raises
    ------
    DataError
        If it is not a table with a header, or two columns have the same name.
    """
    encoding, text = _beginning(path)
    delimiter, records = _best_delimiter(text)
    if not records:
        raise DataError(f"{path} is empty; write a header and rows")
    header = [" ".join(name.split()) for name in records[0]]
    if len(header) == 1:
        raise DataError(
            f"{path} has only one column, {header[0][:60]!r}; it needs a label column and at least one other, "
            "separated by commas, semicolons, tabs or |"
        )
    if all(_NUMBER.fullmatch(name) for name in header):
        raise DataError(
            f"{path}: the first line contains only numbers; add a line with the names of the columns"
        )
    names = tuple(name or f"column {place}" for place, name in enumerate(header, 1))
    refuse_duplicates(str(path), names)
    columns = _columns(records[1:], len(names))
    codes = tuple(
        name for name, cells in zip(names, columns, strict=True) if any(map(_CODE.fullmatch, cells))
    )
    return Dialect(delimiter, _decimal(columns, delimiter), encoding, names, codes, _growth(records))


@dataclass(frozen=True, slots=True)
class ShortLines:
    """How many lines of a text table have fewer cells than its header, and where the first of them ends."""

    count: int
    first: int


def count_short_lines(path: Path) -> ShortLines:
    """Count the lines whose last cells are not there, which readers take for missing."""
    dialect = find_dialect(path)
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    count = first = 0
    with opener(path, "rt", encoding=dialect.encoding, errors="replace", newline="") as file:
        reader = csv.reader(file, delimiter=dialect.delimiter, skipinitialspace=True)
        for cells in reader:
            if cells and len(cells) < len(dialect.names):
                count, first = count + 1, first or reader.line_num
    return ShortLines(count, first)


def refuse_duplicates(where: str, names: tuple[str, ...]) -> None:
    """Raise DataError if two columns have the same name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(
            f"{where} has more than one column named '{twice[0]}'; rename them so that each name is unique"
        )


def _beginning(path: Path) -> tuple[str, str]:
    """Return the encoding of a file and its first lines."""
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    with opener(path, "rb") as file:
        start = file.read(_BYTES)
    whole = len(start) < _BYTES
    encoding = "utf-16" if start.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    if encoding == "utf-8-sig" and b"\0" in start:
        raise DataError(f"{path} is not text, because it contains zero bytes; save it as CSV or Parquet")
    # A character or a line may be cut in two at the end.
    end = len(start) if whole else start.rfind(b"\n")
    try:
        return encoding, start[:end].decode(encoding, errors="strict" if encoding != "utf-16" else "ignore")
    except UnicodeDecodeError:
        # What spreadsheets write in western Europe; it decodes every byte.
        return "latin-1", start[:end].decode("latin-1")


def _best_delimiter(text: str) -> tuple[str, Records]:
    """Return the delimiter by which most records are as wide as the header, the wider the better."""
    found = {mark: _records(text, mark) for mark in _DELIMITERS}

    def fit(mark: str) -> tuple[bool, float, int]:
        widths = [len(record) for record in found[mark]] or [0]
        return widths[0] > 1, sum(width == widths[0] for width in widths) / len(widths), widths[0]

    best = max(_DELIMITERS, key=fit)
    return best, found[best]


def _records(text: str, delimiter: str) -> Records:
    lines = text.splitlines(keepends=True)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    try:
        return list(islice((cells for cells in reader if any(cell.strip() for cell in cells)), _SAMPLE))
    except csv.Error:
        return []


def _growth(records: Records) -> float:
    letters = sum(len(cell) + 1 for record in records for cell in record)
    return max(1.0, 8 * sum(map(len, records)) / letters)


def _columns(records: Records, width: int) -> list[list[str]]:
    """Return the filled cells of each column."""
    return [
        [record[place] for record in records if place < len(record) and record[place].strip() not in MISSING]
        for place in range(width)
    ]


def _decimal(columns: list[list[str]], delimiter: str) -> str:
    """Return the decimal mark: a comma only if a column of numbers has one, and no column has decimal points."""
    if delimiter == ",":
        return "."
    numbers = [cells for cells in columns if cells and all(map(_NUMBER.fullmatch, cells))]
    commas = any(_COMMA.fullmatch(cell) for cells in numbers for cell in cells)
    points = any(_POINT.fullmatch(cell) for cells in numbers for cell in cells)
    return "," if commas and not points else "."
