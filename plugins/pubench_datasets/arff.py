"""A reader of ARFF files, dense and sparse.

SciPy's reader supports neither text nor sparse rows. liac-arff does, but keeps all rows as lists of Python values,
takes about twice as long, and does not report which cell is wrong. This reader converts blocks of rows into columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pubench.errors import DataError
from pubench_datasets.source import check_file, open_text, reading, refuse_if_large
from pubench_datasets.tables import Table, refuse_duplicates

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_arff"]

_BLOCK = 4096
_MISSING = frozenset(("?", ""))
_QUOTES = frozenset(("'", '"'))
_NUMERIC = {"numeric", "real", "integer"}
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.+)", re.IGNORECASE)
_WHOLE_QUOTE = re.compile(_QUOTED, re.DOTALL)
_SPARSE = re.compile(rf"\s*(\d+)\s+({_QUOTED}|[^,'\"]*?)\s*(?:,|$)")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}

Cells = list[str | None]


@dataclass(slots=True)
class _Attribute:
    """A column: its name, the declared values if it is nominal, and the cells read so far."""

    name: str
    numeric: bool
    names: tuple[str, ...] | None = None
    codes: dict[str | None, int] = field(init=False)
    parts: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.codes = {None: -1} | {name: code for code, name in enumerate(self.names or ())}

    @property
    def default(self) -> str | None:
        """The value of cells that a sparse row omits: 0, or the first of the nominal values."""
        return "0" if self.numeric or self.names is None else self.names[0]

    def add(self, cells: tuple[str | None, ...]) -> None:
        """Add a block of cells; raise ValueError or KeyError if one is invalid."""
        if self.numeric:
            self.parts.append(np.array([np.nan if cell is None else float(cell) for cell in cells]))
        elif self.names is None:
            self.parts.append(np.array(cells, dtype=object))
        else:
            self.parts.append(np.array([self.codes[cell] for cell in cells], dtype=np.int32))

    def accepts(self, cell: str | None) -> bool:
        """Return whether a cell is valid."""
        try:
            self.add((cell,))
        except (ValueError, KeyError):
            return False
        return True

    def series(self) -> NDArray[Any] | pd.Categorical[Any]:
        """Return the whole column."""
        import pandas as pd

        values: NDArray[Any] = np.concatenate(self.parts)
        if self.names is None:
            return values
        if {name.lower() for name in self.names} == {"true", "false"}:
            return np.take(np.array([*self.names, None], dtype=object), values)
        return pd.Categorical.from_codes(values, categories=pd.Index(self.names))


def read_arff(path: str, encoding: str) -> Table:
    """Read an ARFF file: nominal attributes become categories, ``?`` is a missing cell."""
    import pandas as pd

    check_file(path, encoding=encoding)
    with reading(path, encoding), open_text(path, encoding) as file:
        lines = _lines(file)
        attributes = _header(path, lines)
        numbers = _rows(path, lines, attributes)
    at = np.asarray(numbers, dtype=np.int64)
    columns = {attribute.name: attribute.series() for attribute in attributes} if numbers else {}
    frame = pd.DataFrame(columns) if numbers else pd.DataFrame(columns=[a.name for a in attributes])
    return Table(frame, path, lambda row: f"line {at[row]}")


def _lines(file: Any) -> Iterator[tuple[int, str]]:
    """Yield the lines that are neither blank nor comments, with their numbers."""
    for number, line in enumerate(file, 1):
        text = line.strip()
        if text and not text.startswith("%"):
            yield number, text


def _header(path: str, lines: Iterator[tuple[int, str]]) -> list[_Attribute]:
    attributes: list[_Attribute] = []
    for number, line in lines:
        keyword = line.split(None, 1)[0].lower()
        if keyword == "@data":
            if not attributes:
                raise DataError(f"{path} declares no attributes before @data; add them")
            refuse_duplicates(path, [attribute.name for attribute in attributes])
            return attributes
        if keyword == "@attribute":
            attributes.append(_attribute(path, number, line))
        elif keyword != "@relation":
            raise DataError(f"{path}, line {number}: {line[:40]!r} is not ARFF; write @attribute or @data")
    raise DataError(
        f"{path} is not an ARFF file or is truncated, because it has no line @data; get a new copy"
    )


def _attribute(path: str, number: int, line: str) -> _Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise DataError(
            f"{path}, line {number}: {line[:60]!r} does not declare an attribute; write @attribute NAME TYPE"
        )
    name, kind = _unquoted(match[1]), match[2].strip()
    if kind.startswith("{") and kind.endswith("}"):
        names = _split(kind[1:-1])
        if names is None:
            raise DataError(
                f"{path}, line {number}: a quote in the values of '{name}' is not closed; close it"
            )
        return _Attribute(name, False, tuple(dict.fromkeys("?" if n is None else n for n in names)))
    word = kind.split(None, 1)[0].lower()
    if word in _NUMERIC:
        return _Attribute(name, True)
    if word in {"string", "date"}:
        return _Attribute(name, False)
    raise DataError(
        f"{path}, line {number}: attribute '{name}' has the type {kind[:40]!r}, which is not supported; use numeric, "
        "string, date or {VALUES}"
    )


def _unquoted(text: str) -> str:
    if text[:1] not in _QUOTES:
        return text
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), text[1:-1])


def _value(text: str) -> str | None:
    text = text.strip()
    return None if text in _MISSING else _unquoted(text)


def _split(line: str) -> Cells | None:
    """Return the cells of a dense row, None for a missing one; None if a quote is not closed."""
    pieces = line.split(",")
    if "'" not in line and '"' not in line:
        return [None if cell in _MISSING else cell for cell in map(str.strip, pieces)]
    cells: Cells = []
    rest = iter(pieces)
    for piece in rest:
        cell = piece.strip()
        if cell[:1] in _QUOTES:
            # A comma inside quotes does not separate cells: append pieces until the quote is closed.
            while not _WHOLE_QUOTE.fullmatch(cell := piece.strip()):
                following = next(rest, None)
                if following is None:
                    return None
                piece = f"{piece},{following}"  # noqa: PLW2901
            cells.append(_unquoted(cell))
        else:
            cells.append(None if cell in _MISSING else cell)
    return cells


def _sparse(line: str, defaults: Cells) -> Cells | None:
    """Return the cells of a sparse row ``{place value, ...}``; None if it is invalid."""
    cells, inner, place = defaults.copy(), line[1:-1].strip(), 0
    while place < len(inner):
        match = _SPARSE.match(inner, place)
        if match is None or int(match[1]) >= len(cells):
            return None
        cells[int(match[1])] = _value(match[2])
        place = match.end()
    return cells


def _rows(path: str, lines: Iterator[tuple[int, str]], attributes: list[_Attribute]) -> list[int]:
    """Read the rows into the attributes, a block at a time; return the number of each row's line."""
    defaults: Cells = [attribute.default for attribute in attributes]
    numbers: list[int] = []
    while block := list(islice(lines, _BLOCK)):
        rows = [_row(path, number, line, defaults) for number, line in block]
        numbers += [number for number, _ in block]
        refuse_if_large(path, len(numbers) * len(attributes) * 8)
        for attribute, cells in zip(attributes, zip(*rows, strict=True), strict=True):
            try:
                attribute.add(cells)
            except (ValueError, KeyError):
                wrong = next(i for i, cell in enumerate(cells) if not attribute.accepts(cell))
                expected = "a number" if attribute.numeric else "one of its declared values"
                raise DataError(
                    f"{path}, line {block[wrong][0]}: attribute '{attribute.name}' contains {cells[wrong]!r}, "
                    f"not {expected}; correct the cell or the declaration"
                ) from None
    return numbers


def _row(path: str, number: int, line: str, defaults: Cells) -> Cells:
    sparse = line.startswith("{")
    cells = _sparse(line, defaults) if sparse and line.endswith("}") else _split(line)
    if cells is None:
        reason = "is not a sparse row of these attributes" if sparse else "has a quote that is not closed"
        raise DataError(f"{path}, line {number} {reason}: {line[:60]!r}; correct the line")
    if len(cells) != len(defaults):
        found = f"{len(cells)} cell{'' if len(cells) == 1 else 's'}"
        wanted = f"{len(defaults)} attribute{'' if len(defaults) == 1 else 's'}"
        raise DataError(f"{path}, line {number}: {found} for {wanted}; correct the line")
    return cells
