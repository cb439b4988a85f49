"""Messages between a worker and its child process: a JSON header followed by raw arrays.

Nothing is unpickled: what a plugin returns cannot run code in the process that holds the truth.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Buffer", "Message", "encode", "read_message", "write_all"]

_PREFIX = struct.Struct("<4sIQ")
_MAGIC = b"pub1"


@dataclass(frozen=True, slots=True)
class Message:
    """A header of JSON values and the arrays that go with it."""

    header: dict[str, Any]
    arrays: tuple[NDArray[Any], ...] = ()

    @property
    def kind(self) -> str:
        """What the message is, for example ``"result"``."""
        return str(self.header["kind"])


def encode(header: dict[str, Any], arrays: Sequence[NDArray[Any]] = ()) -> bytes:
    """Return the bytes of a message."""
    shapes = [[array.dtype.str, list(array.shape)] for array in arrays]
    text = json.dumps([header, shapes], default=_plain).encode()
    body = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
    return _PREFIX.pack(_MAGIC, len(text), len(body)) + text + body


def _plain(value: Any) -> Any:
    """Turn NumPy scalars into the numbers they stand for; anything else into its text."""
    return value.item() if isinstance(value, np.generic) else repr(value)


def write_all(fd: int, data: bytes) -> None:
    """Write everything to a pipe."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


class Buffer:
    """Bytes received so far; gives out whole messages."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> None:
        """Add bytes as they arrive."""
        self._data += data

    def take(self) -> Message | None:
        """Return the next whole message, or None while it is incomplete."""
        if len(self._data) < _PREFIX.size:
            return None
        magic, n_text, n_body = _PREFIX.unpack_from(self._data)
        if magic != _MAGIC:
            raise ValueError("something else wrote into the channel")
        end = _PREFIX.size + n_text + n_body
        if len(self._data) < end:
            return None
        message = _decode(bytes(self._data[_PREFIX.size : end]), n_text)
        del self._data[:end]
        return message


def _decode(data: bytes, n_text: int) -> Message:
    header, shapes = json.loads(data[:n_text])
    arrays, start = [], n_text
    for dtype, shape in shapes:
        array = np.frombuffer(data, np.dtype(dtype), count=int(np.prod(shape)), offset=start).reshape(shape)
        arrays.append(array)
        start += array.nbytes
    return Message(header, tuple(arrays))


def read_message(fd: int, buffer: Buffer) -> Message | None:
    """Block until a message is complete; None when the other side has closed the channel."""
    while (message := buffer.take()) is None:
        data = os.read(fd, 1 << 20)
        if not data:
            return None
        buffer.feed(data)
    return message
