"""Tidy exports as CSV, JSON or Parquet: one row per cell, or other rows with the same columns each."""

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

__all__ = ["FORMATS", "cell_rows", "export_text", "export_to", "rows_text", "rows_to"]

FORMATS = ("csv", "json", "parquet")


def export_text(results: Results, form: str, *, times: bool = True) -> str:
    """Return the rows as CSV or JSON text; without times the text depends on the results alone.

    In CSV, text that a spreadsheet would run as a formula has an apostrophe before it.
    """
    return rows_text(cell_rows(results, times=times), form)


def export_to(path: Path, results: Results, form: str, *, times: bool = True) -> None:
    """Write an export to a file, whole or not at all."""
    rows_to(path, cell_rows(results, times=times), form)


def rows_text(rows: Sequence[Row], form: str) -> str:
    """Return rows with the same columns as CSV or JSON text."""
    if form == "json":
        return json.dumps(rows, indent=1, allow_nan=False) + "\n"
    return csv_text([[*rows[0]] if rows else [], *(row.values() for row in rows)])


def rows_to(path: Path, rows: Sequence[Row], form: str) -> None:
    """Write rows with the same columns to a file, whole or not at all."""
    try:
        if form == "parquet":
            _refuse_stream(path)
            write_atomically(path, _parquet(rows))
        else:
            write_atomically(path, rows_text(rows, form))
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror or error}; make room or name another file"
        ) from None


def cell_rows(results: Results, *, times: bool = True) -> Sequence[Row]:
    """Return one row for each cell; without times the rows depend on the results alone."""
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
