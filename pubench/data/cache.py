"""The cache folder, and how files are written there: completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FEATURES", "TRUTH", "Download", "cache_root", "digest", "write_atomically", "write_together"]

FEATURES, TRUTH = "prepared", "truth"
"""The folders that the core makes in the cache: for features, and for true classes."""
_SHOWN = 40
"""How many characters of a file's name its temporary name begins with: names of files must not become too long."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file or folder that a plugin keeps in the cache.

    Attributes
    ----------
    name : str
        Its name for ``pubench data clean``, for example ``"openml:37"``.
    title : str
        A description for users.
    is_intact : callable
        Reads it and returns whether it is unchanged since it was stored.
    listed : bool
        Whether ``pubench data list`` shows it; auxiliary files need not be listed.
    """

    name: str
    title: str
    path: Path
    is_intact: Callable[[], bool]
    listed: bool = True

    def size(self) -> int:
        """Return its size on disk in bytes."""
        files = self.path.rglob("*") if self.path.is_dir() else [self.path]
        return sum(file.stat().st_size for file in files if file.is_file())


def cache_root() -> Path:
    """Return the cache folder: ``PUBENCH_CACHE``, or ``pubench`` in the user's cache folder."""
    path = os.environ.get("PUBENCH_CACHE")
    if path:
        return Path(path).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pubench"


def digest(value: object) -> str:
    """Return a digest of a JSON-serialisable value, 32 hexadecimal digits; it is the same on every machine."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8, so that readers see the old or the new content, never a part of it."""
    write_together({path: content.encode() if isinstance(content, str) else content})


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write several files: all of them, or, if the disk is full or the program is interrupted before the end, none.

    Folders are made if they do not exist. Every file is on the disk under a temporary name before the first is renamed.

    Raises
    ------
    OSError
        Its ``filename`` is the file that cannot be written; all files are as they were, and new folders are gone.
    """
    made: list[Path] = []
    written: list[tuple[Path, Path]] = []
    try:
        for path, data in files.items():
            target = Path(os.path.realpath(path))
            with _naming(path):
                # Links stay in place, and devices and pipes are written to instead of being replaced.
                if target.exists() and not target.is_file() and not target.is_dir():
                    target.write_bytes(data)
                    continue
                if target.is_dir():
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
                _make_folder(target.parent, made)
                written.append((_written(target, data), target))
        while written:
            with _naming(written[0][1]):
                os.replace(*written[0])
            del written[0]
    except BaseException:
        for temporary, _ in written:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        for folder in reversed(made):
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Let an OSError name the file that a user knows, not its temporary name."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def _make_folder(folder: Path, made: list[Path]) -> None:
    """Make a folder and the folders above it, and note each new one."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
        made.append(one)


def _written(target: Path, data: bytes) -> Path:
    """Write a temporary file next to a file that it will replace, and wait until it is on the disk."""
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:_SHOWN]}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            # Some file systems find out only now that they are full.
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
    except BaseException:
        os.unlink(temporary)
        raise
    return Path(temporary)
