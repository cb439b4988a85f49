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

import numpy as np

from pubench.child.channel import Channel
from pubench.sandbox.messages import Message
from pubench.status import describe

__all__ = ["main"]

_PR_SET_PDEATHSIG = 1


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
        from pubench.child.cells import serve_cells

        return serve_cells
    if kind == "prior":
        from pubench.child.prior import serve_prior

        return serve_prior
    from pubench.child.load import serve_load

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
