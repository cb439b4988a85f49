"""The cache folder, and how files are written there: completely or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FEATURES", "TRUTH", "Download", "cache_root", "digest", "write_atomically"]

FEATURES, TRUTH = "prepared", "truth"
"""The folders that the core makes in the cache: for features, and for true classes."""


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
    data = content.encode() if isinstance(content, str) else content
    # Keep links in place, and write to devices and pipes instead of replacing them.
    path = path.resolve()
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_bytes(data)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
