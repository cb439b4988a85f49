"""Checked JSON documents: a file that carries a digest of its content, so that any altered byte is noticed on reading.

The file is ``{"digest":"<16 hexadecimal digits>","content":<JSON>}`` and a line break: ``jq .content`` shows what it
holds. The digest is taken over the exact bytes of the content.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import msgspec

from pubench.data.cache import write_atomically
from pubench.errors import DamagedFileError, RunFolderError
from pubench.specs import JSONValue

__all__ = ["DIGITS", "checksum", "read_checked", "set_aside_damaged", "write_checked", "write_if_changed"]

DIGITS = 16
"""The length of a digest."""
_HEAD, _MIDDLE, _TAIL = b'{"digest":"', b'","content":', b"}\n"
_PREFIX = len(_HEAD) + DIGITS + len(_MIDDLE)


def checksum(text: bytes) -> bytes:
    """Return the digest of some bytes: 16 hexadecimal digits of BLAKE2b."""
    return hashlib.blake2b(text, digest_size=DIGITS // 2).hexdigest().encode()


def write_checked(path: Path, value: JSONValue, *, indent: int | None = None) -> None:
    """Write a JSON value with its digest; a file that already holds the same bytes is left alone."""
    separators = (",", ":") if indent is None else None
    content = json.dumps(value, separators=separators, indent=indent).encode()
    write_if_changed(path, _document(content))


def read_checked(path: Path, *, remedy: str) -> JSONValue:
    """Return the value that :func:`write_checked` wrote.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DamagedFileError
        If a byte of the file is not as it was written; ``remedy`` says what to do.
    RunFolderError
        If the file cannot be opened.
    """
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except OSError as error:
        raise RunFolderError(f"cannot read {path}: {error.strerror}") from None
    content = data[_PREFIX : -len(_TAIL)]
    if data != _document(content):
        raise DamagedFileError(f"{path} is damaged, or another version of pubench wrote it; {remedy}")
    return _value(content)


def _value(content: bytes) -> JSONValue:
    value: JSONValue
    try:
        value = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError):
        # Paths may hold bytes that are not UTF-8, which only Python's own reader takes; it is slower.
        value = json.loads(content)
    return value


def write_if_changed(path: Path, data: bytes) -> None:
    """Write a file unless it already holds these bytes: its modification time says when its content changed."""
    try:
        if path.read_bytes() == data:
            return
    except OSError:
        pass
    write_atomically(path, data)


def set_aside_damaged(path: Path) -> Path:
    """Keep a damaged file under another name, ``<name>.damaged-<number>``, and return its new path."""
    number = len(list(path.parent.glob(f"{path.name}.damaged-*"))) + 1
    kept = path.with_name(f"{path.name}.damaged-{number}")
    os.replace(path, kept)
    return kept


def _document(content: bytes) -> bytes:
    return _HEAD + checksum(content) + _MIDDLE + content + _TAIL
