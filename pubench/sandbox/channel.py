"""The inner end of the socket between a worker and a process that runs plugins."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence

from pubench.protocol import ProtocolError, Reply, Request
from pubench.sandbox.wire import REQUESTS, Buffer, Envelope, encode
from pubench.specs import Array

__all__ = ["Channel"]

_CHUNK = 1 << 20


class Channel:
    """The socket to the worker, on which requests, replies and descriptors travel."""

    def __init__(self, descriptor: int) -> None:
        self._socket: socket.socket | None = socket.socket(fileno=descriptor)
        self._socket.setblocking(True)
        os.set_inheritable(descriptor, False)
        self._buffer: Buffer[Request] = Buffer(REQUESTS)
        self._number = 0
        self._descriptors: list[int] = []
        # A forked copy of this process must neither answer for it nor take its requests.
        os.register_at_fork(after_in_child=self._hang_up)

    def _hang_up(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def send(self, reply: Reply, arrays: Sequence[Array] = ()) -> None:
        """Send a reply to the current request."""
        if self._socket is None:
            raise OSError("this process is a forked copy and has no channel")
        self._socket.sendall(encode(reply, arrays, number=self._number))

    def receive(self) -> Envelope[Request] | None:
        """Wait for the worker's next request; None when the worker is gone.

        Raises
        ------
        ProtocolError
            If the request cannot be read.
        """
        try:
            envelope = self._next()
        except ProtocolError:
            # The answer belongs to the request that could not be read.
            self._number += 1
            raise
        if envelope is not None:
            self._number = envelope.number
        return envelope

    def _next(self) -> Envelope[Request] | None:
        assert self._socket is not None
        while (envelope := self._buffer.take()) is None:
            data, descriptors, _, _ = socket.recv_fds(self._socket, _CHUNK, 2)
            self._descriptors += descriptors
            if not data:
                return None
            self._buffer.feed(data)
        return envelope

    def take_descriptors(self) -> tuple[int, ...]:
        """Return the descriptors that came with the current request."""
        taken, self._descriptors = tuple(self._descriptors), []
        return taken

    def ask(self, question: Reply, arrays: Sequence[Array] = ()) -> Request:
        """Send a question and wait for the worker's answer."""
        self.send(question, arrays)
        envelope = self.receive()
        if envelope is None:
            os._exit(0)
        return envelope.message
