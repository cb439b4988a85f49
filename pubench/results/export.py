"""Tidy exports: one row per cell as CSV, JSON or Parquet."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

from pubench.data.cache import write_atomically
from pubench.errors import PubenchError, StoreError
from pubench.results.record import MEASURED
from pubench.results.spreadsheet import csv_text, encodable
from pubench.results.table import Results, Row

__all__ = ["FORMATS", "export_text", "export_to"]

FORMATS = ("csv", "json", "parquet")


def export_text(results: Results, form: str, *, times: bool = True) -> str:
    """Return the rows as CSV or JSON text; without times the text depends on the results alone.

    In CSV, text that a spreadsheet would run as a formula has an apostrophe before it.
    """
    rows = _rows(results, times=times)
    if form == "json":
        return json.dumps(rows, indent=1, allow_nan=False) + "\n"
    return csv_text([[*rows[0]] if rows else [], *(row.values() for row in rows)])


def export_to(path: Path, results: Results, form: str, *, times: bool = True) -> None:
    """Write an export to a file, whole or not at all."""
    try:
        if form == "parquet":
            _refuse_stream(path)
            write_atomically(path, _parquet(_rows(results, times=times)))
        else:
            write_atomically(path, export_text(results, form, times=times))
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror or error}; make room or name another file"
        ) from None


def _rows(results: Results, *, times: bool) -> Sequence[Row]:
    left_out = () if times else MEASURED
    return [{name: value for name, value in row.items() if name not in left_out} for row in results.rows]


def _refuse_stream(path: Path) -> None:
    if path.exists() and not path.is_file() and not path.is_dir():
        raise PubenchError(f"cannot write {path}: Parquet needs an ordinary file; name another")


def _parquet(rows: Sequence[Row]) -> bytes:
    import pandas as pd

    buffer = io.BytesIO()
    try:
        texts = [{name: encodable(value) for name, value in row.items()} for row in rows]
        pd.DataFrame(texts).to_parquet(buffer, index=False)
    except ImportError:
        raise PubenchError("Parquet needs pyarrow; install it with: pip install 'pubench[parquet]'") from None
    return buffer.getvalue()
