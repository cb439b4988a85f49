"""A run folder: the suite as it was, the plan, provenance, and an append-only record of finished cells.

``cells.jsonl``, ``trials.jsonl`` and ``inside.jsonl`` hold one record a line, each behind a digest of its text. A line
that is torn or was altered is noticed on reading and its cell is simply not finished.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from pubench.data.cache import write_atomically
from pubench.errors import RunFolderError, StoreError
from pubench.plan.jobs import Cell, Plan, PlannedMetric
from pubench.specs import JSONValue
from pubench.suite.base import Table, read_table
from pubench.suite.reporting import PaperConfig, Rules

__all__ = [
    "Store",
    "mend",
    "read_cards",
    "read_inside",
    "read_plan",
    "read_provenance",
    "read_records",
    "read_trials",
    "set_aside",
    "write_plan",
    "write_provenance",
]

_CELLS, _PLAN = "cells.jsonl", "plan.json"
_BESIDE = {"trials": "trials.jsonl", "inside": "inside.jsonl"}
_RECORDS = (_CELLS, *_BESIDE.values())
_DIGITS = 16
_SYNC_SECONDS = 1.0

Record = dict[str, Any]
T = TypeVar("T", bound=Table)


class Store:
    """The writing side of a run folder; hold :func:`pubench.results.lock.locked` while using it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files = {name: _Appender(folder / name) for name in _RECORDS}

    def append(self, record: Record) -> None:
        """Record a finished cell. Its trials go first: a cell on record has its trials on record."""
        record = dict(record)
        for name, file in _BESIDE.items():
            part = record.pop(name, None)
            if part is not None:
                self._files[file].append({"key": record["key"], name: part})
        self._files[_CELLS].append(record)

    def close(self) -> None:
        """Make sure that everything is on the disk."""
        for file in self._files.values():
            file.close()


