"""Tidy exports: one row per cell as CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

from pubench.data.cache import write_atomically
from pubench.errors import PubenchError
from pubench.results.record import MEASURED
from pubench.results.table import Results, Row

__all__ = ["FORMATS", "export_text", "export_to"]

FORMATS = ("csv", "json", "parquet")


def export_text(results: Results, form: str, *, times: bool = True) -> str:
    """Return the rows as CSV or JSON text; without times the text depends on the results alone."""
    rows = _rows(results, times=times)
    if form == "json":
        return json.dumps(rows, indent=1, allow_nan=False) + "\n"
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def export_to(path: Path, results: Results, form: str, *, times: bool = True) -> None:
    """Write an export to a file, whole or not at all."""
    try:
        if form == "parquet":
            _write_parquet(path, _rows(results, times=times))
        else:
            write_atomically(path, export_text(results, form, times=times))
    except OSError as error:
        raise PubenchError(f"cannot write {path}: {error.strerror or error}") from None


def _rows(results: Results, *, times: bool) -> Sequence[Row]:
    left_out = () if times else MEASURED
    return [{name: value for name, value in row.items() if name not in left_out} for row in results.rows]


def _write_parquet(path: Path, rows: Sequence[Row]) -> None:
    import pandas as pd

    path = path.resolve()
    if path.exists() and not path.is_file() and not path.is_dir():
        raise PubenchError(f"cannot write {path}: Parquet needs an ordinary file; name another")
    temporary = path.with_name(f".{path.name}.part")
    try:
        pd.DataFrame(list(rows)).to_parquet(temporary, index=False)
        temporary.replace(path)
    except ImportError:
        raise PubenchError("Parquet needs pyarrow; install it with: pip install 'pubench[parquet]'") from None
    finally:
        temporary.unlink(missing_ok=True)
