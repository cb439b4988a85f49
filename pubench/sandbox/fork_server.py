"""One process that has made the imports which all tasks share; the base process of each run is forked from it.

It is kept until the process that started it ends, and runs nothing itself: later runs in the same process do not pay
for the imports again, nor do workers that this process shares it with.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import sys
import threading
from collections.abc import Iterable, Mapping

from pubench.protocol.requests import Listen
from pubench.sandbox.early import take_early
from pubench.sandbox.interpreters import ServerKind, start_server
from pubench.sandbox.process import START_SECONDS, Sandbox, SandboxError
from pubench.sandbox.starting import sandbox_of

__all__ = ["fork_from_server", "fork_server", "share", "use_shared"]

_CAN_SHARE = sys.platform == "linux"
"""Elsewhere nothing is forked, and there is no address that is gone with its process."""


# Starting one costs more than most runs of a small suite, so they outlive a run. A forked copy of this process must
# not speak for it: each process has its own.
_KEPT: dict[tuple[int, ServerKind], Sandbox] = {}
_ADDRESSES: dict[tuple[int, ServerKind], str] = {}
_LOCK = threading.Lock()


def fork_server(kind: ServerKind, environment: Mapping[str, str]) -> Sandbox:
    """Return the fork server of a kind, started now if there is none; it may still be importing.

    The environment counts for what libraries read when they are imported; each run brings its own besides.
    """
    with _LOCK:
        return _kept(kind, environment)


def fork_from_server(kind: ServerKind, environment: Mapping[str, str]) -> Sandbox:
    """Return a new process forked from the fork server of a kind, from another one if that is dying."""
    try:
        return fork_server(kind, environment).fork()
    except SandboxError:
        return fork_server(kind, environment).fork()


def _kept(kind: ServerKind, environment: Mapping[str, str]) -> Sandbox:
    key = os.getpid(), kind
    found = _KEPT.get(key)
    if found is None or not found.is_running():
        if found is not None:
            found.close()
        address = _ADDRESSES.pop(key, None)
        shared = None if address is None else _connected(address)
        found = _KEPT[key] = shared or sandbox_of(take_early(kind) or start_server(kind, environment))
    return found


def share(servers: Iterable[tuple[ServerKind, Mapping[str, str]]]) -> tuple[tuple[ServerKind, str], ...]:
    """Return addresses by which worker processes of this user reach the fork servers of this process.

    They may connect while a server is still importing. An address is gone with its server.
    """
    if not _CAN_SHARE:
        return ()
    with _LOCK:
        return tuple((kind, _address(kind, environment)) for kind, environment in servers)


def _address(kind: ServerKind, environment: Mapping[str, str]) -> str:
    server, key = _kept(kind, environment), (os.getpid(), kind)
    if key not in _ADDRESSES:
        # A name that begins with a zero byte is no file: nothing is left behind by a process that is killed.
        address = f"\0pubench-{secrets.token_hex(16)}"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(address)
            listener.listen()
            server.allow(START_SECONDS)
            with contextlib.suppress(SandboxError):
                server.send(Listen(), descriptors=(listener.fileno(),))
        _ADDRESSES[key] = address
    return _ADDRESSES[key]


def use_shared(addresses: Iterable[tuple[ServerKind, str]]) -> None:
    """Let this process use the fork servers of another one, as long as they can be reached."""
    with _LOCK:
        _ADDRESSES.update({(os.getpid(), kind): address for kind, address in addresses})


def _connected(address: str) -> Sandbox | None:
    channel = socket.socket(socket.AF_UNIX)
    try:
        channel.connect(address)
    except OSError:
        channel.close()
        return None
    # What such a server prints is its starter's; the other end of this pipe stays open, so that it never seems ended.
    printed, _ = os.pipe()
    return Sandbox(channel, printed, os.getpid(), lambda patience: 0)
