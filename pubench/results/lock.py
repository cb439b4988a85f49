"""A run folder is held by one run at a time, and others can see whether it is held."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from pubench.errors import PubenchError, RunFolderError
from pubench.results.link_lock import HELD, Holder, holder_of, linked

__all__ = ["is_running", "locked"]

_LOCK = ".lock"
_OURS = frozenset({"plan.json", "cells.jsonl", _LOCK})
_TRIES, _PAUSE = 5, 0.05
_UNSUPPORTED = frozenset({errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK})
"""What ``flock`` answers on file systems without locks, many of them on a network."""


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder for this run.

    The system lets go of it when the process ends, however it ends. Where it cannot, the lock is a file, and one that a
    dead process left is taken over. A folder that was made for a run which is refused is removed.
    """
    was_there = folder.exists()
    try:
        _refuse_foreign(folder)
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise RunFolderError(
            f"cannot use run folder {folder}: {error.strerror}; choose another --out"
        ) from None
    try:
        with _held(folder, descriptor):
            yield
    except PubenchError:
        if not was_there:
            _remove_empty(folder)
        raise
    finally:
        os.close(descriptor)


def _remove_empty(folder: Path) -> None:
    """Remove a folder that holds nothing but its lock."""
    with contextlib.suppress(OSError):
        if [path.name for path in folder.iterdir()] == [_LOCK]:
            (folder / _LOCK).unlink()
            folder.rmdir()


@contextlib.contextmanager
def _held(folder: Path, descriptor: int) -> Iterator[None]:
    taken = _take(descriptor)
    if taken is False:
        holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
        raise RunFolderError(
            f"run folder {folder} is in use by process {holder}; wait for it, or choose another --out"
        )
    if taken:
        # Another machine, on which the same folder has no locks, may hold it in the other way.
        other = holder_of(folder)
        if other is not None:
            raise RunFolderError(_in_use(folder, other))
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
        return
    with linked(folder) as other:
        if other is not None:
            raise RunFolderError(_in_use(folder, other))
        yield


def _in_use(folder: Path, other: Holder) -> str:
    if other.is_here():
        return f"run folder {folder} is in use by process {other.pid}; wait for it, or choose another --out"
    return (
        f"run folder {folder} is in use by process {other.pid} on host {other.host}; wait for it, choose another "
        f"--out, or, if you know that this run is dead, remove {folder / HELD}"
    )


def is_running(folder: Path) -> bool:
    """Tell whether a run holds the folder now."""
    try:
        descriptor = os.open(folder / _LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        # Shared, so that two who look do not take each other for a run.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            return True
    finally:
        os.close(descriptor)
    return holder_of(folder) is not None


def _take(descriptor: int) -> bool | None:
    """Take the lock, and tell whether that worked; None if the file system has no locks.

    Who looks by `is_running` has it for an instant, so one refusal is no answer.
    """
    for _ in range(_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _UNSUPPORTED:
                return None
            time.sleep(_PAUSE)
        else:
            return True
    return False


def _refuse_foreign(folder: Path) -> None:
    """Refuse a folder that holds other things: a run would write its own report and suite over them."""
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if names and not names & _OURS:
        raise RunFolderError(
            f"{folder} is not empty and is not a run folder (it holds '{min(names)}'); choose another --out"
        )
