"""Messages arrive as they were sent, in whatever pieces, and nothing else is taken for one."""

from __future__ import annotations

import socket
import struct
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pubench.protocol import ProtocolError
from pubench.protocol.replies import LogLine, Started, Trial
from pubench.protocol.requests import OracleValues
from pubench.sandbox.channel import Channel
from pubench.sandbox.wire import REPLIES, Buffer, Envelope, encode

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8, alphabet=st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=4), inner, max_size=3),
    max_leaves=8,
)
PARAMS = st.dictionaries(st.text("xyz", max_size=6), JSON, max_size=4)


def result(params=()):
    """Return a message of the child with parameters of any kind."""
    return Trial(params=dict(params), folds={"puf": (0.5, None)}, seconds=0.1)


ARRAYS = st.lists(
    hnp.arrays(
        dtype=st.one_of(
            hnp.boolean_dtypes(),
            hnp.integer_dtypes(endianness="?"),
            hnp.floating_dtypes(endianness="?", sizes=(16, 32, 64)),
            hnp.unicode_string_dtypes(max_len=5),
        ),
        shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    ),
    max_size=4,
)


def assert_same(envelope, message, arrays):
    assert envelope.message == message
    assert len(envelope.arrays) == len(arrays)
    for got, sent in zip(envelope.arrays, arrays, strict=True):
        assert got.dtype == sent.dtype
        assert got.shape == sent.shape
        assert got.tobytes() == sent.tobytes()


@given(PARAMS, ARRAYS)
def test_what_is_sent_arrives(params, arrays):
    buffer = Buffer(REPLIES)
    buffer.feed(encode(result(params), arrays, number=7))
    envelope = buffer.take()
    assert_same(envelope, result(params), arrays)
    assert envelope.number == 7
    assert buffer.take() is None


@settings(max_examples=30)
@given(st.lists(st.tuples(PARAMS, ARRAYS), min_size=1, max_size=3), st.integers(1, 50))
def test_pieces_of_any_size_make_the_same_messages(messages, size):
    stream = b"".join(encode(result(params), arrays) for params, arrays in messages)
    buffer, taken = Buffer(REPLIES), []
    for start in range(0, len(stream), size):
        buffer.feed(stream[start : start + size])
        while (envelope := buffer.take()) is not None:
            taken.append(envelope)
    assert len(taken) == len(messages)
    for envelope, (params, arrays) in zip(taken, messages, strict=True):
        assert_same(envelope, result(params), arrays)


def test_a_message_is_complete_only_with_its_last_byte():
    data, buffer = encode(Started(), [np.arange(3)]), Buffer(REPLIES)
    for byte in data[:-1]:
        buffer.feed(bytes([byte]))
        assert buffer.take() is None
    buffer.feed(data[-1:])
    assert buffer.take().message == Started()


@given(st.binary(min_size=16, max_size=80).filter(lambda data: not data.startswith(b"pub2")))
def test_foreign_bytes_are_refused(data):
    buffer = Buffer(REPLIES)
    buffer.feed(data)
    with pytest.raises(ProtocolError, match="something else wrote"):
        buffer.take()


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_message_is_refused_or_awaited_but_never_an_unforeseen_error(data):
    sent = bytearray(encode(result({"n": [1, 2]}), [np.arange(4.0), np.zeros((2, 0), np.uint8)]))
    place = data.draw(st.integers(0, len(sent) - 1))
    sent[place] ^= data.draw(st.integers(1, 255))
    buffer = Buffer(REPLIES)
    buffer.feed(bytes(sent))
    try:
        taken = buffer.take()
    except ProtocolError:
        return
    assert taken is None or isinstance(taken, Envelope)


@pytest.mark.parametrize("dtype", [b",f8", b"1,f", b"f,f", b"|O8", b"<8f"])
def test_what_is_no_plain_type_is_refused(dtype):
    buffer = Buffer(REPLIES)
    buffer.feed(encode(Started(), [np.zeros(2)]).replace(b"<f8", dtype))
    with pytest.raises(ProtocolError):
        buffer.take()


def test_strided_and_fortran_arrays_keep_their_values():
    arrays = [np.arange(12).reshape(3, 4)[:, ::2], np.asfortranarray(np.arange(6.0).reshape(2, 3))]
    buffer = Buffer(REPLIES)
    buffer.feed(encode(Started(), arrays))
    for got, sent in zip(buffer.take().arrays, arrays, strict=True):
        np.testing.assert_array_equal(got, sent)


def test_numpy_numbers_become_plain_ones():
    buffer = Buffer(REPLIES)
    numbers = {"f": np.float64(0.5), "i": np.int64(3), "b": np.True_}
    buffer.feed(encode(result(numbers)))
    assert buffer.take().message.params == {"f": 0.5, "i": 3, "b": True}


@pytest.mark.parametrize(
    "text",
    [
        b'[0,[],{"type":"result"}]',
        b'[0,[],{"type":"forked","pid":"3"}]',
        b'[0,[],{"type":"unheard of"}]',
        b'[0,[],{"kind":"result"}]',
        b'[0,[["O",[1]]],{"type":"started"}]',
        b'[0,[["<f8",[-1]]],{"type":"started"}]',
        b"[]",
        b"not JSON",
    ],
)
def test_a_message_without_its_fields_is_refused(text):
    buffer = Buffer(REPLIES)
    buffer.feed(struct.pack("<4sIQ", b"pub2", len(text), 8) + text + bytes(8))
    with pytest.raises(ProtocolError):
        buffer.take()


def test_a_request_is_not_a_reply():
    buffer = Buffer(REPLIES)
    buffer.feed(encode(OracleValues(values={})))
    with pytest.raises(ProtocolError):
        buffer.take()


def test_a_message_larger_than_the_socket_crosses_it_and_closing_is_noticed():
    ours, theirs = socket.socketpair()
    sent = np.random.default_rng(0).normal(size=100_000)

    def write():
        ours.sendall(encode(OracleValues(values={}), [sent], number=4))
        ours.close()

    thread = threading.Thread(target=write)
    thread.start()
    channel = Channel(theirs.detach())
    np.testing.assert_array_equal(channel.receive().arrays[0], sent)
    assert channel.receive() is None
    thread.join()


def test_texts_that_are_not_utf8_arrive():
    buffer = Buffer(REPLIES)
    buffer.feed(encode(LogLine(level=20, text="caf\udce9")))
    assert buffer.take().message == LogLine(level=20, text="caf\udce9")
