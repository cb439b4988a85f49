"""The data root: a folder of data files with a ``catalog.json`` of their sizes and checksums.

``PUBENCH_DATA`` names the folder. Its catalog is a list of objects with at least the keys ``name``, ``file`` (a path
below the folder), ``bytes`` and ``sha256``. A file is hashed once, and again only if its size or time stamp changes;
``checked.json`` in the cache folder records this.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from pubench.data import Download, cache_root, write_atomically
from pubench.errors import DataError, did_you_mean

__all__ = ["CatalogFile", "catalog", "catalog_entry", "data_root", "downloads", "find"]

CATALOG = "catalog.json"
_WHAT_IT_IS = f"the folder of data files with their {CATALOG}"


@dataclass(frozen=True, slots=True)
class CatalogFile:
    """A file of the data root, as its catalog describes it."""

    name: str
    path: Path
    size: int
    sha256: str


def data_root() -> Path | None:
    """Return the folder that ``PUBENCH_DATA`` names; None if it is not set."""
    path = os.environ.get("PUBENCH_DATA", "").strip()
    return Path(os.path.abspath(Path(path).expanduser())) if path else None


def find(name: str) -> Path:
    """Return the path of a file by its name in the catalog, after a check of its size and SHA-256."""
    known = catalog()
    if name not in known:
        raise DataError(f"{data_root()}/{CATALOG} does not list '{name}'{did_you_mean(name, known)}")
    _check(known[name])
    return known[name].path


def catalog_entry(name: str) -> CatalogFile | None:
    """Return the catalog entry of a file, without a check; None if there is no data root or no such entry."""
    return None if data_root() is None else catalog().get(name)


def catalog() -> dict[str, CatalogFile]:
    """Return the files of the catalog by name."""
    root = data_root()
    if root is None:
        raise DataError(f"PUBENCH_DATA is not set; it names {_WHAT_IT_IS}; run: export PUBENCH_DATA=FOLDER")
    if not root.is_dir():
        raise DataError(f"PUBENCH_DATA = '{root}' is not a folder; set it to {_WHAT_IT_IS}")
    entries = [_entry(root, place, entry) for place, entry in enumerate(_entries(root), 1)]
    files = {entry.name: entry for entry in entries}
    if len(files) < len(entries):
        names = [entry.name for entry in entries]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{root / CATALOG} lists '{twice}' twice; remove one of the two")
    return files


def _entries(root: Path) -> list[object]:
    path = root / CATALOG
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DataError(f"PUBENCH_DATA = '{root}' contains no {CATALOG}; set it to {_WHAT_IT_IS}") from error
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}; check its permissions") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}; get a new copy") from error
    if not isinstance(entries, list):
        raise DataError(f"{path} is a JSON {type(entries).__name__}; write a list of objects")
    return entries


def _entry(root: Path, place: int, entry: object) -> CatalogFile:
    kinds = {"name": str, "file": str, "bytes": int, "sha256": str}
    if not isinstance(entry, dict) or any(type(entry.get(key)) is not kind for key, kind in kinds.items()):
        keys = ", ".join(kinds)
        raise DataError(
            f"{root / CATALOG}, entry {place}: write {keys}, bytes as a number and the others as text"
        )
    path = Path(os.path.normpath(root / entry["file"]))
    if not path.is_relative_to(root):
        raise DataError(
            f"{root / CATALOG}, entry {place}: file = '{entry['file']}' is outside the folder; write a path below it"
        )
    return CatalogFile(entry["name"], path, entry["bytes"], entry["sha256"].lower())


def _check(entry: CatalogFile) -> None:
    """Refuse a file that is missing or does not match the catalog."""
    path = entry.path
    try:
        status = path.stat()
        if not path.is_file():
            raise DataError(
                f"{path} is not a file, although {CATALOG} lists it as '{entry.name}'; get a new copy"
            )
        if status.st_size != entry.size:
            raise DataError(
                f"{path} has {status.st_size:,} bytes, but {CATALOG} lists {entry.size:,}; get a new copy"
            )
        stamp = {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": entry.sha256}
        checked = _read_checked()
        if checked.get(str(path)) == stamp:
            return
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise DataError(
            f"{path} is missing, although {CATALOG} lists it as '{entry.name}'; get a new copy"
        ) from error
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}; check its permissions") from error
    if sha256 != entry.sha256:
        raise DataError(
            f"{path} has the SHA-256 {sha256}, but {CATALOG} lists {entry.sha256}; get a new copy"
        )
    # The record only saves time: if the cache is not writable, the next call hashes again.
    with contextlib.suppress(OSError):
        write_atomically(_checked_path(), json.dumps({**_read_checked(), str(path): stamp}, indent=1))


def downloads() -> list[Download]:
    """Return the record of checked files as a download, so that emptying the cache removes it."""
    path = _checked_path()
    record = Download("data-root:checked", "checksums of the data root", path, lambda: True, listed=False)
    return [record] if path.exists() else []


def _checked_path() -> Path:
    return cache_root() / "checked.json"


def _read_checked() -> dict[str, object]:
    """Return size, time stamp and checksum of the files hashed so far, by path; empty if it is unreadable."""
    try:
        record = json.loads(_checked_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}
