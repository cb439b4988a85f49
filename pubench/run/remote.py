"""What runs on a worker of a cluster: the handshake, pulling what is missing, then the task.

A worker shares no disk with its driver. Whatever goes wrong for the worker's own reasons is trouble, and never the
outcome of a task: the driver has the task run elsewhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.machinery import PathFinder
from pathlib import Path

import msgspec

from pubench.data.cache import cache_root, write_atomically
from pubench.data.pulled import find_dataset, keep_dataset
from pubench.data.stored import StoredDataset
from pubench.data.truth import return_truth
from pubench.errors import PubenchError
from pubench.plan.jobs import Job
from pubench.results.record import Record
from pubench.run.executing import execute
from pubench.run.news import Hear
from pubench.run.software import Software, software_here
from pubench.run.tasks import Outcome, Task
from pubench.run.workplace import Workplace
from pubench.sandbox.linux import protect_memory

__all__ = ["Answer", "RemoteTask", "end_run", "work_remotely"]

_PLUGINS = "prepared/plugin-files"
_MOST_GUESTS = 4


@dataclass(frozen=True, slots=True)
class RemoteTask:
    """A task for a worker on another machine.

    ``run`` names the run, so that a worker notices a new one; ``files`` are the contents of plugin files by their
    name. The files of the data set travel separately, and only if the worker asks for them.
    """

    run: str
    task: Task
    software: Software
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a task, or the trouble of a worker; ``refused`` marks trouble that will not go away.

    ``lacks_data`` asks for the files of the data set.
    """

    outcome: Outcome | None
    trouble: str = ""
    refused: bool = False
    lacks_data: bool = False


class _Guest:
    """What this process keeps for one run: the handshake, data sets and plugin files with their places here."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.datasets: dict[str, StoredDataset] = {}
        self.files: dict[str, str] = {}
        self.software: dict[Software, Software] = {}
        self.workplaces: dict[int, Workplace] = {}
        self.n_tasks = 0

    def workplace(self, hear: Hear | None) -> Workplace:
        """Return the processes of this thread; ``hear`` is told what methods say while they train."""
        thread = threading.get_ident()
        if thread not in self.workplaces:
            self.workplaces[thread] = Workplace(hear)
        return self.workplaces[thread]

    @contextlib.contextmanager
    def busy(self) -> Iterator[None]:
        """Count a task that runs."""
        self.n_tasks += 1
        try:
            yield
        finally:
            self.n_tasks -= 1

    def close(self) -> None:
        for workplace in self.workplaces.values():
            workplace.kill()
        self.workplaces.clear()
        if not _GUESTS:
            return_truth()


# A worker process may serve several runs, in as many threads as its cluster gives it.
_GUESTS: dict[str, _Guest] = {}
_LOCK = threading.RLock()


def work_remotely(remote: RemoteTask, contents: Sequence[bytes] = (), hear: Hear | None = None) -> Answer:
    """Run a task in this worker process of a cluster.

    ``contents`` are the files of its data set, if they came. ``hear`` takes the news of this run to its driver.
    """
    protect_memory()
    try:
        with _LOCK:
            guest = _guest(remote.run)
            refusal, note = _handshake(remote, guest)
            if refusal:
                return Answer(None, refusal, refused=True)
            stored = _dataset(remote.task.job.data.stored, contents, guest)
            if stored is None:
                return Answer(None, lacks_data=True)
            task = _localised(remote, stored, guest)
            workplace = guest.workplace(hear)
        with guest.busy():
            return Answer(_noted(execute(task, workplace), note))
    except (OSError, PubenchError) as error:
        return Answer(None, _sentence(error))


def end_run(run: str) -> None:
    """End the processes of a run and forget its true classes."""
    # Not under the lock: a cluster may call this where waiting would stop the worker as a whole.
    guest = _GUESTS.pop(run, None)
    if guest is not None:
        guest.close()


def _guest(run: str) -> _Guest:
    """Return what is kept for a run; of runs that nobody has ended, the oldest idle ones make room."""
    idle = [guest.run for guest in _GUESTS.values() if guest.run != run and not guest.n_tasks]
    for other in idle[: max(0, len(_GUESTS) - _MOST_GUESTS)]:
        end_run(other)
    return _GUESTS.setdefault(run, _Guest(run))


def _handshake(remote: RemoteTask, guest: _Guest) -> tuple[str, str]:
    """Return why this worker must not run the task, or what its record should say."""
    wanted = remote.software
    if wanted not in guest.software:
        guest.software[wanted] = software_here(name for name, _ in wanted.code)
    here = guest.software[wanted]
    return wanted.refusal(here), wanted.note(here)


def _dataset(stored: StoredDataset, contents: Sequence[bytes], guest: _Guest) -> StoredDataset | None:
    """Return a data set with its places on this worker, or None if it is not here and did not come."""
    known = guest.datasets.get(stored.fingerprint) or find_dataset(stored)
    if known is None and contents:
        known = keep_dataset(stored, contents)
    if known is not None:
        guest.datasets[stored.fingerprint] = known
    return known


def _localised(remote: RemoteTask, here: StoredDataset, guest: _Guest) -> Task:
    """Return the task with the places that its data and plugin files have on this worker."""
    job = remote.task.job
    for name, content in remote.files.items():
        if name not in guest.files:
            guest.files[name] = _written(name, content)
    moved = replace(job.data.stored, folder=here.folder, truth=here.truth)
    files = tuple(guest.files.get(file, file) for file in job.files)
    local: Job = replace(job, data=replace(job.data, stored=moved), files=files)
    return replace(remote.task, job=local)


def _written(name: str, content: bytes) -> str:
    """Write a plugin file under a folder named for its content: changed code is never mistaken for what is loaded."""
    path = cache_root() / _PLUGINS / hashlib.sha256(content).hexdigest()[:16] / Path(name).name
    if (found := PathFinder.find_spec(path.stem)) is not None and not _holds(found.origin, content):
        raise PubenchError(f"another module named '{path.stem}' exists there; rename the plugin file")
    if not path.exists():
        write_atomically(path, content)
    return os.path.realpath(path)


def _holds(file: str | None, content: bytes) -> bool:
    """Return whether a file has this content: a worker that starts where the plugin file lies finds the file itself."""
    with contextlib.suppress(OSError):
        return file is not None and Path(file).read_bytes() == content
    return False


def _noted(outcome: Outcome, note: str) -> Outcome:
    if not note or not isinstance(outcome.value, Record):
        return outcome
    record = msgspec.structs.replace(outcome.value, notes=(*outcome.value.notes, note))
    return replace(outcome, value=record)


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error)
