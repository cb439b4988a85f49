"""A run folder: the suite as it was, the plan, provenance, and an append-only record of finished cells.

Each ``.jsonl`` file holds one record a line, behind a digest of its text. A line that is torn or was altered is noticed
on reading and its cell is simply not finished.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from pubench.data.cache import write_atomically
from pubench.errors import RunFolderError
from pubench.protocol import from_json, to_json
from pubench.results.appending import Appender
from pubench.results.checked import DIGITS, checksum, set_aside_damaged
from pubench.results.predictions import BINARY, PackedPredictions, StoredPredictions
from pubench.results.record import (
    Ending,
    EvaluatedTrial,
    InsideRecord,
    MapRecord,
    ModelRecord,
    Record,
    RescoredValue,
    StoredTrial,
)

__all__ = [
    "RESCORED",
    "Ending",
    "Store",
    "detail_problems",
    "is_new",
    "read_endings",
    "read_evaluated",
    "read_inside",
    "read_maps",
    "read_predictions_index",
    "read_records",
    "read_rescored",
    "read_searches",
    "repair",
    "set_aside",
]

_CELLS, _TRIALS, _EVALUATED = "cells.jsonl", "trials.jsonl", "evaluated.jsonl"
_INSIDE, _MAPS = "inside.jsonl", "maps.jsonl"
_PREDICTIONS, RESCORED = "predictions.jsonl", "rescored.jsonl"
_RECORDS = (_CELLS, _TRIALS, _INSIDE)
"""The files that every run has."""
_LOST = {
    _CELLS: "its cell counts as not finished",
    _TRIALS: "its trial counts as not finished",
    _EVALUATED: "exports lack the metrics of its trial",
    _INSIDE: "reports lack the introspection of its cell's model",
    _PREDICTIONS: "the predictions of its cell are lost",
    RESCORED: "its metric is missing there until it is rescored",
    _MAPS: "the map of its data set is made again by the next run",
}
"""What a damaged line of each file means."""
Key = str | tuple[str, int] | tuple[str, str]


L = TypeVar(
    "L",
    Record,
    StoredTrial,
    EvaluatedTrial,
    InsideRecord,
    StoredPredictions,
    RescoredValue,
    MapRecord,
    Ending,
    "_Line",
)
T = TypeVar("T", StoredTrial, EvaluatedTrial)
_Line = Record | StoredTrial | EvaluatedTrial | InsideRecord | StoredPredictions | RescoredValue | MapRecord
_KINDS: Mapping[str, type[_Line]] = {
    _CELLS: Record,
    _TRIALS: StoredTrial,
    _EVALUATED: EvaluatedTrial,
    _INSIDE: InsideRecord,
    _PREDICTIONS: StoredPredictions,
    RESCORED: RescoredValue,
    _MAPS: MapRecord,
}
_DECODERS: Mapping[str, msgspec.json.Decoder[_Line]] = {
    name: msgspec.json.Decoder(kind) for name, kind in _KINDS.items()
}


class Store:
    """The writing side of a run folder; hold :func:`pubench.results.lock.locked` while using it.

    Files that not every run has are made when something is written to them.
    """

    def __init__(self, folder: Path, files: Sequence[str] = _RECORDS) -> None:
        self.folder = folder
        self._files = {name: Appender(folder / name) for name in files}
        self._last: StoredPredictions | None = None

    def append(self, record: Record) -> None:
        """Record a finished cell. What is next to it goes first: a cell on record is whole."""
        if record.inside is not None:
            self._file(_INSIDE).append(to_json(InsideRecord(record.key, record.inside)))
        if record.predictions is not None:
            self._append_predictions(record.key, record.predictions)
        bare = msgspec.structs.replace(record, inside=None, predictions=None)
        self._file(_CELLS).append(to_json(bare))

    def append_trial(self, trial: StoredTrial) -> None:
        """Record a finished trial: a search that is cut off continues after it."""
        self._file(_TRIALS).append(to_json(trial))

    def append_evaluated(self, trial: EvaluatedTrial) -> None:
        """Record how a trial does on test rows, its predictions first."""
        if trial.predictions is not None:
            self._append_predictions(trial.prediction_key, trial.predictions)
        self._file(_EVALUATED).append(to_json(msgspec.structs.replace(trial, predictions=None)))

    def append_rescored(self, value: RescoredValue) -> None:
        """Record a metric that was computed from stored predictions."""
        self._file(RESCORED).append(to_json(value))

    def append_map(self, record: MapRecord) -> None:
        """Record the map of a data set."""
        self._file(_MAPS).append(to_json(record))

    def _append_predictions(self, key: str, packed: PackedPredictions) -> None:
        """Write the numbers, then the line that makes them count; cells that share a fit share its numbers."""
        binary, last = self._binary(), self._last
        line = StoredPredictions.of(key, binary.end, packed)
        if last is not None and (last.digest, last.labels) == (line.digest, line.labels):
            line = msgspec.structs.replace(line, start=last.start)
        else:
            binary.write(packed.data)
        self._file(_PREDICTIONS).append(to_json(line))
        self._last = line

    def _file(self, name: str) -> Appender:
        if name not in self._files:
            self._files[name] = Appender(self.folder / name)
        return self._files[name]

    def _binary(self) -> Appender:
        if BINARY not in self._files:
            # What no line of the index names was cut off by a kill, and is written over.
            lines = read_predictions_index(self.folder)[0].values()
            end = max((line.end for line in lines), default=0)
            self._files[BINARY] = Appender(self.folder / BINARY, end)
        return self._files[BINARY]

    def close(self) -> None:
        """Make sure that everything is on the disk."""
        for file in self._files.values():
            file.close()


def is_new(folder: Path) -> bool:
    """Whether no run has stored anything in a folder yet."""
    return not (folder / _CELLS).exists()


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
    searches = _by_search(read.values.values())
    return {key: tuple(sorted(lines, key=lambda line: line.number)) for key, lines in searches.items()}


def read_evaluated(folder: Path) -> dict[str, tuple[EvaluatedTrial, ...]]:
    """Return how trials do on test rows, by the key of their search."""
    read = _read(folder / _EVALUATED, msgspec.json.Decoder(EvaluatedTrial))
    return {key: tuple(lines) for key, lines in _by_search(read.values.values()).items()}


def _by_search(lines: Iterable[T]) -> dict[str, list[T]]:
    searches: dict[str, list[T]] = {}
    for line in lines:
        searches.setdefault(line.search, []).append(line)
    return searches


def read_inside(folder: Path) -> dict[str, ModelRecord]:
    """Return the introspection of the cells' models by key."""
    read = _read(folder / _INSIDE, msgspec.json.Decoder(InsideRecord))
    return {line.key: line.inside for line in read.values.values()}


