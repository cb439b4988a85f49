"""Requests that end: time limits, a bounded number of tries, and files that are checked while they arrive.

The OpenML client waits for ever on a silent server, and takes whatever another sends. Here a request without a byte
for ``time_limit()`` seconds is given up, as is a server that nobody can reach, an answer that takes more than
``most_seconds()`` or has more than ``most_bytes()``, and one that is not OpenML's; errors that tend to pass (5xx,
resets, damaged data) are tried again after a pause.
"""

from __future__ import annotations

import hashlib
import io
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pubench.errors import DataError
from pubench_datasets.openml_settings import most_bytes, most_seconds, server, time_limit

__all__ = [
    "BUSY_DATABASE",
    "LastingError",
    "PassingError",
    "Received",
    "SilentError",
    "UnansweredError",
    "download",
    "limited",
    "patiently",
]

WAITS = (0.5, 1.5, 3.0)
BUSY_DATABASE = "says that its database is busy"
_BUSY_DATABASE = b"<oml:code>107<"
_BUSY = {429, 500, 502, 503, 504}
_FORBIDDEN = {401, 403, 407}
_CHUNK = 1 << 20
# Descriptions, lists of columns and lists of data sets are far smaller.
_LONGEST_ANSWER = 256_000_000

T = TypeVar("T")


class PassingError(Exception):
    """What may be gone at the next try; its text goes on after "the server"."""


class LastingError(Exception):
    """What the next try would meet again; its text goes on after "the server"."""


class EndlessError(LastingError):
    """An answer that takes too long: no use asking for something else either."""


class UnansweredError(DataError):
    """A server that is silent or out of reach: no use asking it for something else."""


class SilentError(UnansweredError):
    """A server that let the time limit pass without a byte."""


@dataclass(frozen=True, slots=True)
class Received:
    """A file that has arrived: MD5 and size as stored, and the ``ETag`` it came with."""

    md5: str
    size: int
    etag: str


def patiently(
    what: str,
    action: Callable[[], T],
    *,
    explain: Callable[[Exception], str | None] = lambda error: None,
    tries: int | None = None,
) -> T:
    """Return what ``action`` returns, trying again after errors that may pass.

    Parameters
    ----------
    explain : says of an error that is no error of transport what the server did, if that may pass too
    tries : how often to try; default once more than there are pauses
    """
    pauses = WAITS if tries is None else WAITS[: tries - 1]
    for pause in (*pauses, None):
        try:
            return action()
        except Exception as error:
            reason = _passing(what, error) or explain(error)
            if reason is None:
                raise
            if pause is None:
                raise DataError(
                    f"{what}: the server {server()} {reason} ({len(pauses) + 1} tries); try again later"
                ) from error
        time.sleep(pause)
    raise AssertionError("unreachable")


