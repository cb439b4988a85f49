"""Checked documents: what is written is read back, it is JSON for other programs, and no altered byte is believed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pubench.errors import DamagedFileError, RunFolderError
from pubench.results.checked import read_checked, write_checked

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("checked") / "file.json"


@given(VALUES, st.sampled_from([None, 1]))
def test_what_is_written_is_read_back_here_and_by_other_programs(path, value, indent):
    write_checked(path, value, indent=indent)
    assert read_checked(path, remedy="") == value
    assert json.loads(path.read_bytes())["content"] == value


def test_every_altered_lost_or_added_byte_is_noticed(path):
    write_checked(path, {"cells": [["k", 0.5, None]]})
    whole = path.read_bytes()
    for place in range(len(whole)):
        others = [whole[:place], whole[:place] + whole[place + 1 :], whole[:place] + b" " + whole[place:]]
        flips = [bytes([whole[place] ^ 1 << bit]) for bit in range(8)]
        for data in [*others, *(whole[:place] + flip + whole[place + 1 :] for flip in flips)]:
            path.write_bytes(data)
            with pytest.raises(DamagedFileError, match=f"{path} is damaged.*; run it again"):
                read_checked(path, remedy="run it again")


def test_a_file_that_cannot_be_read_is_not_called_damaged(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_checked(tmp_path / "none", remedy="")
    with pytest.raises(RunFolderError, match=r"cannot read .*: Is a directory"):
        read_checked(tmp_path, remedy="")
