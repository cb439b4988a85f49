"""Opening of files for all loaders; errors before and while a file is read become one sentence."""

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
# The first bytes of files that are not text, and what such a file is.
_FOREIGN = {
    _GZIP: "gzip data; rename it to end in .gz",
    b"PK\x03\x04": "a zip archive or a workbook; unpack it, or save its sheet as CSV",
    b"PAR1": "a Parquet file; load it with use = 'parquet'",
    b"\x93NUMPY": "a NumPy array; save data and target together with numpy.savez",
}
# Characters of two bytes each, with and without a byte order mark.
_WIDE = {
    "utf-16": re.compile(rb"(\xff\xfe|\xfe\xff).*", re.DOTALL),
    "utf-16-le": re.compile(rb"([^\0]\0)+"),
    "utf-16-be": re.compile(rb"(\0[^\0])+"),
}
_CHUNK = 1 << 22


def identity(path: str | None = None, **_: object) -> dict[str, int]:
    """Return the size of the file in bytes and its time stamp in nanoseconds, which change with the file."""
    if path is None:
        # The check of the loader's parameters reports that it is missing.
        return {}
    status = _status(path)
    return {"size": status.st_size, "mtime_ns": status.st_mtime_ns}


def _status(path: str) -> os.stat_result:
    if not isinstance(path, str | Path):
        raise DataError(f"path = {path!r} is not the name of a file; write path = '...'")
    try:
        status = os.stat(path)
    except OSError as error:
        raise DataError(f"cannot open {path}: {_reason(error)}; check the path") from error
    except ValueError as error:
        raise DataError(f"path = {path!r} is not the name of a file: {error}; correct it") from error
    if stat.S_ISDIR(status.st_mode):
        raise DataError(f"{path} is a folder; name a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise DataError(f"{path} is not a regular file; save its content to one first")
    return status


def _reason(error: OSError) -> str:
    return "no such file" if isinstance(error, FileNotFoundError) else (error.strerror or str(error))


def check_file(path: str, *, binary: bool = False, encoding: str | None = None) -> int:
    """Refuse a file that does not exist, is empty, is too large for memory, or (unless ``binary``) is not text.

    Returns
    -------
    int
        The size of the file in bytes, uncompressed.
    """
    size = _status(path).st_size
    if size == 0:
        raise DataError(f"{path} is empty; get a new copy")
    with reading(path):
        with open(path, "rb") as file:
            start = file.read(8)
        if _is_gzip(path):
            if not start.startswith(_GZIP):
                raise DataError(f"{path} ends in .gz but is not gzip data; rename or compress it")
            start, size = _unpacked(path)
        refuse_if_large(path, size)
        if not binary:
            _refuse_foreign(path, start, encoding)
    return size


def _unpacked(path: str) -> tuple[bytes, int]:
    """Return the first bytes of gzip data and their uncompressed size, or refuse them if they are too large.

    The size at the end of the file is not reliable: it is that of the last member only, modulo 4 GB.
    """
    with gzip.open(path) as file:
        start = file.read(8)
        size = len(start)
        while chunk := file.read(_CHUNK):
            size += len(chunk)
            refuse_if_large(f"{path}, uncompressed,", size)
    return start, size


def _refuse_foreign(path: str, start: bytes, encoding: str | None) -> None:
    if not start:
        raise DataError(f"{path} is empty; get a new copy")
    for magic, description in _FOREIGN.items():
        if start.startswith(magic):
            raise DataError(f"{path} is not text but {description}")
    used = encoding or "utf-8"
    if b"\0" not in start or codec(path, used).startswith(("utf-16", "utf-32")):
        return
    for name, form in _WIDE.items():
        if form.fullmatch(start):
            remedy = f"set encoding = '{name}'" if encoding else "save it as UTF-8"
            raise DataError(f"{path} is not {used} but begins like UTF-16; {remedy}")
    raise DataError(
        f"{path} is not text, because it contains zero bytes; save it as text, or use the loader of its format"
    )


def _is_gzip(path: str) -> bool:
    return str(path).lower().endswith(".gz")


def refuse_if_large(path: str, needed: int) -> None:
    """Refuse data larger than a third of the free memory, because text, table and matrix must fit."""
    free = available_memory()
    if needed > free / 3:
        raise DataError(
            f"{path} takes {needed / 1e9:.3g} GB, more than a third of the {free / 1e9:.3g} GB of free memory; "
            "use a machine with more memory, or load a file with fewer columns or a random sample of the rows"
        )


def available_memory() -> int:
    """Return the free memory of this process in bytes: that of the machine, or its own limit if lower."""
    import resource

    import psutil

    free = int(psutil.virtual_memory().available)
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_DATA, resource.RLIMIT_AS)]
    with suppress(OSError, ValueError):
        limits.append(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return min([free, *(limit for limit in limits if limit != resource.RLIM_INFINITY)])


def open_bytes(path: str) -> IO[bytes]:
    """Open a seekable file, decompressed if its name ends in ``.gz``."""
    if not _is_gzip(path):
        return open(path, "rb")
    with gzip.open(path) as file:
        return io.BytesIO(file.read())


def open_text(path: str, encoding: str) -> IO[str]:
    """Open a text file, decompressed if its name ends in ``.gz``, with unchanged line ends."""
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
    """Convert errors while a file is read to one sentence."""
    try:
        yield
    except UnicodeError as error:
        # Locating the error reads the file again, which may also be truncated.
        with reading(path):
            raise DataError(_undecodable(path, encoding)) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} is truncated or damaged ({error}); get a new copy") from error
    except MemoryError as error:
        raise DataError(
            f"{path} does not fit into memory; load a file with fewer columns or a random sample of the rows"
        ) from error
    except OSError as error:
        raise DataError(
            f"cannot read {path}: {_reason(error)}; check the file and its permissions"
        ) from error
    except LookupError as error:
        if "encoding" not in str(error):
            raise
        raise DataError(
            f"{path}: encoding = {encoding!r} is not a text encoding; try 'utf-8' or 'latin-1'"
        ) from error


def _undecodable(path: str, encoding: str) -> str:
    """Return a sentence with the first byte that the encoding cannot decode."""
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
