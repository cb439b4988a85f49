"""The child's end of the two pipes to its worker."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from pubench.sandbox.messages import Buffer, Message, encode, read_message, write_all

__all__ = ["Channel"]


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
