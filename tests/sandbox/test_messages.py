"""Messages arrive as they were sent, in whatever pieces, and nothing else is taken for one."""

from __future__ import annotations

import json
import math
import os
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pubench.sandbox.messages import Buffer, Message, encode, read_message, write_all

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
HEADERS = st.dictionaries(st.text(max_size=6), JSON, max_size=4)
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


def same_json(a, b):
    """Compare as JSON texts: NaN equals itself there."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def assert_same(message, header, arrays):
    assert same_json(message.header, header)
    assert len(message.arrays) == len(arrays)
    for got, sent in zip(message.arrays, arrays, strict=True):
        assert got.dtype == sent.dtype
        assert got.shape == sent.shape
        assert got.tobytes() == sent.tobytes()


@given(HEADERS, ARRAYS)
def test_what_is_sent_arrives(header, arrays):
    buffer = Buffer()
    buffer.feed(encode(header, arrays))
    assert_same(buffer.take(), header, arrays)
    assert buffer.take() is None


@settings(max_examples=30)
@given(st.lists(st.tuples(HEADERS, ARRAYS), min_size=1, max_size=3), st.integers(1, 50))
def test_pieces_of_any_size_make_the_same_messages(messages, size):
    stream = b"".join(encode(header, arrays) for header, arrays in messages)
    buffer, taken = Buffer(), []
    for start in range(0, len(stream), size):
        buffer.feed(stream[start : start + size])
        while (message := buffer.take()) is not None:
            taken.append(message)
    assert len(taken) == len(messages)
    for message, (header, arrays) in zip(taken, messages, strict=True):
        assert_same(message, header, arrays)


def test_a_message_is_not_given_out_before_its_last_byte():
    data, buffer = encode({"kind": "x"}, [np.arange(3)]), Buffer()
    for byte in data[:-1]:
        buffer.feed(bytes([byte]))
        assert buffer.take() is None
    buffer.feed(data[-1:])
    assert buffer.take().kind == "x"


@given(st.binary(min_size=16, max_size=80).filter(lambda data: not data.startswith(b"pub1")))
def test_foreign_bytes_are_refused(data):
    buffer = Buffer()
    buffer.feed(data)
    with pytest.raises(ValueError, match="something else wrote"):
        buffer.take()


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_message_is_refused_or_awaited_but_never_an_unforeseen_error(data):
    sent = bytearray(encode({"kind": "result", "n": [1, 2]}, [np.arange(4.0), np.zeros((2, 0), np.uint8)]))
    place = data.draw(st.integers(0, len(sent) - 1))
    sent[place] ^= data.draw(st.integers(1, 255))
    buffer = Buffer()
    buffer.feed(bytes(sent))
    try:
        taken = buffer.take()
    except (ValueError, TypeError):
        return
    assert taken is None or isinstance(taken, Message)


def test_strided_and_fortran_arrays_keep_their_values():
    arrays = [np.arange(12).reshape(3, 4)[:, ::2], np.asfortranarray(np.arange(6.0).reshape(2, 3))]
    buffer = Buffer()
    buffer.feed(encode({}, arrays))
    for got, sent in zip(buffer.take().arrays, arrays, strict=True):
        np.testing.assert_array_equal(got, sent)


def test_numpy_numbers_in_a_header_become_plain_ones():
    buffer = Buffer()
    buffer.feed(encode({"kind": "x", "f": np.float64(0.5), "i": np.int64(3), "b": np.True_, "n": math.nan}))
    header = buffer.take().header
    assert (header["f"], header["i"], header["b"]) == (0.5, 3, True)
    assert header["n"] != header["n"]


def test_a_message_larger_than_a_pipe_crosses_it_and_closing_is_told():
    reader, writer = os.pipe()
    sent = np.random.default_rng(0).normal(size=100_000)

    def write():
        write_all(writer, encode({"kind": "big"}, [sent]))
        os.close(writer)

    thread = threading.Thread(target=write)
    thread.start()
    buffer = Buffer()
    message = read_message(reader, buffer)
    np.testing.assert_array_equal(message.arrays[0], sent)
    assert read_message(reader, buffer) is None
    thread.join()
    os.close(reader)
