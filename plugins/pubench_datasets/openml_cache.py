"""The cache of OpenML data: complete and checked entries, written by one process at a time, intact after any kill.

``<PUBENCH_CACHE>/openml/<server>/data/<id>`` contains a data file and ``openml.json``, which describes it and has its
MD5. Such a folder is created under another name, checked, and then renamed. ``answers`` contains the results of lists
and names. Both are used without a request until they are deleted. Local servers that differ only in their port are
treated as one: data from one of them are not requested from another.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pubench.data import Download, digest, write_atomically
from pubench.errors import DataError
from pubench.specs import JSONValue
from pubench_datasets.openml_settings import folder, folders, refuse_offline

__all__ = ["Entry", "downloads", "kept", "remember", "remembered", "stored"]

_FORMAT = 1
_LOG = logging.getLogger("pubench.data")

T = TypeVar("T")
Fill = Callable[[Path], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A data set in the cache: ``facts`` are those of ``openml.json``, ``path`` is the data file."""

    facts: dict[str, Any]
    path: Path

    @property
    def title(self) -> str:
        """Its name in messages."""
        return f"OpenML data set {self.facts['id']} ({self.facts['name']})"


def stored(number: int) -> Entry | None:
    """Return a data set from the cache; None if it is missing or its file has changed."""
    return _stored(folder() / "data" / str(number))


def _stored(place: Path) -> Entry | None:
    try:
        facts = _recorded(place)
        path = place / facts["file"]
        if facts["format"] == _FORMAT and path.stat().st_size == facts["size"] and _md5(path) == facts["md5"]:
            return Entry(facts, path)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def _recorded(place: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((place / "openml.json").read_text(encoding="utf-8"))
    return facts


def _md5(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def kept(number: int, fill: Fill) -> Entry:
    """Return a data set from the cache; if it is missing, one process calls ``fill`` and the others wait.

    ``fill`` receives an empty folder, writes a data file and returns the facts: at least ``file``, ``md5``, ``size``.
    """
    entry = stored(number)
    if entry is None:
        what = f"OpenML data set {number}"
        refuse_offline(what)
        with _writing(), _locked(f"{number}", what):
            entry = stored(number)
            if entry is None:
                _put(number, fill)
                entry = stored(number)
    if entry is None:
        raise DataError(f"OpenML data set {number} disappeared from the cache {folder()}; run again")
    return entry


def _put(number: int, fill: Fill) -> None:
    place = folder() / "data" / str(number)
    place.parent.mkdir(parents=True, exist_ok=True)
    # Only the owner of the lock writes here, so that a killed process left these.
    for leftover in place.parent.glob(f".{number}-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    temporary = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{number}-"))
    try:
        facts = fill(temporary)
        for other in temporary.iterdir():
            if other.name != facts["file"]:
                shutil.rmtree(other) if other.is_dir() else other.unlink()
        write_atomically(temporary / "openml.json", json.dumps({"format": _FORMAT, **facts}, indent=1))
        shutil.rmtree(place, ignore_errors=True)
        os.rename(temporary, place)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(
            f"cannot write the cache {folder()}: {error.strerror or error}; set PUBENCH_CACHE to another folder"
        ) from error


@contextmanager
def _locked(name: str, what: str) -> Iterator[None]:
    """Allow one process (or thread) at a time; the lock ends with its process."""
    path = folder() / "locks" / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _LOG.info("%s: waiting for another process that is fetching it", what)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def remembered(what: str, question: JSONValue, answer: Callable[[Path], T]) -> T:
    """Return the answer to a question from the cache, or request it once and keep it; both are JSON.

    ``answer`` receives a folder that the client may write to.
    """
    known = _recall(question)
    if known is None:
        refuse_offline(what)
        with _writing(), _locked(digest(question), what):
            known = _recall(question)
            if known is None:
                with tempfile.TemporaryDirectory(prefix="pubench-") as scratch:
                    known = answer(Path(scratch))
                remember(question, known)
    answered: T = known
    return answered


def _answer_path(question: JSONValue) -> Path:
    return folder() / "answers" / f"{digest(question)}.json"


def _recall(question: JSONValue) -> Any:  # edge: JSON of the type that was remembered
    return _read_answer(_answer_path(question))


def _read_answer(path: Path) -> Any:  # edge: JSON of the type that was remembered
    """Return the answer in a file; None if it is unreadable or answers another question."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return record["answer"] if digest(record["question"]) == path.stem else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remember(question: JSONValue, answer: object) -> None:
    """Keep an answer."""
    path = _answer_path(question)
    write_atomically(path, json.dumps({"question": question, "answer": answer}, indent=1))


def downloads() -> list[Download]:
    """Return the contents of the cache for all servers.

    Data sets are called ``openml:<id>``, answers ``openml:answers``, locks and unfinished data ``openml:unfinished``.
    """
    return [download for server_folder in folders() for download in _downloads_of(server_folder)]


def _downloads_of(server_folder: Path) -> Iterator[Download]:
    for data in sorted(server_folder.glob("data/[0-9]*"), key=lambda path: (len(path.name), path.name)):
        yield Download(f"openml:{data.name}", _title(data), data, partial(_is_whole, data))
    for answer in sorted(server_folder.glob("answers/*.json")):
        title = f"an answer of {server_folder.name}"
        yield Download("openml:answers", title, answer, partial(_is_answer, answer), listed=False)
    for pattern in ("data/.*", "answers/.*", "locks/*.lock"):
        for path in sorted(server_folder.glob(pattern)):
            # Another process may be using it, so that it never counts as damaged.
            yield Download("openml:unfinished", "unfinished", path, lambda: True, listed=False)


def _title(place: Path) -> str:
    server = place.parent.parent.name
    try:
        facts = _recorded(place)
        return f"{facts['name']}, version {facts['version']}, of {server}"
    except (OSError, ValueError, KeyError, TypeError):
        return f"of {server}"


def _is_whole(place: Path) -> bool:
    return _stored(place) is not None


def _is_answer(path: Path) -> bool:
    return _read_answer(path) is not None
