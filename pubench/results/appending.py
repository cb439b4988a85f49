"""Append-only files: a record is written whole or not at all, and is on the disk about a second later."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from pathlib import Path

from pubench.errors import StoreError
from pubench.results.checked import checksum

__all__ = ["Appender", "checked_line"]

_SYNC_SECONDS = 1.0


class Appender:
    """One append-only file. A record is written whole or not at all; a full disk leaves no half line.

    ``end`` is where a file without lines ends.
    """

    def __init__(self, path: Path, end: int | None = None) -> None:
        self._path = path
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            self.end = _end_of_last_line(self._fd) if end is None else end
            os.ftruncate(self._fd, self.end)
        except OSError as error:
            raise StoreError(f"cannot write {path}: {error.strerror}") from None
        self._synced = time.monotonic()

    def append(self, text: bytes) -> None:
        """Write a line that holds a text behind its digest."""
        self.write(checked_line(text))

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""
        try:
            written = os.pwrite(self._fd, data, self.end)
            if written != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if time.monotonic() - self._synced > _SYNC_SECONDS:
                os.fsync(self._fd)
                self._synced = time.monotonic()
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self.end)
            raise StoreError(
                f"cannot write {self._path}: {error.strerror}; finished cells are kept, "
                "make room and run the same command again"
            ) from None
        self.end += len(data)

    def close(self) -> None:
        """Make sure that everything is on the disk."""
        with contextlib.suppress(OSError):
            os.fsync(self._fd)
        os.close(self._fd)


def checked_line(text: bytes) -> bytes:
    """Return a text as a line behind its digest."""
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
