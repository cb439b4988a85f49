"""The child's end of the two pipes to its worker."""

from __future__ import annotations

import os
from collections.abc import Sequence

from pubench.protocol import ProtocolError, Reply, Request
from pubench.sandbox.wire import REQUESTS, Buffer, Envelope, encode, read_message, write_all
from pubench.specs import Array

__all__ = ["Channel"]


class Channel:
    """The two pipes to the worker."""

    def __init__(self, request: int, reply: int) -> None:
        self._request, self._reply = request, reply
        self._buffer: Buffer[Request] = Buffer(REQUESTS)
        self._number = 0
        # A plugin's forked copy of this process must neither answer for it nor take its requests.
        os.register_at_fork(after_in_child=self._hang_up)

    def _hang_up(self) -> None:
        for fd in (self._request, self._reply):
            os.close(fd)

    def send(self, reply: Reply, arrays: Sequence[Array] = ()) -> None:
        """Send a reply to the current request."""
        write_all(self._reply, encode(reply, arrays, number=self._number))

    def receive(self) -> Envelope[Request] | None:
        """Wait for the worker's next request; None when the worker is gone.

        Raises
        ------
        ProtocolError
            If the request cannot be read.
        """
        try:
            envelope = read_message(self._request, self._buffer)
        except ProtocolError:
            # The answer belongs to the request that could not be read.
            self._number += 1
            raise
        if envelope is not None:
            self._number = envelope.number
        return envelope

    def ask(self, question: Reply, arrays: Sequence[Array] = ()) -> Request:
        """Send a question and wait for the worker's answer."""
        self.send(question, arrays)
        envelope = self.receive()
        if envelope is None:
            os._exit(0)
        return envelope.message