def read_maps(folder: Path) -> dict[str, MapRecord]:
    """Return the maps of data sets by their labels."""
    read = _read(folder / _MAPS, msgspec.json.Decoder(MapRecord))
    return {line.dataset: line for line in read.values.values()}


def read_predictions_index(folder: Path) -> tuple[dict[str, StoredPredictions], tuple[str, ...]]:
    """Return where the predictions of each cell are, by key, and a sentence for each line that cannot be trusted."""
    read = _read(folder / _PREDICTIONS, msgspec.json.Decoder(StoredPredictions))
    return {line.key: line for line in read.values.values()}, read.problems


def read_rescored(folder: Path) -> tuple[tuple[RescoredValue, ...], tuple[str, ...]]:
    """Return the latest value of each rescored metric of each cell, oldest first, and the problems as above."""
    read = _read(folder / RESCORED, msgspec.json.Decoder(RescoredValue))
    return tuple(read.values.values()), read.problems


def detail_problems(folder: Path) -> tuple[str, ...]:
    """Return one sentence for each line of trials, introspection and maps that cannot be trusted."""
    read = (_read(folder / name, _DECODERS[name]) for name in (_TRIALS, _EVALUATED, _INSIDE, _MAPS))
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
            # In the order of the latest lines.
            values.pop(value.key, None)
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


def repair(folder: Path, files: Sequence[str] = tuple(_KINDS)) -> tuple[str, ...]:
    """Take lines that cannot be trusted out of the records, keep the file as it was, and say what was found."""
    found: list[str] = []
    for name in files:
        path, decoder = folder / name, _DECODERS[name]
        problems = _read(path, decoder).problems
        if problems:
            found += problems
            pairs = ((line, _trusted(line, decoder)) for line in _lines(path))
            latest = {value.key: line for line, value in pairs if value is not None}
            set_aside_damaged(path)
            write_atomically(path, b"".join(latest.values()))
    return tuple(found)


def set_aside(folder: Path) -> None:
    """Keep earlier records under another name and start again (``--force``)."""
    for name in (*_KINDS, BINARY):
        path = folder / name
        number = len(list(folder.glob(f"{name}.old-*"))) + 1
        if path.exists():
            os.replace(path, folder / f"{name}.old-{number}")