def _passing(what: str, error: Exception) -> str | None:
    """Return what the server did if it may pass, None if it is none of our business; raise if it will not pass."""
    import requests

    if isinstance(error, PassingError):
        return str(error)
    if isinstance(error, LastingError):
        kind = UnansweredError if isinstance(error, EndlessError) else DataError
        raise kind(f"{what}: the server {server()} {error}") from error
    if not isinstance(error, requests.RequestException):
        return None
    names = {type(link).__name__ for link in _chain(error)}
    if names & {"ConnectTimeout", "ReadTimeout", "ConnectTimeoutError", "ReadTimeoutError", "TimeoutError"}:
        raise SilentError(
            f"{what}: the server {server()} sent nothing for {time_limit():g} s; "
            "try again later, or set PUBENCH_OPENML_TIMEOUT to more seconds"
        ) from error
    if names & {"ConnectionRefusedError", "NameResolutionError", "gaierror"}:
        how = "refuses connections" if "ConnectionRefusedError" in names else "is unknown"
        raise UnansweredError(
            f"{what}: the server {server()} {how}; check the network and PUBENCH_OPENML_SERVER"
        ) from error
    if names & {"SSLError", "SSLCertVerificationError", "InvalidURL", "InvalidSchema", "TooManyRedirects"}:
        raise DataError(
            f"{what}: no connection to {server()} ({type(error).__name__}); check PUBENCH_OPENML_SERVER"
        ) from error
    return "broke the connection off"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and all that it wraps: causes, contexts, and errors among the arguments."""
    todo, seen = [error], set()
    while todo:
        link = todo.pop()
        if isinstance(link, BaseException) and id(link) not in seen:
            seen.add(id(link))
            todo += [link.__cause__, link.__context__, getattr(link, "reason", None), *link.args]
            yield link


@contextmanager
def limited() -> Iterator[None]:
    """Give every request of this thread limits, and see to it that it is answered in OpenML's XML or not at all.

    The client opens sessions of its own and passes no limit, so this is done where all of them send. `PassingError`
    and `LastingError` say what the server did instead.
    """
    import requests

    session_type: Any = requests.Session
    seconds, mine, original = time_limit(), threading.get_ident(), session_type.send

    def send(session: Any, request: Any, **options: Any) -> Any:
        if threading.get_ident() != mine:
            return original(session, request, **options)
        if options.get("timeout") is None:
            options["timeout"] = seconds
        if options.get("stream"):
            return original(session, request, **options)
        response = original(session, request, **(options | {"stream": True}))
        with response:
            _refuse_busy(response)
            body = b"".join(_pieces(response, min(most_bytes(), _LONGEST_ANSWER)))
        _refuse_foreign(response.status_code, body)
        response.raw = io.BytesIO(body)
        return response

    session_type.send = send
    try:
        yield
    finally:
        session_type.send = original


def _refuse_busy(response: Any) -> None:
    if response.status_code in _BUSY:
        raise PassingError(f"answered {response.status_code}")


def _refuse_foreign(status: int, body: bytes) -> None:
    """Refuse what no server of OpenML says: pages for people, forms for a password, nothing at all."""
    start = body[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if b"<oml:" in start:
        return
    if status in _FORBIDDEN:
        raise LastingError(f"grants no access (it answered {status}); check PUBENCH_OPENML_SERVER")
    if not start and status == 200:
        raise PassingError("sent an empty answer")
    sent = "a web page" if start.startswith((b"<!doctype html", b"<html")) else "something else"
    raise LastingError(f"answered {status} with {sent}, not with OpenML's XML; check PUBENCH_OPENML_SERVER")


def _pieces(response: Any, most: int) -> Iterator[bytes]:
    """Yield what arrives as it arrives, unpacked, up to ``most`` bytes and ``most_seconds()``."""
    import requests
    import urllib3

    begun, seconds, size = time.monotonic(), most_seconds(), 0
    # Reading a whole block would wait for it however slowly it comes.
    read: Callable[..., bytes] = getattr(response.raw, "read1", response.raw.read)
    while True:
        try:
            piece = read(_CHUNK, decode_content=True)
        except urllib3.exceptions.HTTPError as error:
            raise requests.ConnectionError(error) from error
        if not piece:
            return
        size += len(piece)
        if size > most:
            raise LastingError(_too_large(most))
        if time.monotonic() - begun > seconds:
            raise EndlessError(
                f"took more than {seconds:g} s for one answer; try again later, or set PUBENCH_OPENML_SECONDS to more"
            )
        yield piece


def _too_large(most: int) -> str:
    return f"sent more than {most / 1e6:g} MB; set PUBENCH_OPENML_MAX_MB to more if that is right"


def download(
    url: str,
    path: Path,
    *,
    progress: Callable[[int, int | None], None],
    plain: bool = False,
    md5: str | None = None,
) -> Received:
    """Fetch a file once; `PassingError` if it arrives otherwise than ``md5`` or, with ``plain``, its ETag says.

    Parameters
    ----------
    progress : called at the beginning and with each piece, with the bytes received and those to come (None if unknown)
    plain : ask for the stored bytes, so that an MD5 in the ETag is theirs
    """
    import requests

    headers = {"Accept-Encoding": "identity"} if plain else {}
    hashed, size = hashlib.md5(usedforsecurity=False), 0
    with (
        requests.Session() as session,
        session.get(url, headers=headers, stream=True, timeout=time_limit()) as response,
    ):
        _refuse_busy(response)
        if response.status_code != 200:
            if _BUSY_DATABASE in response.raw.read(4096, decode_content=True):
                raise PassingError(BUSY_DATABASE)
            raise DataError(f"{url.partition('?')[0]} answered {response.status_code}; the file is not there")
        most, total = most_bytes(), _length(response)
        if total is not None and total > most:
            raise LastingError(_too_large(most))
        progress(0, total)
        with open(path, "wb") as file:
            for piece in _pieces(response, most):
                hashed.update(piece)
                size += len(piece)
                file.write(piece)
                progress(size, total)
        etag = response.headers.get("ETag", "").strip('"').lower()
    found = hashed.hexdigest()
    expected = md5.lower() if md5 else etag if plain and len(etag) == 32 else found
    if found != expected:
        raise PassingError("sent a damaged file: its checksum is not the one announced")
    return Received(found, size, etag)


def _length(response: Any) -> int | None:
    """Return how many bytes will arrive, unless they are packed or nobody says."""
    length = response.headers.get("Content-Length", "")
    packed = response.headers.get("Content-Encoding", "identity").lower() != "identity"
    return int(length) if length.isdigit() and not packed else None
