"""HTTP requests to OpenML with time limits, a bounded number of attempts, and files checked on arrival.

The OpenML client waits indefinitely for a silent server, and accepts any answer. Here a request fails if no byte
arrives for ``time_limit()`` seconds, if the server cannot be reached, if the answer takes more than ``most_seconds()``
or has more than ``most_bytes()``, and if it is not OpenML's. Temporary errors (5xx, resets, damaged data) are retried
after a pause.
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
BUSY_DATABASE = "reports that its database is busy"
_BUSY_DATABASE = b"<oml:code>107<"
_BUSY = {429, 500, 502, 503, 504}
_FORBIDDEN = {401, 403, 407}
_CHUNK = 1 << 20
# Descriptions, lists of columns and lists of data sets are much smaller.
_LONGEST_ANSWER = 256_000_000

T = TypeVar("T")


class PassingError(Exception):
    """A temporary failure, worth another attempt; its text continues "the server"."""


class LastingError(Exception):
    """A permanent failure; its text continues "the server"."""


class EndlessError(LastingError):
    """An answer that takes too long; further requests to the server are pointless."""


class UnansweredError(DataError):
    """A server that is silent or unreachable; further requests to it are pointless."""


class SilentError(UnansweredError):
    """A server that sent no byte within the time limit."""


@dataclass(frozen=True, slots=True)
class Received:
    """A downloaded file: MD5 and size as stored, and its ``ETag``."""

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
    """Return the result of ``action``, retrying after temporary errors.

    Parameters
    ----------
    explain : describes an error other than one of transport, if it is temporary
    tries : the number of attempts; default: one more than there are pauses
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
                    f"{what}: the server {server()} {reason} ({len(pauses) + 1} attempts); try again later"
                ) from error
        time.sleep(pause)
    raise AssertionError("unreachable")


def _passing(what: str, error: Exception) -> str | None:
    """Describe a temporary error, raise for a permanent one, and return None for errors of other origin."""
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
            "try again later, or increase PUBENCH_OPENML_TIMEOUT"
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
    return "closed the connection"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and all errors that it wraps: causes, contexts, and arguments."""
    todo, seen = [error], set()
    while todo:
        link = todo.pop()
        if isinstance(link, BaseException) and id(link) not in seen:
            seen.add(id(link))
            todo += [link.__cause__, link.__context__, getattr(link, "reason", None), *link.args]
            yield link


@contextmanager
def limited() -> Iterator[None]:
    """Limit every request of this thread, and refuse answers other than OpenML's XML.

    The client opens its own sessions without limits, so that this replaces the method with which all sessions send.
    `PassingError` and `LastingError` describe other answers of the server.
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
    """Refuse answers that an OpenML server does not send: web pages, password forms, empty answers."""
    start = body[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if b"<oml:" in start:
        return
    if status in _FORBIDDEN:
        raise LastingError(f"denied access (status {status}); check PUBENCH_OPENML_SERVER")
    if not start and status == 200:
        raise PassingError("sent an empty answer")
    sent = "a web page" if start.startswith((b"<!doctype html", b"<html")) else "something else"
    raise LastingError(f"answered {status} with {sent} instead of OpenML's XML; check PUBENCH_OPENML_SERVER")


def _pieces(response: Any, most: int) -> Iterator[bytes]:
    """Yield the decompressed content as it arrives, up to ``most`` bytes and ``most_seconds()``."""
    import requests
    import urllib3

    begun, seconds, size = time.monotonic(), most_seconds(), 0
    # Reading a whole block would wait for a slow server.
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
                f"took more than {seconds:g} s for one answer; try again later, or increase PUBENCH_OPENML_SECONDS"
            )
        yield piece


def _too_large(most: int) -> str:
    return f"sent more than {most / 1e6:g} MB; increase PUBENCH_OPENML_MAX_MB if that is expected"


def download(
    url: str,
    path: Path,
    *,
    progress: Callable[[int, int | None], None],
    plain: bool = False,
    md5: str | None = None,
) -> Received:
    """Download a file once; raise `PassingError` if it does not match ``md5`` or, with ``plain``, its ETag.

    Parameters
    ----------
    progress : called at the start and for each piece, with the bytes received and the total (None if unknown)
    plain : request the stored bytes without compression, so that an MD5 in the ETag applies to them
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
            raise DataError(
                f"{url.partition('?')[0]} answered {response.status_code}: the file is missing; try again later"
            )
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
    actual = hashed.hexdigest()
    expected = md5.lower() if md5 else etag if plain and len(etag) == 32 else actual
    if actual != expected:
        raise PassingError("sent a damaged file with a wrong checksum")
    return Received(actual, size, etag)


def _length(response: Any) -> int | None:
    """Return the number of bytes to come; None if it is unknown or they are compressed."""
    length = response.headers.get("Content-Length", "")
    packed = response.headers.get("Content-Encoding", "identity").lower() != "identity"
    return int(length) if length.isdigit() and not packed else None
