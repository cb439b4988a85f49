"""A run folder: the suite as it was, the plan, provenance, and an append-only record of finished cells.

``cells.jsonl``, ``trials.jsonl`` and ``inside.jsonl`` hold one record a line, each behind a digest of its text. A line
that is torn or was altered is noticed on reading and its cell is simply not finished.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from pubench.data.cache import write_atomically
from pubench.errors import RunFolderError, StoreError
from pubench.protocol import from_json, to_json
from pubench.protocol.replies import Trial
from pubench.results.checked import DIGITS, checksum, set_aside_damaged
from pubench.results.record import ModelRecord, Record, StoredTrial, TrialRecord
from pubench.status import Status

__all__ = [
    "Ending",
    "Store",
    "detail_problems",
    "read_endings",
    "read_inside",
    "read_records",
    "read_searches",
    "read_trials",
    "repair",
    "set_aside",
]

_CELLS = "cells.jsonl"
_TRIALS, _INSIDE = "trials.jsonl", "inside.jsonl"
_RECORDS = (_CELLS, _TRIALS, _INSIDE)
_LOST = {
    _CELLS: "its cell counts as not finished",
    _TRIALS: "its trial counts as not finished",
    _INSIDE: "reports lack the introspection of its cell's model",
}
"""What a damaged line of each file means."""
Key = str | tuple[str, int]
_SYNC_SECONDS = 1.0


class _Inside(msgspec.Struct):
    key: str
    inside: ModelRecord


class Ending(msgspec.Struct, frozen=True, gc=False):
    """How a cell ended: the part of a record that tells how far a run is."""

    key: str
    status: Status
    error: str | None = None


L = TypeVar("L", Record, StoredTrial, _Inside, Ending, "_Line")
_Line = Record | StoredTrial | _Inside
_DECODERS: Mapping[str, msgspec.json.Decoder[_Line]] = {
    name: msgspec.json.Decoder(kind)
    for name, kind in zip(_RECORDS, (Record, StoredTrial, _Inside), strict=True)
}


class Store:
    """The writing side of a run folder; hold :func:`pubench.results.lock.locked` while using it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files = {name: _Appender(folder / name) for name in _RECORDS}

    def append(self, record: Record) -> None:
        """Record a finished cell. What is beside it goes first: a cell on record is whole."""
        if record.inside is not None:
            self._files[_INSIDE].append(to_json(_Inside(record.key, record.inside)))
        self._files[_CELLS].append(to_json(msgspec.structs.replace(record, inside=None)))

    def append_trial(self, trial: StoredTrial) -> None:
        """Record a finished trial: a search that is cut off goes on behind it."""
        self._files[_TRIALS].append(to_json(trial))

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
    return {line.key: line for line in read.values.values() if isinstance(line, Record)}, read.problems


def read_endings(folder: Path) -> tuple[dict[str, Ending], tuple[str, ...]]:
    """Return how each cell on record ended, and one sentence for each line that cannot be trusted."""
    read = _read(folder / _CELLS, msgspec.json.Decoder(Ending))
    return {line.key: line for line in read.values.values()}, read.problems


def read_searches(folder: Path) -> dict[str, tuple[StoredTrial, ...]]:
    """Return the finished trials of each search by its key, in the order in which they were proposed."""
    read = _read(folder / _TRIALS, msgspec.json.Decoder(StoredTrial))
    searches: dict[str, list[StoredTrial]] = {}
    for line in read.values.values():
        searches.setdefault(line.search, []).append(line)
    return {key: tuple(sorted(lines, key=lambda line: line.number)) for key, lines in searches.items()}


def read_trials(folder: Path) -> dict[str, tuple[TrialRecord, ...]]:
    """Return the trials of each tuned cell by its key, with the value of the criterion that the cell was chosen by."""
    searches = read_searches(folder)
    if not searches:
        return {}
    return {
        key: tuple(
            _trial_record(line.trial, record.criterion)
            for line in searches[record.search]
            if record.n_trials is None or line.number < record.n_trials
        )
        for key, record in read_records(folder)[0].items()
        if record.search in searches
    }


def _trial_record(trial: Trial, criterion: str) -> TrialRecord:
    error = trial.error or trial.problems.get(criterion, "")
    return TrialRecord(trial.params, trial.value(criterion), trial.seconds, error)


def read_inside(folder: Path) -> dict[str, ModelRecord]:
    """Return the introspection of the cells' models by key."""
    read = _read(folder / _INSIDE, msgspec.json.Decoder(_Inside))
    return {line.key: line.inside for line in read.values.values()}


def detail_problems(folder: Path) -> tuple[str, ...]:
    """Return one sentence for each line of the trials and the introspection that cannot be trusted."""
    read = (_read(folder / name, _DECODERS[name]) for name in (_TRIALS, _INSIDE))
    return tuple(problem for one in read for problem in one.problems)


@dataclass(frozen=True, slots=True)
class _Read(Generic[L]):
    """The latest value of each key, and what is wrong with other lines."""

    values: dict[Key, L]
    problems: tuple[str, ...]


def _read(path: Path, decoder: msgspec.json.Decoder[L]) -> _Read[L]:
    values: dict[Key, L] = {}
    problems = []
    for number, line in enumerate(_lines(path), start=1):
        value = _trusted(line, decoder)
        if value is not None:
            values[value.key] = value
        elif line.endswith(b"\n"):
            problems.append(f"{path}, line {number}: damaged record; {_LOST[path.name]}")
        else:
            problems.append(f"{path}: the last record is torn; {_LOST[path.name]}")
    return _Read(values, tuple(problems))


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file one by one, which takes less time and memory than the whole of a large file."""
    try:
        with path.open("rb") as file:
            yield from file
    except FileNotFoundError:
        return
    except OSError as error:
        raise RunFolderError(f"cannot read {path}: {error.strerror}") from None


def _trusted(line: bytes, decoder: msgspec.json.Decoder[L]) -> L | None:
    """Return what a line holds, or None where it was altered or its end is missing."""
    text = line[DIGITS + 1 : -1]
    if line[: DIGITS + 1] != checksum(text) + b" " or not line.endswith(b"\n"):
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
            kept = _latest_lines(folder / name, decoder)
            set_aside_damaged(folder / name)
            write_atomically(folder / name, b"".join(kept))
    return tuple(found)


def _latest_lines(path: Path, decoder: msgspec.json.Decoder[L]) -> list[bytes]:
    """Return the latest line of each key as it is in the file."""
    pairs = ((line, _trusted(line, decoder)) for line in _lines(path))
    return list({value.key: line for line, value in pairs if value is not None}.values())


def set_aside(folder: Path) -> None:
    """Keep earlier records under another name and start anew (``--force``)."""
    for name in _RECORDS:
        path = folder / name
        number = len(list(folder.glob(f"{name}.old-*"))) + 1
        if path.exists():
            os.replace(path, folder / f"{name}.old-{number}")