class _Appender:
    """One append-only file. A record is written whole or not at all; a full disk leaves no half line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            self._end = _end_of_last_line(self._fd)
            os.ftruncate(self._fd, self._end)
        except OSError as error:
            raise StoreError(f"cannot write {path}: {error.strerror}") from None
        self._synced = time.monotonic()

    def append(self, record: Record) -> None:
        data = _line(record)
        try:
            written = os.pwrite(self._fd, data, self._end)
            if written != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if time.monotonic() - self._synced > _SYNC_SECONDS:
                os.fsync(self._fd)
                self._synced = time.monotonic()
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self._end)
            raise StoreError(
                f"cannot write {self._path}: {error.strerror}; finished cells are kept, "
                "make room and run the same command again"
            ) from None
        self._end += len(data)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.fsync(self._fd)
        os.close(self._fd)


def _line(record: Record) -> bytes:
    text = json.dumps(record, separators=(",", ":"), ensure_ascii=True, allow_nan=False, default=str)
    return f"{_digest(text)} {text}\n".encode()


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=_DIGITS // 2).hexdigest()


def _end_of_last_line(descriptor: int) -> int:
    """Where the last whole line ends: a kill in the middle of a write may have left a part of one."""
    end = os.lseek(descriptor, 0, os.SEEK_END)
    while end > 0:
        start = max(0, end - 65536)
        newline = os.pread(descriptor, end - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def read_records(folder: Path) -> tuple[dict[str, Record], tuple[str, ...]]:
    """Return the latest record of each cell by key, and one sentence for each line that cannot be trusted."""
    return _read(folder / _CELLS)


def read_trials(folder: Path) -> dict[str, list[Any]]:
    """Return the trials of each tuned cell by key, as [params, value, seconds, error]."""
    records, _ = _read(folder / _BESIDE["trials"])
    return {key: record["trials"] for key, record in records.items()}


def read_inside(folder: Path) -> dict[str, dict[str, Any]]:
    """Return what the models of cells told of themselves, by key."""
    records, _ = _read(folder / _BESIDE["inside"])
    return {key: record["inside"] for key, record in records.items()}


def _read(path: Path) -> tuple[dict[str, Record], tuple[str, ...]]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}, ()
    except OSError as error:
        raise RunFolderError(f"cannot read {path}: {error.strerror}") from None
    records: dict[str, Record] = {}
    problems = []
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        record = _record(line)
        if record is None:
            problems.append(f"{path}, line {number}: damaged record; its cell counts as not finished")
        else:
            records[record["key"]] = record
    if not data.endswith(b"\n") and data:
        problems.append(f"{path}: the last record is torn; its cell counts as not finished")
    return records, tuple(problems)


def _record(line: bytes) -> Record | None:
    try:
        text = line[_DIGITS + 1 :].decode()
        if line[:_DIGITS].decode() != _digest(text):
            return None
        record = json.loads(text)
    except ValueError:
        return None
    return record if isinstance(record, dict) and "key" in record else None


def mend(folder: Path) -> tuple[str, ...]:
    """Take lines that cannot be trusted out of the records, keep the file as it was, and say what was found."""
    found: list[str] = []
    for name in _RECORDS:
        records, problems = _read(folder / name)
        if problems:
            found += problems
            number = len(list(folder.glob(f"{name}.damaged-*"))) + 1
            os.replace(folder / name, folder / f"{name}.damaged-{number}")
            write_atomically(folder / name, "".join(_line(record).decode() for record in records.values()))
    return tuple(found)


def set_aside(folder: Path) -> None:
    """Keep earlier records under another name and start anew (``--force``)."""
    for name in _RECORDS:
        path = folder / name
        number = len(list(folder.glob(f"{name}.old-*"))) + 1
        if path.exists():
            os.replace(path, folder / f"{name}.old-{number}")


def write_plan(folder: Path, plan: Plan, suite_text: str) -> None:
    """Write what the folder is for, and the suite as it was."""
    fields = list(Cell.__dataclass_fields__)
    value = {
        "suite": plan.suite,
        "description": plan.description,
        "metrics": {name: asdict(metric) for name, metric in plan.metrics.items()},
        "shown": plan.shown,
        "report": plan.report.model_dump(mode="json"),
        "paper": plan.paper.model_dump(mode="json"),
        "fields": fields,
        "cells": [[getattr(cell, name) for name in fields] for cell in plan.cells],
    }
    try:
        write_atomically(folder / "suite.toml", suite_text)
        write_atomically(folder / _PLAN, json.dumps(value, separators=(",", ":")))
    except OSError as error:
        raise StoreError(f"cannot write {folder}: {error.strerror}") from None


def read_plan(folder: Path) -> Plan:
    """Read a run folder's plan, or say that it is no run folder."""
    try:
        value = json.loads((folder / _PLAN).read_text(encoding="utf-8"))
        fields = value["fields"]
        cells = tuple(Cell(**dict(zip(fields, cell, strict=True))) for cell in value["cells"])
        metrics = {name: PlannedMetric(**metric) for name, metric in value["metrics"].items()}
        # Run folders of earlier versions have neither.
        rest = _suite_table(Rules, value.get("report", {})), _suite_table(PaperConfig, value.get("paper", {}))
        return Plan(value["suite"], value["description"], metrics, tuple(value["shown"]), cells, *rest)
    except (FileNotFoundError, NotADirectoryError):
        raise RunFolderError(
            f"{folder} is not a run folder: it has no {_PLAN}; give the --out of a run"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(
            f"{folder / _PLAN} cannot be read ({error}); run the suite again to mend it"
        ) from None


def _suite_table(table: type[T], document: Mapping[str, JSONValue]) -> T:
    """Read a table of the suite; keys that only a later version knows are ignored."""
    known = {name: value for name, value in dict(document).items() if name in table.model_fields}
    found = read_table(table, known)
    if isinstance(found, tuple):
        raise ValueError(f"{'.'.join(map(str, found[0].key))}: {found[0].text}")
    return found


def read_provenance(folder: Path) -> list[dict[str, Any]]:
    """Return the provenance of each run that added cells, oldest first."""
    try:
        value = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return value if isinstance(value, list) else []


def read_cards(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the latest card of each data set by its label; what an older version wrote is left out."""
    cards: dict[str, dict[str, Any]] = {}
    for entry in read_provenance(folder):
        found = entry.get("datasets") if isinstance(entry, dict) else None
        if isinstance(found, dict):
            cards |= {label: card for label, card in found.items() if isinstance(card, dict)}
    return cards


def write_provenance(folder: Path, entries: Iterable[Mapping[str, Any]]) -> None:
    """Write the provenance of all runs."""
    try:
        write_atomically(folder / "provenance.json", json.dumps(list(entries), indent=1))
    except OSError as error:
        raise StoreError(f"cannot write {folder}: {error.strerror}") from None
