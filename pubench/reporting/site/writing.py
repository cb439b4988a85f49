"""Writing a site: all of its files or none, and nothing of anybody else is touched."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from pubench.data.cache import write_together
from pubench.errors import PubenchError, StoreError
from pubench.results.checked import checksum

__all__ = ["MANIFEST", "write_site"]

MANIFEST = "site.json"
"""Lists the files of a site with their digests: only these are replaced, or removed when they are stale."""
_REMEDY = "choose another --out"


def write_site(files: Mapping[str, bytes], out: Path) -> None:
    """Write a site into a folder that is new, empty, or holds a site that nobody has changed.

    Raises
    ------
    PubenchError
        If the folder holds something else, or a file of its site was changed.
    StoreError
        If a file cannot be written; the earlier site is as it was.
    """
    try:
        known = _known(out)
        _refuse_changes(files, known, out)
        listed = {name: checksum(data).decode() for name, data in sorted(files.items())}
        manifest = json.dumps({"made_by": "pubench site", "files": listed}, indent=1) + "\n"
        write_together({out / name: data for name, data in {**files, MANIFEST: manifest.encode()}.items()})
    except OSError as error:
        raise StoreError(
            f"cannot write {error.filename}: {error.strerror}; make room, or {_REMEDY}"
        ) from None
    _remove([out / name for name in known if name not in files])


def _known(out: Path) -> dict[str, str]:
    """Return the digests of the files of the site that a folder holds."""
    if not out.exists():
        return {}
    if not out.is_dir():
        raise PubenchError(f"{out} is not a folder; {_REMEDY}")
    if not any(out.iterdir()):
        return {}
    try:
        value = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
        listed = {str(name): str(digest) for name, digest in value["files"].items()}
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        raise PubenchError(
            f"{out} holds files that are not a site of pubench; {_REMEDY}, or empty it yourself"
        ) from None
    if any(not _is_inside(name) for name in listed):
        raise PubenchError(f"{out / MANIFEST} lists files outside of the site; {_REMEDY}")
    return listed


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _refuse_changes(files: Mapping[str, bytes], known: Mapping[str, str], out: Path) -> None:
    """Refuse to replace or remove what this command has not written."""
    for name in dict.fromkeys((*known, *files)):
        path = out / name
        if not path.exists() and not path.is_symlink():
            continue
        if name not in known:
            raise PubenchError(f"{path} is in the way and does not belong to the site; move it, or {_REMEDY}")
        if path.is_symlink() or not path.is_file() or checksum(path.read_bytes()).decode() != known[name]:
            raise PubenchError(f"{path} was changed since the site was made; move it, or {_REMEDY}")


def _remove(stale: list[Path]) -> None:
    """Remove files of the earlier site that the new one does not have, and folders that are empty then."""
    for path in stale:
        # The new site is whole; a file that stays is harmless.
        with contextlib.suppress(OSError):
            path.unlink()
            path.parent.rmdir()
