"""The data root: a folder of data files whose ``catalog.json`` says how large each is and what it hashes to.

``PUBENCH_DATA`` names the folder. Its catalog is a list of objects with at least the keys ``name``, ``file`` (a path
below the folder), ``bytes`` and ``sha256``. A file is hashed once and again only when its size or time stamp changes:
``checked.json`` in the cache folder remembers that.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pubench.data import Download, cache_root, write_atomically
from pubench.errors import DataError, did_you_mean

__all__ = ["Listed", "catalog", "data_root", "downloads", "find", "listed"]

CATALOG = "catalog.json"
_WHAT_IT_IS = f"the folder of data files with their {CATALOG}"


@dataclass(frozen=True, slots=True)
class Listed:
    """A file of the data root, as its catalog describes it."""

    name: str
    path: Path
    size: int
    sha256: str


def data_root() -> Path | None:
    """Return the folder that ``PUBENCH_DATA`` names, or None where it is not set."""
    named = os.environ.get("PUBENCH_DATA", "").strip()
    return Path(os.path.abspath(Path(named).expanduser())) if named else None


def find(name: str) -> Path:
    """Return the path of a file, by its name in the catalog; its size and SHA-256 are those promised there."""
    known = catalog()
    if name not in known:
        raise DataError(f"{data_root()}/{CATALOG} lists no '{name}'{did_you_mean(name, known)}")
    _check(known[name])
    return known[name].path


def listed(name: str) -> Listed | None:
    """Return what the catalog says of a file, unchecked; None where there is no data root or it has no such file."""
    return None if data_root() is None else catalog().get(name)


def catalog() -> dict[str, Listed]:
    """Return name -> file for all that the catalog lists."""
    root = data_root()
    if root is None:
        raise DataError(f"PUBENCH_DATA is not set: it names {_WHAT_IT_IS}; run: export PUBENCH_DATA=FOLDER")
    if not root.is_dir():
        raise DataError(f"PUBENCH_DATA = '{root}' is not a folder: it must name {_WHAT_IT_IS}")
    found = [_entry(root, place, entry) for place, entry in enumerate(_entries(root), 1)]
    files = {entry.name: entry for entry in found}
    if len(files) < len(found):
        names = [entry.name for entry in found]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{root / CATALOG} lists '{twice}' twice; remove one of the two")
    return files


def _entries(root: Path) -> list[Any]:
    path = root / CATALOG
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DataError(f"PUBENCH_DATA = '{root}' holds no {CATALOG}: it must name {_WHAT_IT_IS}") from error
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}; get it again") from error
    if not isinstance(entries, list):
        raise DataError(f"{path} is a JSON {type(entries).__name__}; a catalog is a list of objects")
    return entries


def _entry(root: Path, place: int, entry: Any) -> Listed:
    kinds = {"name": str, "file": str, "bytes": int, "sha256": str}
    if not isinstance(entry, dict) or any(type(entry.get(key)) is not kind for key, kind in kinds.items()):
        keys = ", ".join(kinds)
        raise DataError(f"{root / CATALOG}, entry {place}: it needs {keys}, bytes a number, the others text")
    path = Path(os.path.normpath(root / entry["file"]))
    if not path.is_relative_to(root):
        raise DataError(
            f"{root / CATALOG}, entry {place}: file = '{entry['file']}' lies outside the folder; give a path below it"
        )
    return Listed(entry["name"], path, entry["bytes"], entry["sha256"].lower())


def _check(entry: Listed) -> None:
    """Refuse a file that is missing or is not the one of the catalog."""
    path = entry.path
    try:
        status = path.stat()
        if not path.is_file():
            raise DataError(f"{path} is not a file, although {CATALOG} lists it as '{entry.name}'")
        if status.st_size != entry.size:
            raise DataError(
                f"{path} has {status.st_size:,} bytes where {CATALOG} says {entry.size:,}; get it again"
            )
        stamp = {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": entry.sha256}
        checked = _read_checked()
        if checked.get(str(path)) == stamp:
            return
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise DataError(
            f"{path} is missing, although {CATALOG} lists it as '{entry.name}'; get it again"
        ) from error
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    if found != entry.sha256:
        raise DataError(f"{path} has the SHA-256 {found} where {CATALOG} says {entry.sha256}; get it again")
    # Remembering saves time only: where the cache cannot be written, the next call hashes again.
    with contextlib.suppress(OSError):
        write_atomically(_checked_path(), json.dumps({**_read_checked(), str(path): stamp}, indent=1))


def downloads() -> list[Download]:
    """Return the record of checked files as a download, so that emptying the cache removes it."""
    path = _checked_path()
    record = Download("data-root:checked", "checksums of the data root", path, lambda: True, listed=False)
    return [record] if path.exists() else []


def _checked_path() -> Path:
    return cache_root() / "checked.json"


def _read_checked() -> dict[str, Any]:
    """Return path -> size, time stamp and checksum of the files hashed so far; nothing if that is unreadable."""
    try:
        found = json.loads(_checked_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
