"""Rows from the CSV file that `pubench export` wrote: for reports that are kept without their run folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pubench.errors import RunFolderError
from pubench.results.record import AFTER_METRICS, BEFORE_METRICS
from pubench.results.spreadsheet import csv_lines
from pubench.results.table import Row
from pubench.status import Status

__all__ = ["ExportedRows", "read_exported"]

_REMEDY = "make it with: pubench export RUN --no-times --out cells.csv"
_NEEDED = ("suite", "dataset", "labelling", "replicate", "algorithm", "criterion", "status", "reference")
_WHOLE = {"replicate", "n_p", "n_u", "n_test"}
_TEXTS = {"suite", "dataset", "scenario", "labelling", "algorithm", "criterion", "status", "error"}
_TEXTS |= {"params", "notes", "key"}
_TRUTHS = {"collapsed", "reference"}


class ExportedRows(NamedTuple):
    """The rows of an export, and the names of the metrics among its columns."""

    rows: tuple[Row, ...]
    metrics: tuple[str, ...]


def read_exported(path: Path) -> ExportedRows:
    """Read an export.

    Raises
    ------
    RunFolderError
        If the file cannot be read, lacks a column, or has a value that is not of its column.
    """
    try:
        heads, *lines = csv_lines(path.read_text(encoding="utf-8")) or [[]]
    except OSError as error:
        raise RunFolderError(f"cannot read {path}: {error.strerror}; {_REMEDY}") from None
    except ValueError as error:
        raise RunFolderError(f"{path} is not an export: {error}; {_REMEDY}") from None
    missing = [name for name in _NEEDED if name not in heads]
    if missing:
        raise RunFolderError(f"{path} is not an export: it has no column '{missing[0]}'; {_REMEDY}")
    known = {column.name for column in (*BEFORE_METRICS, *AFTER_METRICS)}
    readers = [_reader(name) for name in heads]
    rows = tuple(
        _row(path, number, heads, readers, line) for number, line in enumerate(lines, start=2) if line
    )
    return ExportedRows(rows, tuple(name for name in heads if name not in known))


def _row(
    path: Path,
    number: int,
    heads: Sequence[str],
    readers: Sequence[Callable[[str], object]],
    line: Sequence[str],
) -> Row:
    if len(line) != len(heads):
        raise RunFolderError(f"{path}, line {number}: {len(line)} values in {len(heads)} columns; {_REMEDY}")
    row: Row = {}
    for name, read, text in zip(heads, readers, line, strict=True):
        try:
            row[name] = read(text) if text else None
        except (ValueError, KeyError):
            raise RunFolderError(f"{path}, line {number}: {name} is {text!r}; {_REMEDY}") from None
    row["dataset"], row["labelling"] = row["dataset"] or "", row["labelling"] or ""
    row["algorithm"], row["status"] = row["algorithm"] or "", row["status"] or Status.PENDING.value
    return row


_BOOLEANS: Mapping[str, bool] = {"True": True, "False": False}


def _reader(name: str) -> Callable[[str], object]:
    """Return what turns a text of a column into its value."""
    if name == "status":
        return lambda text: Status(text).value
    if name in _TEXTS:
        return str
    if name in _TRUTHS:
        return _BOOLEANS.__getitem__
    return int if name in _WHOLE else float
