"""Where OpenML is and where its data lie here: what the environment says, and nothing else.

``PUBENCH_OPENML_SERVER``
    The server's base address; default ``https://www.openml.org``. A mirror must serve the same API below it.
``PUBENCH_OPENML_TIMEOUT``
    Seconds without a byte after which a request is given up; default 30.
``PUBENCH_OFFLINE``
    If set (and neither empty nor ``0``), no request is sent: what is not in the cache is an error.
"""

from __future__ import annotations

import ipaddress
import os
import re
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from pubench.cache import cache_root
from pubench.errors import DataError

__all__ = ["folder", "is_offline", "refuse_offline", "server", "server_key", "time_limit"]

_DEFAULT = "https://www.openml.org"
_API = re.compile(r"/api/v1(/xml|/json)?$")


def server() -> str:
    """Return the server's base address, without a slash at its end."""
    named = os.environ.get("PUBENCH_OPENML_SERVER", "").strip() or _DEFAULT
    _parsed(named)
    return _API.sub("", named.rstrip("/"))


def _parsed(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or parts.query or parts.fragment:
        raise DataError(
            f"PUBENCH_OPENML_SERVER = '{address}' is not the address of a server; "
            "write for example http://127.0.0.1:8080"
        )
    return parts


def server_key() -> str:
    """Return the server's name in the cache: host, port if one is given, and path.

    A server on this machine is called ``loopback`` whatever its port, because such ports change with each start.
    """
    parts = _parsed(server())
    host = str(parts.hostname)
    if _is_loopback(host):
        name = f"loopback{parts.path}"
    else:
        name = host + (f"_{parts.port}" if parts.port else "") + parts.path
    return re.sub(r"[^\w.-]+", "_", name)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def folder() -> Path:
    """Return the folder that holds what came from the server."""
    return cache_root() / "openml" / server_key()


def time_limit() -> float:
    """Return how many seconds a request may pass without a byte."""
    text = os.environ.get("PUBENCH_OPENML_TIMEOUT", "").strip() or "30"
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86_400:
        raise DataError(f"PUBENCH_OPENML_TIMEOUT = '{text}' is not a number of seconds; write for example 30")
    return seconds


def is_offline() -> bool:
    """Return whether requests are forbidden."""
    return os.environ.get("PUBENCH_OFFLINE", "").strip().lower() not in {"", "0", "false", "no"}


def refuse_offline(what: str) -> None:
    """Raise if requests are forbidden: ``what`` is what the cache does not hold."""
    if is_offline():
        raise DataError(
            f"{what} is not in the cache {folder()} and PUBENCH_OFFLINE is set; "
            "run once without PUBENCH_OFFLINE to fetch it"
        )
