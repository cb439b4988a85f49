"""File names for names that come from data: safe on every file system, never two for one file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

__all__ = ["file_names"]

_SAFE = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_LONGEST = 60
_DIGITS = 8


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return a file name, without its ending, for each name.

    A name of small letters and digits is its own file name, so that addresses can be guessed. Any other is reduced to
    such characters and gets a digest of the whole name: names that differ in capitals or signs alone have different
    files on every file system, and an address does not depend on which other names there are.
    """
    found: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name in sorted(dict.fromkeys(names)):
        digits = _DIGITS
        made = _file_name(name, digits)
        # A name may look like the file name of another one.
        while taken.get(made, name) != name:
            digits += _DIGITS
            made = _hashed(name, digits)
        taken[made], found[name] = name, made
    return found


def _file_name(name: str, digits: int) -> str:
    if _SAFE.fullmatch(name) and len(name) <= _LONGEST:
        return name
    return _hashed(name, digits)


def _hashed(name: str, digits: int) -> str:
    reduced = re.sub(r"[^a-z0-9]+", "-", name.lower())[: _LONGEST - digits - 1].strip("-")
    # Digests of 64 digits: names that agree in all of them do not exist.
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:digits]
    return f"{reduced}-{digest}".strip("-")
