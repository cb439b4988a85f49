"""Where prepared data sets live, and how files appear there: whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Download", "cache_root", "digest", "write_atomically"]


@dataclass(frozen=True, slots=True)
class Download:
    """A file or folder that a plugin keeps in the cache.

    Attributes
    ----------
    name : str
        What ``pubench data clean`` calls it, for example ``"openml:37"``.
    title : str
        What it is, for people.
    is_intact : callable
        Reads it and tells whether it is still what was put there.
    listed : bool
        Whether ``pubench data list`` shows it; small things that belong to others need not be.
    """

    name: str
    title: str
    path: Path
    is_intact: Callable[[], bool]
    listed: bool = True

    def size(self) -> int:
        """Return its bytes on the disk."""
        files = self.path.rglob("*") if self.path.is_dir() else [self.path]
        return sum(file.stat().st_size for file in files if file.is_file())


def cache_root() -> Path:
    """Return the cache folder: ``PUBENCH_CACHE``, else ``pubench`` in the user's cache folder."""
    named = os.environ.get("PUBENCH_CACHE")
    if named:
        return Path(named).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pubench"


def digest(value: Any) -> str:
    """Return a 32-digit hexadecimal name for a JSON-able value; equal values have equal names everywhere."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8, so that readers see the old one or the new one, never a part."""
    data = content.encode() if isinstance(content, str) else content
    # A link keeps pointing to what it names, and a device or pipe is written to, never replaced.
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
