"""ARFF as OpenML serves it, fast: plain dense files go through Arrow, sparse ones become CSR.

The client reads ARFF cell by cell in Python, which takes minutes for a large file. Here its parser (liac-arff) reads
only the header. Files with quotes or comments are read by `pubench_datasets.arff`, which is slower but complete.
"""

from __future__ import annotations

import importlib
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.errors import DataError
from pubench_datasets.arff import read_arff
from pubench_datasets.source import refuse_if_large

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Arff", "SparseCells", "open_arff"]

_DATA = re.compile(rb"^[ \t]*@data\b[^\n]*(?:\n|\Z)", re.IGNORECASE | re.MULTILINE)
# The header parser does not support dates; they are read as text.
_DATE = re.compile(
    r"^(\s*@attribute\s+(?:'[^'\n]*'|\"[^\"\n]*\"|\S+)\s+)date\b.*$", re.IGNORECASE | re.MULTILINE
)
_LOOSE = (b"'", b'"', b"\\", b"\n%", b"{")
_LOOSE_SPARSE = (b"'", b'"', b"\\", b"\n%", b"?")
# A row must fit into a block.
_BLOCK = 1 << 26


class SparseCells(NamedTuple):
    """Row, column and text of each cell that a sparse file writes."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    texts: NDArray[np.object_]


@dataclass(frozen=True, slots=True)
class Arff:
    """An ARFF file: ``kinds`` is column -> ``"numeric"``, ``"string"`` or the declared values of a nominal one."""

    path: Path
    title: str
    encoding: str
    kinds: dict[str, str | tuple[str, ...]]
    body: bytes

    @property
    def sparse(self) -> bool:
        """Whether rows are written as ``{place value, ...}``."""
        return self.body.lstrip()[:1] == b"{"

    def frame(self) -> pd.DataFrame:
        """Return the rows: numbers as float64, nominal columns as categories, text unchanged."""
        refuse_if_large(self.title, len(self.body))
        frame = self._plain_frame()
        return self._careful_frame() if frame is None else frame

    def _plain_frame(self) -> pd.DataFrame | None:
        """Return the rows if the file is plain: no quotes, full rows, declared values."""
        if self.body.startswith(b"%") or any(sign in self.body for sign in _LOOSE):
            return None
        try:
            csv, arrow = importlib.import_module("pyarrow.csv"), importlib.import_module("pyarrow")
            coded = arrow.dictionary(arrow.int32(), arrow.string())
            types = {"numeric": arrow.float64(), "string": arrow.string()}
            table = csv.read_csv(
                io.BytesIO(self.body),
                csv.ReadOptions(column_names=list(self.kinds), encoding=self.encoding, block_size=_BLOCK),
                csv.ParseOptions(quote_char=False),
                csv.ConvertOptions(
                    column_types={
                        name: types[kind] if isinstance(kind, str) else coded
                        for name, kind in self.kinds.items()
                    },
                    null_values=["?"],
                    strings_can_be_null=True,
                ),
            )
        except (ImportError, ValueError):
            return None
        frame: pd.DataFrame = table.to_pandas()
        for name, kind in self.kinds.items():
            if isinstance(kind, tuple) and not set(frame[name].cat.categories) <= set(kind):
                return None
        return frame

    def _careful_frame(self) -> pd.DataFrame:
        """Return the rows as read by `pubench_datasets.arff`, which reports where a file is wrong."""
        import pandas as pd

        frame = read_arff(str(self.path), self.encoding).frame
        for name, kind in self.kinds.items():
            if isinstance(kind, tuple) and not isinstance(frame[name].dtype, pd.CategoricalDtype):
                frame[name] = pd.Categorical(frame[name], categories=list(kind))
        return frame

    def sparse_cells(self) -> SparseCells | None:
        """Return the cells of a sparse file; None if it is not plain."""
        rows = _sparse_rows(self.body, self.encoding)
        if rows is None:
            return None
        pairs = [cell.split(None, 1) for row in rows for cell in row]
        if not all(len(pair) == 2 and pair[0].isdecimal() for pair in pairs):
            return None
        columns = np.asarray([pair[0] for pair in pairs], dtype=np.int64)
        if columns.max(initial=-1) >= len(self.kinds):
            return None
        row_numbers = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        texts = np.asarray([pair[1].rstrip() for pair in pairs], dtype=object)
        return SparseCells(row_numbers, columns, texts)


def _sparse_rows(body: bytes, encoding: str) -> list[list[str]] | None:
    """Return the texts ``place value`` of each row ``{place value, ...}``; None if the file is not plain."""
    if body.startswith(b"%") or any(sign in body for sign in _LOOSE_SPARSE):
        return None
    lines = [line.strip() for line in body.decode(encoding).splitlines() if line.strip()]
    if not all(line.startswith("{") and line.endswith("}") for line in lines):
        return None
    return [line[1:-1].split(",") if line[1:-1].strip() else [] for line in lines]


def open_arff(path: Path, title: str) -> Arff:
    """Read the header of an ARFF file, and its rows as bytes."""
    refuse_if_large(title, path.stat().st_size)
    content = path.read_bytes()
    data_line = _DATA.search(content)
    if data_line is None:
        raise DataError(f"{title} is not ARFF, because it has no line @data; fetch it again")
    encoding = _encoding(content)
    header = content[: data_line.start()].decode(encoding).lstrip("\ufeff")
    return Arff(path, title, encoding, _kinds(header, title), content[data_line.end() :])


def _encoding(content: bytes) -> str:
    """Return UTF-8, or Latin-1 for the few old files that are not UTF-8."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _kinds(header: str, title: str) -> dict[str, str | tuple[str, ...]]:
    import arff

    try:
        attributes = arff.loads(_DATE.sub(r"\1STRING", header) + "\n@DATA\n")["attributes"]
    except arff.ArffException as error:
        raise DataError(f"{title} has an ARFF header that cannot be read: {error}") from error
    return {
        name: tuple(kind) if isinstance(kind, list) else "string" if kind == "STRING" else "numeric"
        for name, kind in attributes
    }
