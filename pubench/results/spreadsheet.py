"""CSV for spreadsheets: every line stays a line, all text can be encoded, and none of it is a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import TypeVar

__all__ = ["csv_lines", "csv_text", "encodable"]

_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
_END = "\r\n"
V = TypeVar("V")


def csv_text(lines: Iterable[Iterable[object]]) -> str:
    """Return lines of values as CSV.

    Text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return gets an apostrophe: a spreadsheet would
    run it as a formula. Names of a suite and errors of plugins may begin so. Numbers are left as they are.
    """
    rows = _Rows()
    # The writer quotes the characters of its line's end: both, or a carriage return would end a row too early.
    writer = csv.writer(rows, lineterminator=_END)
    for line in lines:
        writer.writerow([_plain(encodable(value)) for value in line])
    return "".join(f"{row.removesuffix(_END)}\n" for row in rows.texts)


def csv_lines(text: str) -> list[list[str]]:
    """Return the lines of what :func:`csv_text` wrote, without the apostrophes that it put before formulas.

    Raises
    ------
    ValueError
        If it is not CSV.
    """
    try:
        lines = list(csv.reader(io.StringIO(text, newline="")))
    except csv.Error as error:
        raise ValueError(str(error)) from None
    return [[_unquoted(value) for value in line] for line in lines]


def _unquoted(value: str) -> str:
    return value[1:] if value.startswith("'") and value[1:].startswith(_BEGIN_FORMULAS) else value


def encodable(value: V) -> V | str:
    """Return text without what UTF-8 cannot hold: bytes of file names that are no text are replaced by ``?``."""
    if not isinstance(value, str) or value.isascii():
        return value
    return value.encode("utf-8", "replace").decode()


def _plain(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_BEGIN_FORMULAS) else value


class _Rows:
    """Keeps each row that a CSV writer writes."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def write(self, text: str) -> int:
        self.texts.append(text)
        return len(text)
