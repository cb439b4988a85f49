"""Messages and records as JSON: NumPy's numbers become plain ones, and texts need not be UTF-8."""

from __future__ import annotations

import json
from typing import TypeVar

import msgspec
import numpy as np

__all__ = ["ProtocolError", "from_json", "to_json"]

M = TypeVar("M")


class ProtocolError(ValueError):
    """The other side sent something that does not fit the protocol."""


def to_json(value: object) -> bytes:
    """Return a message or record as JSON; NumPy's numbers become plain ones, unknown objects their text."""
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        # Paths and texts may hold bytes that are not UTF-8, which Python keeps as surrogates.
        return json.dumps(msgspec.to_builtins(value, enc_hook=_plain), allow_nan=False).encode()


def from_json(decoder: msgspec.json.Decoder[M], text: bytes) -> M:
    """Read what :func:`to_json` wrote; raise a ValueError if it is something else."""
    try:
        return decoder.decode(text)
    except msgspec.DecodeError as error:
        try:
            return msgspec.convert(json.loads(text), decoder.type)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            # Older versions of msgspec raise errors that are no ValueErrors.
            raise ProtocolError(str(error)) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else repr(value)


_ENCODER = msgspec.json.Encoder(enc_hook=_plain)
