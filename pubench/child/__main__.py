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
from collections.abc import Iterator, Sequence
from typing import assert_never

import numpy as np

from pubench.child.channel import Channel
from pubench.protocol import (
    CellsRequest,
    Failed,
    LoadRequest,
    OracleValues,
    PriorRequest,
    ProtocolError,
    Request,
    Started,
)
from pubench.specs import Array
from pubench.status import Problem

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
    channel.send(Started())
    while True:
        try:
            envelope = channel.receive()
        except ProtocolError as error:
            channel.send(Failed(problem=Problem.of(error)))
            continue
        if envelope is None:
            break
        _serve(envelope.message, envelope.arrays, channel)
        # What one cell left behind must not be there for the next.
        gc.collect(1)
    # Plugins may have left threads that never end.
    os._exit(0)


def _serve(request: Request, arrays: tuple[Array, ...], channel: Channel) -> None:
    try:
        with _left_as_found():
            _dispatch(request, arrays, channel)
    except BaseException as error:
        channel.send(Failed(problem=Problem.of(error)))
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()


def _dispatch(request: Request, arrays: tuple[Array, ...], channel: Channel) -> None:
    """Serve a request; each kind imports only what it needs."""
    match request:
        case CellsRequest():
            from pubench.child.cells import serve_cells

            serve_cells(request, arrays, channel)
        case PriorRequest():
            from pubench.child.prior import serve_prior

            serve_prior(request, arrays, channel)
        case LoadRequest():
            from pubench.child.load import serve_load

            serve_load(request, channel)
        case OracleValues():
            raise ProtocolError("oracle values came without a question")
        case _:
            assert_never(request)


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
