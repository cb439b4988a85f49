"""Statuses: which end a cell, which are failures, and what exceptions become."""

from __future__ import annotations

import pytest

from pubench.errors import DataError
from pubench.status import Problem, Status


def test_every_status_is_ok_a_failure_or_still_open():
    failures = {status for status in Status if status.is_failure}
    assert failures == {"failed", "timeout", "crashed", "out-of-memory"}
    assert {status for status in Status if status.is_finished} == failures | {"ok"}


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (ValueError("bad"), Status.FAILED, "ValueError: bad"),
        (DataError("no file 'x'; give one"), Status.FAILED, "no file 'x'; give one"),
        (MemoryError("2 GB"), Status.OUT_OF_MEMORY, "ran out of memory: 2 GB"),
        (MemoryError(), Status.OUT_OF_MEMORY, "ran out of memory"),
        (SystemExit(3), Status.FAILED, "SystemExit: 3"),
    ],
)
def test_an_exception_becomes_a_problem(error, status, sentence):
    problem = Problem.of(error)
    assert (problem.status, problem.error) == (status, sentence)
    assert type(error).__name__ in problem.traceback


def test_messages_are_bounded_and_can_be_stored():
    problem = Problem.of(ValueError("\udcff" + "x" * 10_000))
    assert len(problem.error) < 3_000
    assert "10,001 characters in total" in problem.error
    problem.error.encode()


def test_an_exception_that_cannot_be_shown_is_still_a_problem():
    class MuteError(Exception):
        def __str__(self):
            raise RuntimeError

    assert Problem.of(MuteError()).error == "MuteError: (its message cannot be shown)"
