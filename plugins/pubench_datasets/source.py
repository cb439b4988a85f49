"""Opening files: what can be wrong with one is said in a sentence, before or while it is read."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from pubench.errors import DataError

__all__ = [
    "available_memory",
    "check_file",
    "identity",
    "open_bytes",
    "open_text",
    "reading",
    "refuse_if_large",
]

_GZIP = b"\x1f\x8b"
# What a table or a text never begins with, and what it is then.
_FOREIGN = {
    _GZIP: "gzip data; give its name the ending .gz",
    b"PK\x03\x04": "a zip archive or a workbook; unpack it, or save its sheet as CSV",
    b"PAR1": "a Parquet file; load it with use = 'parquet'",
    b"\x93NUMPY": "a NumPy array; save data and target together with numpy.savez",
}
# Letters of two bytes each: with the mark that such a file should begin with, and without it.
_WIDE = {
    "utf-16": re.compile(rb"(\xff\xfe|\xfe\xff).*", re.DOTALL),
    "utf-16-le": re.compile(rb"([^\0]\0)+"),
    "utf-16-be": re.compile(rb"(\0[^\0])+"),
}
_CHUNK = 1 << 22


def identity(path: str | None = None, **_: object) -> dict[str, int]:
    """Return what changes when the file does: its size in bytes and its time stamp in nanoseconds."""
    if path is None:
        # The loader will miss it, and is told so in better words.
        return {}
    found = _status(path)
    return {"size": found.st_size, "mtime_ns": found.st_mtime_ns}


def _status(path: str) -> os.stat_result:
    if not isinstance(path, str | Path):
        raise DataError(f"path = {path!r} is not the name of a file; write path = '...'")
    try:
        found = os.stat(path)
    except OSError as error:
        raise DataError(f"cannot open {path}: {_reason(error)}; check the path") from error
    except ValueError as error:
        raise DataError(f"path = {path!r} is not the name of a file: {error}") from error
    if stat.S_ISDIR(found.st_mode):
        raise DataError(f"{path} is a folder; give the path of a file in it")
    if not stat.S_ISREG(found.st_mode):
        raise DataError(f"{path} is not a regular file; save what it yields to one first")
    return found


def _reason(error: OSError) -> str:
    return "no such file" if isinstance(error, FileNotFoundError) else (error.strerror or str(error))


def check_file(path: str, *, binary: bool = False, encoding: str | None = None) -> int:
    """Refuse what is no file, is empty, cannot fit into memory, or (unless ``binary``) plainly is no such text.

    Returns
    -------
    int
        How many bytes the file holds, unpacked.
    """
    size = _status(path).st_size
    if size == 0:
        raise DataError(f"{path} is empty")
    with reading(path):
        with open(path, "rb") as file:
            start = file.read(8)
        if _is_gzip(path):
            if not start.startswith(_GZIP):
                raise DataError(
                    f"{path} is not gzip data although its name ends in .gz; rename or compress it"
                )
            start, size = _unpacked(path)
        refuse_if_large(path, size)
        if not binary:
            _refuse_foreign(path, start, encoding)
    return size


def _unpacked(path: str) -> tuple[bytes, int]:
    """Return the first bytes of gzip data and how many they unpack to, or refuse them once these are too many.

    The count at the end of the file will not do: it is that of its last part alone, and modulo 4 GB.
    """
    with gzip.open(path) as file:
        start = file.read(8)
        size = len(start)
        while chunk := file.read(_CHUNK):
            size += len(chunk)
            refuse_if_large(f"{path}, unpacked,", size)
    return start, size


def _refuse_foreign(path: str, start: bytes, encoding: str | None) -> None:
    if not start:
        raise DataError(f"{path} is empty")
    for magic, description in _FOREIGN.items():
        if start.startswith(magic):
            raise DataError(f"{path} is no text but {description}")
    used = encoding or "utf-8"
    if b"\0" not in start or codec(path, used).startswith(("utf-16", "utf-32")):
        return
    for name, form in _WIDE.items():
        if form.fullmatch(start):
            remedy = f"set encoding = '{name}'" if encoding else "save it as UTF-8"
            raise DataError(f"{path} is not {used} but begins like UTF-16; {remedy}")
    raise DataError(f"{path} is no text: it holds zero bytes; save it as text, or load it as what it is")


def _is_gzip(path: str) -> bool:
    return str(path).lower().endswith(".gz")


def refuse_if_large(path: str, needed: int) -> None:
    """Refuse to read what is larger than a third of the free memory: text, table and matrix must fit."""
    free = available_memory()
    if needed > free / 3:
        raise DataError(
            f"{path} holds {needed / 1e9:.3g} GB, more than a third of the {free / 1e9:.3g} GB of free memory; "
            "save a part of its rows or columns to another file and load that, or use a larger machine"
        )


def available_memory() -> int:
    """Return how many bytes this process may still use: what the machine has free, or its own limit if lower."""
    import resource

    import psutil

    free = int(psutil.virtual_memory().available)
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_DATA, resource.RLIMIT_AS)]
    with suppress(OSError, ValueError):
        limits.append(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return min([free, *(limit for limit in limits if limit != resource.RLIM_INFINITY)])


def open_bytes(path: str) -> IO[bytes]:
    """Open a file, unpacked if its name ends in ``.gz``, so that it can be read from any place."""
    if not _is_gzip(path):
        return open(path, "rb")
    with gzip.open(path) as file:
        return io.BytesIO(file.read())


def open_text(path: str, encoding: str) -> IO[str]:
    """Open a text file, unpacked if its name ends in ``.gz``, with line ends as they are."""
    opener = gzip.open if _is_gzip(path) else open
    return opener(path, "rt", encoding=codec(path, encoding), newline="")


def codec(path: str, encoding: str) -> str:
    """Return the encoding's name; UTF-8 may begin with a byte order mark."""
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, TypeError) as error:
        raise DataError(f"{path}: encoding = {encoding!r} is unknown; try 'utf-8' or 'latin-1'") from error
    return "utf-8-sig" if name == "utf-8" else name


@contextmanager
def reading(path: str, encoding: str = "utf-8") -> Iterator[None]:
    """Turn what goes wrong while a file is read into one sentence."""
    try:
        yield
    except UnicodeError as error:
        # Looking for the place reads the file again, which may be cut short besides.
        with reading(path):
            raise DataError(_undecodable(path, encoding)) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} is cut short or damaged ({error}); get it again") from error
    except MemoryError as error:
        raise DataError(
            f"{path} does not fit into memory; save a part of its rows or columns to another file and load that"
        ) from error
    except OSError as error:
        raise DataError(f"cannot read {path}: {_reason(error)}") from error
    except LookupError as error:
        if "encoding" not in str(error):
            raise
        raise DataError(f"{path}: encoding = {encoding!r} is not one of text") from error


def _undecodable(path: str, encoding: str) -> str:
    """Say which byte of which line is not of the encoding."""
    name = codec(path, encoding)
    remedy = "set encoding, for example encoding = 'latin-1'"
    with gzip.open(path) if _is_gzip(path) else open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if number == 1 and line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                return f"{path} is not {encoding} but begins like UTF-16; set encoding = 'utf-16'"
            try:
                line.decode(name)
            except UnicodeDecodeError as error:
                wrong = f"byte 0x{line[error.start]:02x} at place {error.start + 1}"
                return f"{path}, line {number}: {wrong} is not {encoding}; {remedy}"
            except UnicodeError:
                break
    return f"{path} is not {encoding} text; {remedy}"
