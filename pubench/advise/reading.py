"""Tables from files: whole, or in parts where a file is larger than memory."""

from __future__ import annotations

import csv
import gzip
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from pubench.advise.delimited import MISSING, Dialect, find_dialect, refuse_duplicates
from pubench.advise.memory import refuse_if_large
from pubench.errors import DataError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["is_delimited", "read_chunks", "read_table"]

_UNPACKED = 5
"""How much larger text tables are than their gzip files, about."""


def read_table(path: Path, *, text: Sequence[str] = ()) -> pd.DataFrame:
    """Read a table whole.

    Parameters
    ----------
    path : Path
        CSV or TSV (any of comma, semicolon, tab and | separates cells; decimal points or commas; ``.gz`` too),
        Parquet, ARFF, JSON lines, NumPy archives or SVMlight, by the ending of the name.
    text : sequence of str
        Columns to read as text if they are there, such as ids, which must not lose their leading zeros.

    Returns
    -------
    DataFrame
        Columns with the names of the file; missing cells are NaN or None.

    Raises
    ------
    DataError
        If the file cannot be read, is not such a table, or does not fit into memory.
    """
    from pubench.advise.formats import read_arff, read_json_lines, read_npz, read_parquet, read_svmlight

    path = Path(path)
    readers: dict[str, Callable[[Path], pd.DataFrame]] = {
        "parquet": read_parquet,
        "pq": read_parquet,
        "arff": read_arff,
        "jsonl": read_json_lines,
        "ndjson": read_json_lines,
        "npz": read_npz,
        "svmlight": read_svmlight,
        "libsvm": read_svmlight,
    }
    ending = _check_file(path, (*_DELIMITED, *readers))
    with _reading(path):
        if ending in _DELIMITED:
            frame = _whole(path, text)
        else:
            frame = readers[ending](path)
            refuse_duplicates(str(path), tuple(map(str, frame.columns)))
            frame = frame.astype({name: str for name in text if name in frame and frame[name].notna().all()})
    if not len(frame):
        raise DataError(f"{path} has a header but no rows; add rows")
    return frame


def read_chunks(path: Path, rows: int, *, text: Sequence[str] = ()) -> Iterator[pd.DataFrame]:
    """Read a CSV, TSV or Parquet file in parts of at most ``rows`` rows, for files larger than memory.

    Other formats, which cannot be read in parts, come as one part. Parameters and errors are those of
    :func:`read_table`. The type of a column may differ between parts: :meth:`Schema.encode` deals with that.
    """
    from pubench.advise.formats import parquet_chunks

    path = Path(path)
    ending = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    if ending in ("parquet", "pq"):
        _check_file(path, (ending,))
        with _reading(path):
            yield from parquet_chunks(path, rows)
    elif ending in _DELIMITED:
        _check_file(path, (ending,))
        with _reading(path):
            yield from _delimited_chunks(path, find_dialect(path), text, rows)
    else:
        yield read_table(path, text=text)


_DELIMITED = ("csv", "tsv", "tab", "txt")


def is_delimited(path: Path) -> bool:
    """Return whether the ending of a name is one of text tables."""
    return path.name.lower().removesuffix(".gz").rpartition(".")[2] in _DELIMITED


class _Options(TypedDict):
    """Options of pandas.read_csv."""

    names: list[str]
    header: int
    index_col: bool
    sep: str
    decimal: str
    encoding: str
    dtype: dict[str, type[str]]
    keep_default_na: bool
    na_values: list[str]
    skipinitialspace: bool
    low_memory: bool


def _options(dialect: Dialect, text: Sequence[str]) -> _Options:
    as_text = dict.fromkeys([*dialect.codes, *(name for name in text if name in dialect.names)], str)
    return _Options(
        names=list(dialect.names),
        header=0,
        index_col=False,
        sep=dialect.delimiter,
        decimal=dialect.decimal,
        encoding=dialect.encoding,
        dtype=as_text,
        keep_default_na=False,
        na_values=list(MISSING),
        skipinitialspace=True,
        low_memory=False,
    )


def _whole(path: Path, text: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    dialect = find_dialect(path)
    refuse_if_large(str(path), round(_text_size(path) * dialect.growth))
    with _parsing(path):
        try:
            return pd.read_csv(path, **_options(dialect, text))
        except UnicodeDecodeError:
            # The first lines were UTF-8, a later one is not.
            return pd.read_csv(path, **_options(replace(dialect, encoding="latin-1"), text))


def _delimited_chunks(path: Path, dialect: Dialect, text: Sequence[str], rows: int) -> Iterator[pd.DataFrame]:
    import pandas as pd

    with _parsing(path), pd.read_csv(path, chunksize=rows, **_options(dialect, text)) as parts:
        yield from parts


@contextmanager
def _parsing(path: Path) -> Iterator[None]:
    """Turn what pandas says of a line into one sentence."""
    import pandas as pd

    try:
        with warnings.catch_warnings():
            # A line with too many cells.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            yield
    except (pd.errors.ParserError, pd.errors.ParserWarning, csv.Error) as error:
        reason = str(error).removeprefix("Error tokenizing data. C error: ").strip().rstrip(".")
        raise DataError(
            f"{path} is not a table: {reason}; correct that line, or look for a quote that is not closed"
        ) from error


def _check_file(path: Path, known: Sequence[str]) -> str:
    """Return the ending that names the format of a file, or refuse it."""
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file in it")
    if not path.exists():
        raise DataError(f"file '{path}' does not exist; check the path")
    if not path.is_file():
        raise DataError(f"{path} is not a regular file; save its content to one first")
    ending = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    if ending in ("xlsx", "xls", "ods"):
        raise DataError(f"{path} is a workbook; save its sheet as CSV")
    if ending not in known:
        raise DataError(f"{path}: the ending '.{ending}' names no known format{did_you_mean(ending, known)}")
    if path.stat().st_size == 0:
        raise DataError(f"{path} is empty; get a new copy")
    return ending


def _text_size(path: Path) -> int:
    return path.stat().st_size * (_UNPACKED if path.name.lower().endswith(".gz") else 1)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn errors while a file is read into one sentence."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} is truncated or damaged ({error}); get a new copy") from error
    except UnicodeError as error:
        raise DataError(f"{path} is not UTF-8 text ({error}); save it as UTF-8") from error
    except MemoryError as error:
        raise DataError(
            f"{path} does not fit into memory; use a random sample of its rows or fewer columns"
        ) from error
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}; check the file") from error
