"""The wire between a worker and the processes that it asks: a typed message as JSON, followed by raw arrays."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

import msgspec
import numpy as np

from pubench.protocol import ProtocolError, Reply, Request, from_json, to_json
from pubench.specs import Array

__all__ = ["REPLIES", "REQUESTS", "Buffer", "Envelope", "encode"]

_PREFIX = struct.Struct("<4sIQ")
_MAGIC = b"pub2"
M = TypeVar("M", Request, Reply)


@dataclass(frozen=True, slots=True)
class Envelope(Generic[M]):
    """A message, the arrays that go with it, and the number of the request that it belongs to."""

    message: M
    arrays: tuple[Array, ...] = ()
    number: int = 0


# NumPy's own parser of types evaluates parts of a text that is none.
_Dtype = Annotated[str, msgspec.Meta(pattern=r"^[<>|=][A-Za-z][0-9]+(\[[0-9A-Za-z]+\])?$")]
_Shapes = list[tuple[_Dtype, tuple[Annotated[int, msgspec.Meta(ge=0)], ...]]]
REQUESTS = msgspec.json.Decoder(tuple[int, _Shapes, Request])
REPLIES = msgspec.json.Decoder(tuple[int, _Shapes, Reply])


def encode(message: Request | Reply, arrays: Sequence[Array] = (), *, number: int = 0) -> bytes:
    """Return the bytes of a message."""
    shapes = [(array.dtype.str, array.shape) for array in arrays]
    text = to_json((number, shapes, message))
    body = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
    return _PREFIX.pack(_MAGIC, len(text), len(body)) + text + body


class Buffer(Generic[M]):
    """Bytes received so far; returns whole messages of the union that the decoder reads."""

    def __init__(self, decoder: msgspec.json.Decoder[tuple[int, _Shapes, M]]) -> None:
        self._decoder: msgspec.json.Decoder[tuple[int, _Shapes, M]] = decoder
        self._data = bytearray()

    def feed(self, data: bytes) -> None:
        """Add bytes as they arrive."""
        self._data += data

    def take(self) -> Envelope[M] | None:
        """Return the next whole message, or None while it is incomplete; raise ProtocolError if it is none."""
        if len(self._data) < _PREFIX.size:
            return None
        magic, n_text, n_body = _PREFIX.unpack_from(self._data)
        if magic != _MAGIC:
            raise ProtocolError("something else wrote into the channel")
        end = _PREFIX.size + n_text + n_body
        if len(self._data) < end:
            return None
        data = bytes(self._data[_PREFIX.size : end])
        del self._data[:end]
        return self._decode(data, n_text)

    def _decode(self, data: bytes, n_text: int) -> Envelope[M]:
        try:
            number, shapes, message = from_json(self._decoder, data[:n_text])
            arrays, start = [], n_text
            for dtype, shape in shapes:
                count = int(np.prod(shape))
                arrays.append(np.frombuffer(data, np.dtype(dtype), count=count, offset=start).reshape(shape))
                start += arrays[-1].nbytes
        except (ValueError, TypeError) as error:
            raise ProtocolError(str(error)) from None
        return Envelope(message, tuple(arrays), number)
