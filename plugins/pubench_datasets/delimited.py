"""Readers of CSV and TSV: pandas reads the table, the standard library locates errors."""

from __future__ import annotations

import contextlib
import csv
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from pubench.errors import DataError
from pubench_datasets.source import check_file, codec, open_text, reading, refuse_if_large
from pubench_datasets.tables import Roles, Table, check_roles, refuse_duplicates

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Dialect", "read_delimited"]

_SAMPLE = 1000
_LINE_BREAK = re.compile(r"\s*[\r\n]\s*")


@dataclass(frozen=True, slots=True)
class Dialect:
    """A delimited file and its format; ``fixed`` means that its loader supports no other delimiter."""

    path: str
    delimiter: str
    encoding: str
    fixed: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.delimiter, str) or len(self.delimiter) != 1 or self.delimiter in '"\r\n ':
            raise DataError(
                f"{self.path}: delimiter = {self.delimiter!r} must be one character, such as ',' or ';' or a tab"
            )

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the first line number and the cells of each record, except blank lines."""
        with open_text(self.path, self.encoding) as file:
            reader = csv.reader(file, delimiter=self.delimiter, skipinitialspace=True)
            line = 1
            for cells in reader:
                if cells and (len(cells) > 1 or cells[0].strip()):
                    yield line, cells
                line = reader.line_num + 1

    def at(self, row: int) -> str:
        """Return "line 7" for a row; row 0 is the first after the header."""
        with contextlib.suppress(csv.Error, OSError, EOFError, UnicodeError):
            for number, (line, _) in enumerate(self.records(), -1):
                if number == row:
                    return f"line {line}"
        return f"row {row + 1}"

    def other(self, delimiter: str = "") -> str:
        """Return the remedy for a file with another delimiter."""
        if not self.fixed:
            return f"set delimiter = {delimiter!r}" if delimiter else "set delimiter"
        # A comma is the default of csv.
        more = f" and delimiter = {delimiter!r}" if delimiter not in ("", ",") else ""
        return f"load it with use = 'csv'{more}"

    def refuse_ragged(self, columns: int) -> None:
        """Raise DataError for the first line with more or fewer cells than the header."""
        with contextlib.suppress(csv.Error):
            for line, cells in self.records():
                if len(cells) != columns:
                    found = f"{len(cells)} cell{'' if len(cells) == 1 else 's'}"
                    raise DataError(
                        f"{self.path}, line {line}: {found}, but the header has {columns}; "
                        f"correct the line, or {self.other()} if another character separates the cells"
                    )


def read_delimited(dialect: Dialect, roles: Roles) -> Table:
    """Read a delimited file into a table; columns that are not features stay text."""
    path = dialect.path
    size = check_file(path, encoding=dialect.encoding)
    with reading(path, dialect.encoding):
        names = _header(dialect)
        header = [name or f"column {place}" for place, name in enumerate(names, 1)]
        refuse_duplicates(path, header)
        features = check_roles(path, header, roles)
        _refuse_nameless(path, names, features)
        refuse_if_large(f"{path}, as numbers,", _table_size(dialect, size))
        texts = [*roles.categorical, *(name for name in header if name not in features)]
        frame = _parse(dialect, header, texts, roles)
        # A line that is too short has no last cell.
        if frame[header[-1]].isna().any():
            dialect.refuse_ragged(len(header))
    return Table(frame, path, dialect.at, text=True)


def _header(dialect: Dialect) -> list[str]:
    """Return the names of the columns, and check the first row, which pandas does not."""
    records = dialect.records()
    try:
        _, names = next(records, (1, []))
        _, first = next(records, (2, names))
    except csv.Error as error:
        raise DataError(f"{dialect.path}, line 1: {error}; check that it is a text table") from error
    if not names:
        raise DataError(f"{dialect.path} is empty; write a header and rows")
    if len(names) == 1:
        delimiter = next((mark for mark in ",;\t|" if mark in names[0]), "")
        remedy = dialect.other(delimiter) if delimiter else "it needs a target and at least one feature"
        raise DataError(f"{dialect.path} has only one column, {names[0][:60]!r}; {remedy}")
    if len(first) != len(names):
        dialect.refuse_ragged(len(names))
    return [_LINE_BREAK.sub(" ", name.strip()) for name in names]


def _table_size(dialect: Dialect, size: int) -> int:
    """Estimate the size of the numbers in bytes from the first lines: "0,0,0" takes four times its size."""
    cells = letters = 0
    # The parser reports errors such as a quote that is not closed.
    with contextlib.suppress(csv.Error):
        for _, record in islice(dialect.records(), _SAMPLE):
            cells += len(record)
            letters += sum(map(len, record)) + len(record)
    return size * 8 * cells // max(letters, 1)


def _refuse_nameless(path: str, names: list[str], features: list[str]) -> None:
    """Refuse a column without a name, which is usually a saved row number."""
    for place, name in enumerate(names, 1):
        if not name and f"column {place}" in features:
            raise DataError(
                f"{path}: column {place} has no name; exclude it with drop = ['column {place}'], "
                "or name it in the header"
            )


def _parse(dialect: Dialect, header: list[str], texts: list[str], roles: Roles) -> pd.DataFrame:
    import pandas as pd

    options: dict[str, Any] = {
        "names": header,
        "header": 0,
        "index_col": False,
        "sep": dialect.delimiter,
        "skipinitialspace": True,
        "dtype": dict.fromkeys(texts, object),
        "keep_default_na": False,
        "na_values": ["", *roles.missing],
        "encoding": codec(dialect.path, dialect.encoding),
        "compression": "gzip" if dialect.path.lower().endswith(".gz") else None,
        "low_memory": False,
        "engine": "c",
    }
    if tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1):
        # Later versions read every number exactly and deprecate the option.
        options["float_precision"] = "round_trip"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame: pd.DataFrame = pd.read_csv(dialect.path, **options)
            return frame
    except (pd.errors.ParserError, pd.errors.ParserWarning, csv.Error) as error:
        if "out of memory" in str(error):
            raise MemoryError from error
        dialect.refuse_ragged(len(header))
        reason = str(error).removeprefix("Error tokenizing data. C error: ")
        raise DataError(
            f"{dialect.path} is not a table: {reason}; look for a quote that is not closed"
        ) from error
