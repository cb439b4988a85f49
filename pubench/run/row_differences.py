"""Rows of a run next to those of the same cells, run again: what differs, to the bit or to six digits."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator
from pathlib import Path

from pubench.results.arithmetic import arithmetic
from pubench.results.record import MEASURED
from pubench.results.run_folder import read_provenance
from pubench.results.store import read_rescored
from pubench.results.table import Results, Row
from pubench.run.running_again import REPEATABLE
from pubench.run.software import ROUNDS_OTHERWISE
from pubench.status import Status

__all__ = ["equal", "is_exact", "label_of", "row_differences"]

_DIGITS = 1e-6
_SHOWN = 3


def is_exact(folder: Path, results: Results, keys: Collection[str]) -> bool:
    """Tell whether some cells were computed with this machine's arithmetic, so that their rows must be equal here."""
    entries = read_provenance(folder)
    found = {entry.get("arithmetic") if isinstance(entry, dict) else None for entry in entries}
    notes = (row["notes"] or "" for row in results.rows if row["key"] in keys)
    return found == {arithmetic()} and not any(ROUNDS_OTHERWISE in note for note in notes)


def row_differences(results: Results, again: Results, *, exact: bool) -> Iterator[str]:
    """Yield one sentence for each cell whose row is not that of the run; ends at a limit are not compared."""
    fresh = {row["key"]: row for row in again.rows}
    # Computed from stored predictions, which are rounded to 32 bits.
    rescored = {value.key for value in read_rescored(results.folder)[0]}
    for row in results.rows:
        other = fresh.get(row["key"])
        if other is None or row["status"] not in REPEATABLE:
            continue
        differ = [
            name
            for name in _columns(row, exact=exact)
            if not equal(row[name], other.get(name), exact=exact and (row["key"], name) not in rescored)
        ]
        if differ:
            shown = [
                f"{name} is {_text(row[name])} there and {_text(other.get(name))} here" for name in differ
            ]
            rest = len(differ) - _SHOWN
            more = f", and {rest} more column{' differs' if rest == 1 else 's differ'}" if rest > 0 else ""
            yield f"{label_of(row)}, run again, has another result: {', '.join(shown[:_SHOWN])}{more}"


def _columns(row: Row, *, exact: bool) -> list[str]:
    """Return the columns to compare: not times; of a failure not its message, which may name a path."""
    left_out = {*MEASURED, *(["error"] if row["status"] != Status.OK else [])}
    # Notes may hold numbers, which differ in the last digits.
    left_out |= set() if exact else {"notes"}
    return [name for name in row if name not in left_out]


def equal(mine: object, theirs: object, *, exact: bool) -> bool:
    """Whether two values are the same: to the bit, or to six digits."""
    if exact:
        return json.dumps(mine) == json.dumps(theirs)
    match mine, theirs:
        case bool(), _:
            return mine is theirs
        case float() | int(), float() | int():
            return math.isclose(mine, theirs, rel_tol=_DIGITS, abs_tol=_DIGITS)
        case str(), str():
            return mine == theirs or _same_numbers(mine, theirs)
    return mine == theirs


def _same_numbers(mine: str, theirs: str) -> bool:
    """Compare texts of JSON objects, as parameters are."""
    try:
        first, second = json.loads(mine), json.loads(theirs)
    except ValueError:
        return False
    if not (isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys()):
        return False
    return all(equal(first[name], second[name], exact=False) for name in first)


def _text(value: object) -> str:
    text = "empty" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def label_of(row: Row) -> str:
    """Return what a cell is called in sentences."""
    names = (row["dataset"], row["labelling"], row["algorithm"], row["criterion"])
    return " / ".join([*(str(name) for name in names if name is not None), f"replicate {row['replicate']}"])
