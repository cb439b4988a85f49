"""Statuses: which end a cell, which are failures, and what exceptions become."""

from __future__ import annotations

import errno
import subprocess
import sys

import numpy as np
import pytest

from pubench.errors import DataError
from pubench.status import Problem, Status, problem_of_end


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


TORCH = (
    "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to"
)
STATIC = "libgomp.so.1: cannot allocate memory in static TLS block"


class LibraryError(Exception):
    """The error of a library."""


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError(f"{TORCH} allocate 4294967296 bytes. Error code 12 (Cannot allocate memory)"),
        RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 8 bytes."),
        RuntimeError("unable to mmap 800 bytes from file </x>: Cannot allocate memory (12)"),
        RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        LibraryError("std::bad_alloc"),
        LibraryError("[10:00:00] src/tree.cc:20: std::bad_alloc\nStack trace:\n  [bt] (0)"),
        LibraryError("Error tokenizing data. C error: out of memory"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        ExceptionGroup("two", [ValueError("bad"), MemoryError()]),
    ],
    ids=lambda error: str(error)[:30],
)
def test_a_failed_allocation_is_out_of_memory_whatever_its_type(error):
    problem = Problem.of(error)
    assert problem.status is Status.OUT_OF_MEMORY
    assert problem.error == f"ran out of memory: {' '.join(str(error).split())}"


@pytest.mark.parametrize(
    "error",
    [
        ValueError("memory must be a Memory object or a path, not 3"),
        ValueError("memory_mb is out of range"),
        RuntimeError("cannot pin memory of a sparse tensor"),
        ValueError("the option 'out of memory' is unknown; std::bad_alloc is not caught"),
        ImportError(STATIC),
        OSError(errno.ENOSPC, "No space left on device"),
        BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"),
        subprocess.CalledProcessError(1, ["free", "memory"]),
        LibraryError("A worker was ended, perhaps by an excessive memory usage"),
        NameError("name 'MemoryError_' is not defined"),
        DataError("data set 'x': Cannot allocate memory"),
    ],
    ids=lambda error: str(error)[:30],
)
def test_a_message_that_mentions_memory_is_a_failure(error):
    assert Problem.of(error).status is Status.FAILED


def test_an_error_that_an_allocation_caused_is_out_of_memory():
    def raised(*, cause, hide=False):
        try:
            try:
                raise cause
            except Exception as first:
                if hide:
                    raise ValueError("second") from None
                if isinstance(first, MemoryError):
                    raise ValueError("second") from first
                raise ValueError("second")  # noqa: B904 - the context is what is looked at
        except ValueError as second:
            return Problem.of(second).status

    assert raised(cause=MemoryError()) is Status.OUT_OF_MEMORY
    assert raised(cause=RuntimeError(TORCH)) is Status.OUT_OF_MEMORY
    assert raised(cause=MemoryError(), hide=True) is Status.FAILED
    assert raised(cause=KeyError("memory")) is Status.FAILED


def test_an_error_that_is_its_own_context_ends_the_search():
    error = ValueError("round")
    error.__cause__ = other = KeyError("and round")
    other.__cause__ = error
    assert Problem.of(error).status is Status.FAILED


def _allocate(number):
    return np.ones(1 << 50)


def test_joblib_and_scikit_learn_pass_it_on():
    from joblib import Parallel, delayed
    from sklearn.base import BaseEstimator
    from sklearn.model_selection import GridSearchCV

    class Greedy(BaseEstimator):
        def __init__(self, c=1):
            self.c = c

        def fit(self, X, y):
            _allocate(0)

        def score(self, X, y):
            return 0.0

    with pytest.raises(MemoryError) as caught:
        Parallel(n_jobs=2)(delayed(_allocate)(number) for number in range(2))
    assert Problem.of(caught.value).status is Status.OUT_OF_MEMORY
    with pytest.raises(ValueError, match="fits failed") as wrapped:
        GridSearchCV(Greedy(), {"c": [1, 2]}, cv=2).fit(np.zeros((8, 1)), np.arange(8) % 2)
    assert Problem.of(wrapped.value).status is Status.OUT_OF_MEMORY


