"""Settings of OpenML's server and cache, all from environment variables.

``PUBENCH_OPENML_SERVER``
    The server's base address; default ``https://www.openml.org``. A mirror must serve the same API below it.
``PUBENCH_OPENML_TIMEOUT``
    Seconds without a byte after which a request fails; default 30.
``PUBENCH_OPENML_SECONDS``
    Seconds after which a request fails in any case; default 3600.
``PUBENCH_OPENML_MAX_MB``
    The largest size of one answer in megabytes; default 4000.
``PUBENCH_OFFLINE``
    If set (and neither empty nor ``0``), no request is sent: data that are not in the cache are an error.
"""

from __future__ import annotations

import ipaddress
import os
import re
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from pubench.data import cache_root
from pubench.errors import DataError

__all__ = [
    "folder",
    "folders",
    "is_offline",
    "most_bytes",
    "most_seconds",
    "public_page",
    "refuse_offline",
    "server",
    "server_key",
    "time_limit",
]

_DEFAULT = "https://www.openml.org"
_API = re.compile(r"/api/v1(/xml|/json)?$")


def server() -> str:
    """Return the server's base address, without a final slash."""
    address = os.environ.get("PUBENCH_OPENML_SERVER", "").strip() or _DEFAULT
    _parsed(address)
    return _API.sub("", address.rstrip("/"))


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

    A local server is called ``loopback`` whatever its port, because such ports change with each start.
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


def public_page(number: int, address: str) -> str:
    """Return where readers find a data set whose server gives this address.

    An address on this machine leads nobody else to the data: a mirror is taken for one of OpenML.
    """
    if not _is_loopback(urlsplit(address).hostname or ""):
        return address
    return f"{_DEFAULT}/d/{number}, by a mirror"


def folder() -> Path:
    """Return the folder with the data from the server."""
    return cache_root() / "openml" / server_key()


def folders() -> list[Path]:
    """Return the folder of each server that has any."""
    return sorted(path for path in (cache_root() / "openml").glob("*") if path.is_dir())


def time_limit() -> float:
    """Return the longest time without a byte in seconds."""
    return _number("PUBENCH_OPENML_TIMEOUT", 30, "seconds", 86_400)


def most_seconds() -> float:
    """Return the longest time of a request in seconds."""
    return _number("PUBENCH_OPENML_SECONDS", 3600, "seconds", 864_000)


def most_bytes() -> int:
    """Return the largest size of an answer in bytes."""
    return int(1e6 * _number("PUBENCH_OPENML_MAX_MB", 4000, "megabytes", 1e9))


def _number(variable: str, default: int, unit: str, most: float) -> float:
    text = os.environ.get(variable, "").strip() or str(default)
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= most:
        raise DataError(f"{variable} = '{text}' is not a number of {unit}; write for example {default}")
    return number


def is_offline() -> bool:
    """Return whether requests are forbidden."""
    return os.environ.get("PUBENCH_OFFLINE", "").strip().lower() not in {"", "0", "false", "no"}


def refuse_offline(what: str) -> None:
    """Raise DataError if requests are forbidden; ``what`` names the data that the cache does not have."""
    if is_offline():
        raise DataError(
            f"{what} is not in the cache {folder()} and PUBENCH_OFFLINE is set; "
            "run once without PUBENCH_OFFLINE to fetch it"
        )
