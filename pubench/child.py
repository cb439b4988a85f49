"""The child's side of the sandbox: ``python -m pubench.child`` answers requests until its worker is gone.

This process never holds a true label, except when it serves a reference algorithm that is named for it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import resource
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench.failures import describe
from pubench.messages import Buffer, Message, encode, read_message, write_all

__all__ = ["Channel", "main"]

_PR_SET_PDEATHSIG = 1


class Channel:
    """The two pipes to the worker."""

    def __init__(self, request: int, reply: int) -> None:
        self._request, self._reply = request, reply
        self._buffer = Buffer()
        self._number = 0
        # A plugin's forked copy of this process must neither answer for it nor take its requests.
        os.register_at_fork(after_in_child=self._hang_up)

    def _hang_up(self) -> None:
        for fd in (self._request, self._reply):
            os.close(fd)

    def send(self, header: dict[str, Any], arrays: Sequence[NDArray[Any]] = ()) -> None:
        """Send a message to the worker, marked as an answer to the request at hand."""
        write_all(self._reply, encode(header | {"request": self._number}, arrays))

    def receive(self) -> Message | None:
        """Wait for the worker's next message; None when the worker is gone."""
        message = read_message(self._request, self._buffer)
        if message is not None:
            self._number = message.header.get("request", self._number)
        return message

    def ask(self, header: dict[str, Any], arrays: Sequence[NDArray[Any]] = ()) -> Message:
        """Send a message and wait for its answer."""
        self.send(header, arrays)
        answer = self.receive()
        if answer is None:
            os._exit(0)
        return answer


def main(arguments: Sequence[str]) -> None:
    """Serve requests until the worker closes the channel."""
    request, reply, memory_mb = (int(argument) for argument in arguments)
    for fd in (request, reply):
        os.set_inheritable(fd, False)
    _die_with_parent()
    _limit_memory(memory_mb)
    channel = Channel(request, reply)
    channel.send({"kind": "started"})
    while (message := channel.receive()) is not None:
        _serve(message, channel)
        # What one cell left behind must not be there for the next.
        gc.collect(1)
    # Plugins may have left threads that never end.
    os._exit(0)


def _serve(message: Message, channel: Channel) -> None:
    try:
        with _left_as_found():
            _handler(message.kind)(message, channel)
    except BaseException as error:
        channel.send({"kind": "failed"} | describe(error))
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()


@contextlib.contextmanager
def _left_as_found() -> Iterator[None]:
    """Undo what a plugin did to the process, so that the next cell starts like the first."""
    variables, folder = dict(os.environ), os.open(".", os.O_RDONLY)
    try:
        with warnings.catch_warnings(), np.errstate():
            yield
    finally:
        if os.environ != variables:
            os.environ.clear()
            os.environ.update(variables)
        with contextlib.suppress(OSError):
            os.fchdir(folder)
        os.close(folder)


def _handler(kind: str) -> Callable[[Message, Channel], None]:
    if kind == "cells":
        from pubench.serve_cells import serve_cells

        return serve_cells
    if kind == "prior":
        from pubench.serve_prior import serve_prior

        return serve_prior
    from pubench.serve_load import serve_load

    return serve_load


def _die_with_parent() -> None:
    """End this process when its worker ends, however that happens."""
    parent = os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def _limit_memory(memory_mb: int) -> None:
    """Let an allocation beyond the limit fail at once; the worker's watch catches what this cannot."""
    limit = memory_mb * 2**20
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard == resource.RLIM_INFINITY or limit <= hard:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    # A crash is reported as a row; a core file would only fill the disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