LIMITED = """
import resource, sys
from pubench.status import Problem
def limit(mb):
    resource.setrlimit(resource.RLIMIT_DATA, (mb << 20, mb << 20))
"""


def run_limited(script):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED + script], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit a process's data")
@pytest.mark.parametrize(
    ("library", "script"),
    [
        ("torch", "torch.ones(1 << 30)"),
        ("lightgbm", "lightgbm.Dataset(X, X[:, 0]).construct()\n    raise RuntimeError('enough memory')"),
    ],
)
def test_real_libraries_run_out_of_memory(library, script):
    pytest.importorskip(library)
    limited = f"""
import numpy as np, {library}
X = np.zeros((400_000, 40))
limit(1024 if "{library}" == "torch" else 160)
try:
    {script}
except Exception as error:
    problem = Problem.of(error)
    print(problem.status, type(error).__name__)
"""
    code, output = run_limited(limited)
    assert (code, output.split()[:1]) == (0, ["out-of-memory"]), output


@pytest.mark.skipif(sys.platform != "linux", reason="the library is Linux's")
def test_a_process_that_a_real_bad_alloc_aborts_is_out_of_memory():
    script = """
import ctypes
try:
    allocate = ctypes.CDLL("libstdc++.so.6")._Znwm
except OSError:
    sys.exit("no library")
allocate(ctypes.c_size_t(1 << 62))
"""
    code, output = run_limited(script)
    if "no library" in output:
        pytest.skip("there is no libstdc++")
    problem = problem_of_end(code, output)
    assert problem.status is Status.OUT_OF_MEMORY
    assert "std::bad_alloc" in problem.error
    assert problem.output == output


@pytest.mark.parametrize(
    ("code", "output", "line"),
    [
        (
            -6,
            "x\nterminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n",
            "",
        ),
        (
            -6,
            "libc++abi: x\nterminating due to uncaught exception of type std::bad_alloc: std::bad_alloc",
            "",
        ),
        (-6, "memory allocation of 80 bytes failed\n", ""),
        (
            1,
            "epoch 3\nlibgomp: Out of memory allocating 8000 bytes\n",
            "libgomp: Out of memory allocating 8000 bytes",
        ),
        (127, "sh: fork: Cannot allocate memory\n", "sh: fork: Cannot allocate memory"),
        (1, "Traceback (most recent call last):\n  File x\nMemoryError\n", "MemoryError"),
        (1, "OpenBLAS error: Memory allocation still failed after 10 retries, giving up.", ""),
    ],
)
def test_the_last_words_of_a_process_can_be_out_of_memory(code, output, line):
    problem = problem_of_end(code, output)
    assert problem.status is Status.OUT_OF_MEMORY
    assert problem.error.startswith(f"ran out of memory: {line}")


@pytest.mark.parametrize(
    ("code", "output", "sentence"),
    [
        (3, "", "ended its process with exit code 3"),
        (0, "out of memory", "ended its process with exit code 0"),
        (1, "this model never runs out of memory\n", "ended its process with exit code 1"),
        (1, f"{STATIC}\n", "ended its process with exit code 1"),
        (-6, "double free or corruption (out)\nAborted\n", "was ended by signal SIGABRT"),
        (-11, "Out of memory", "was ended by signal SIGSEGV"),
        (-99, "", "was ended by signal 99"),
        (-9, "", "was ended by signal SIGKILL; the system's out-of-memory killer may have ended it"),
        (1, "MemoryError\n" + "and on it went\n" * 500, "ended its process with exit code 1"),
    ],
)
def test_any_other_end_is_a_crash(code, output, sentence):
    problem = problem_of_end(code, output)
    assert (problem.status, problem.error) == (Status.CRASHED, sentence)


def test_an_error_is_one_line_without_codes_for_terminals():
    problem = Problem.of(ValueError("=1+1\nsecond \x1b[2J line\t\x07\udcff"))
    assert problem.error == "ValueError: =1+1 second [2J line \\udcff"
    assert "second" in problem.traceback
