"""A run folder is held by one run at a time, and others can see whether it is held."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from pubench.errors import RunFolderError

__all__ = ["is_running", "locked"]

_LOCK = ".lock"
_OURS = frozenset({"plan.json", "cells.jsonl", _LOCK})
_TRIES, _PAUSE = 5, 0.05


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder for this run; the system lets go of it when the process ends, however it ends."""
    _refuse_foreign(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise RunFolderError(
            f"cannot use run folder {folder}: {error.strerror}; choose another --out"
        ) from None
    try:
        if not _take(descriptor):
            holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
            raise RunFolderError(
                f"run folder {folder} is in use by process {holder}; wait for it, or choose another --out"
            )
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def is_running(folder: Path) -> bool:
    """Tell whether a run holds the folder now."""
    try:
        descriptor = os.open(folder / _LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        # Shared, so that two who look do not take each other for a run.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _take(descriptor: int) -> bool:
    """Take the lock; who looks by `is_running` has it for an instant, so one refusal is no answer."""
    for _ in range(_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(_PAUSE)
        else:
            return True
    return False


def _refuse_foreign(folder: Path) -> None:
    """Refuse a folder that holds other things: a run would write its own report and suite over them."""
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if names and not names & _OURS:
        raise RunFolderError(
            f"{folder} is not empty and no run folder (it holds '{min(names)}'); choose another --out"
        )
