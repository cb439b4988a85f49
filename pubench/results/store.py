"""A run folder: the suite as it was, the plan, provenance, and an append-only record of finished cells.

``cells.jsonl``, ``trials.jsonl`` and ``inside.jsonl`` hold one record a line, each behind a digest of its text. A line
that is torn or was altered is noticed on reading and its cell is simply not finished.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from pubench.data.cache import write_atomically
from pubench.errors import RunFolderError, StoreError
from pubench.protocol import from_json, to_json
from pubench.results.checked import DIGITS, checksum, set_aside_damaged
from pubench.results.record import ModelRecord, Record, TrialRecord

__all__ = [
    "Store",
    "detail_problems",
    "read_inside",
    "read_records",
    "read_trials",
    "repair",
    "set_aside",
]

_CELLS = "cells.jsonl"
_BESIDE = {"trials": "trials.jsonl", "inside": "inside.jsonl"}
_RECORDS = (_CELLS, *_BESIDE.values())
_LOST = {
    _CELLS: "its cell counts as not finished",
    _BESIDE["trials"]: "reports lack the trials of its cell",
    _BESIDE["inside"]: "reports lack the introspection of its cell's model",
}
"""What a damaged line of each file means."""
_SYNC_SECONDS = 1.0


class _Trials(msgspec.Struct):
    key: str
    trials: tuple[TrialRecord, ...]


class _Inside(msgspec.Struct):
    key: str
    inside: ModelRecord


L = TypeVar("L", Record, _Trials, _Inside, "_Line")
_Line = Record | _Trials | _Inside
_DECODERS: Mapping[str, msgspec.json.Decoder[_Line]] = {
    name: msgspec.json.Decoder(kind) for name, kind in zip(_RECORDS, (Record, _Trials, _Inside), strict=True)
}


class Store:
    """The writing side of a run folder; hold :func:`pubench.results.lock.locked` while using it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files = {name: _Appender(folder / name) for name in _RECORDS}

    def append(self, record: Record) -> None:
        """Record a finished cell. Its trials go first: a cell on record has its trials on record."""
        beside = {"trials": record.trials, "inside": record.inside}
        for name, part in beside.items():
            if part is not None:
                self._files[_BESIDE[name]].append(to_json({"key": record.key, name: part}))
        self._files[_CELLS].append(to_json(msgspec.structs.replace(record, trials=None, inside=None)))

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

    def append(self, text: bytes) -> None:
        data = _line(text)
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


def _line(text: bytes) -> bytes:
    return checksum(text) + b" " + text + b"\n"


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
    read = _read(folder / _CELLS, _DECODERS[_CELLS])
    return {key: record for key, record in read.values.items() if isinstance(record, Record)}, read.problems


def read_trials(folder: Path) -> dict[str, tuple[TrialRecord, ...]]:
    """Return the trials of each tuned cell by key."""
    read = _read(folder / _BESIDE["trials"], msgspec.json.Decoder(_Trials))
    return {key: line.trials for key, line in read.values.items()}


def read_inside(folder: Path) -> dict[str, ModelRecord]:
    """Return the introspection of the cells' models by key."""
    read = _read(folder / _BESIDE["inside"], msgspec.json.Decoder(_Inside))
    return {key: line.inside for key, line in read.values.items()}


def detail_problems(folder: Path) -> tuple[str, ...]:
    """Return one sentence for each line of the trials and the introspection that cannot be trusted."""
    read = (_read(folder / name, _DECODERS[name]) for name in _BESIDE.values())
    return tuple(problem for one in read for problem in one.problems)


@dataclass(frozen=True, slots=True)
class _Read(Generic[L]):
    """The latest line of each key, its text, and what is wrong with other lines."""

    values: dict[str, L]
    texts: dict[str, bytes]
    problems: tuple[str, ...]


def _read(path: Path, decoder: msgspec.json.Decoder[L]) -> _Read[L]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return _Read({}, {}, ())
    except OSError as error:
        raise RunFolderError(f"cannot read {path}: {error.strerror}") from None
    values: dict[str, L] = {}
    texts: dict[str, bytes] = {}
    problems = []
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        value = _trusted(line, decoder)
        if value is None:
            problems.append(f"{path}, line {number}: damaged record; {_LOST[path.name]}")
        else:
            values[value.key], texts[value.key] = value, line[DIGITS + 1 :]
    if not data.endswith(b"\n") and data:
        problems.append(f"{path}: the last record is torn; {_LOST[path.name]}")
    return _Read(values, texts, tuple(problems))


def _trusted(line: bytes, decoder: msgspec.json.Decoder[L]) -> L | None:
    """Return what a line holds, or None where it was altered."""
    text = line[DIGITS + 1 :]
    if line[: DIGITS + 1] != checksum(text) + b" ":
        return None
    try:
        return from_json(decoder, text)
    except ValueError:
        return None


def repair(folder: Path) -> tuple[str, ...]:
    """Take lines that cannot be trusted out of the records, keep the file as it was, and say what was found."""
    found: list[str] = []
    for name, decoder in _DECODERS.items():
        read = _read(folder / name, decoder)
        if read.problems:
            found += read.problems
            set_aside_damaged(folder / name)
            write_atomically(folder / name, "".join(_line(text).decode() for text in read.texts.values()))
    return tuple(found)


def set_aside(folder: Path) -> None:
    """Keep earlier records under another name and start anew (``--force``)."""
    for name in _RECORDS:
        path = folder / name
        number = len(list(folder.glob(f"{name}.old-*"))) + 1
        if path.exists():
            os.replace(path, folder / f"{name}.old-{number}")
