"""What the tests of faults share: suites as text, the command line as a process, and who is still alive."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from pubench.results.record import MEASURED
from pubench.results.table import read_results
from pubench.sandbox import process as sandbox_process

PLUGIN = Path(__file__).with_name("misbehaving.py")
MARKER = "PUBENCH_FAULT_TEST"
PATIENCE = 600.0
"""Seconds after which a test gives up waiting: a safety net, far beyond what a busy machine needs."""
CASE_CONTROL = {"scenario": "case-control", "positives": 20, "test": 0.25}


def toml(value: Any) -> str:
    """Return a value as TOML, tables inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def write_suite(path: Path, **changes: Any) -> Path:
    """Write a suite of one good cell; keyword arguments replace its keys."""
    keys: dict[str, Any] = {
        "name": "faults",
        "replicates": 1,
        "datasets": [{"use": "blobs"}],
        "labellings": [CASE_CONTROL],
        "algorithms": [{"use": "good"}],
        "limits": {"seconds": PATIENCE, "memory_mb": 500},
    }
    path.write_text("".join(f"{key} = {toml(value)}\n" for key, value in (keys | changes).items()))
    return path


def named(*names: str) -> list[dict[str, Any]]:
    """Return entries of algorithms by name."""
    return [{"use": name} for name in names]


def run_arguments(suite: Path, out: Path, *more: str, plugins: tuple[Path, ...] = (PLUGIN,)) -> list[str]:
    """Return the arguments of ``pubench suite run``."""
    files = [part for plugin in plugins for part in ("--plugin", str(plugin))]
    return ["suite", "run", str(suite), "--out", str(out), *files, *more]


def pubench(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line to its end."""
    command = [sys.executable, "-m", "pubench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, **options)


def run(suite: Path, out: Path, *more: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run ``pubench suite run`` to its end."""
    return pubench(*run_arguments(suite, out, *more, **options))


class Gate:
    """Holds the fits of good algorithms back, so that a run stands still exactly where a test needs it.

    The algorithms count their fits in the folder of the gate and wait for their number to be allowed.
    """

    def __init__(self, folder: Path, allowed: int = 0) -> None:
        self.folder = folder
        folder.mkdir()
        self.allow(allowed)

    def allow(self, number: int) -> None:
        """Let so many fits through in all."""
        # Replaced as a whole: a fit must never read half a number.
        (self.folder / "new").write_text(str(number))
        (self.folder / "new").replace(self.folder / "allowed")

    def open(self) -> None:
        """Let all fits through."""
        self.allow(sys.maxsize)

    def waiting(self) -> list[int]:
        """Return the processes that wait inside a fit."""
        return [int(path.name.rpartition("-")[2]) for path in self.folder.glob("waiting-*")]


class HastyClock:
    """A clock that runs fast while a process hangs, so that a test need not wait for a time limit.

    A minute passes each time it is read: what the process sent before it hung is still read in time. That ends when the
    time limit of the process is over: the clock is right again when it is ended.
    """

    def __init__(self, hangs: Path) -> None:
        self.hangs, self.ahead = hangs, dict[str, float]()
        hangs.touch()

    def monotonic(self) -> float:
        for pid in self.hangs.read_text().split():
            if psutil.pid_exists(int(pid)) and self.ahead.get(pid, 0.0) <= PATIENCE:
                self.ahead[pid] = self.ahead.get(pid, 0.0) + PATIENCE / 10
        return time.monotonic() + sum(self.ahead.values())


def hurry_at_hangs(patch: pytest.MonkeyPatch, hangs: Path) -> None:
    """Let the sandbox's clock run fast while one of the processes hangs that note themselves in a file."""
    patch.setenv("HANGS", str(hangs))
    patch.setattr(sandbox_process, "time", HastyClock(hangs))


@contextmanager
def ignoring(signals: Iterable[signal.Signals]) -> Iterator[None]:
    """Ignore signals; programs that are started meanwhile inherit that."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def driver(
    *arguments: str,
    gate: Gate | None = None,
    ignored: Iterable[signal.Signals] = (),
    within: Sequence[str] = (),
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command line in a session of its own; whatever it leaves behind carries the yielded marker.

    ``within`` is a command that runs another one, such as ``unshare``.
    """
    marker = uuid.uuid4().hex
    with ignoring(ignored):
        started = subprocess.Popen(
            [*within, sys.executable, "-m", "pubench", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {MARKER: marker} | ({"FITS_GATE": str(gate.folder)} if gate else {}),
            start_new_session=True,
        )
    try:
        yield started, marker
    finally:
        for left in [started, *alive(marker)]:
            with suppress(psutil.Error, ProcessLookupError):
                left.kill()
        started.communicate()


def alive(marker: str) -> list[psutil.Process]:
    """Return the processes that carry the marker in their environment and have not ended."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(MARKER) == marker and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def children(marker: str) -> list[psutil.Process]:
    """Return the sandbox children among the marked processes."""
    found = []
    for process in alive(marker):
        with suppress(psutil.Error):
            if "pubench.child" in process.cmdline():
                found.append(process)
    return found


def workers(marker: str) -> list[psutil.Process]:
    """Return loky's worker processes among the marked ones."""
    found = []
    for process in alive(marker):
        with suppress(psutil.Error):
            if any("popen_loky" in part for part in process.cmdline()):
                found.append(process)
    return found


def wait_for(true: Callable[[], Any], what: str) -> Any:
    """Wait until something is true and return it."""
    deadline = time.monotonic() + PATIENCE
    while not (value := true()):
        assert time.monotonic() < deadline, f"waited {PATIENCE} seconds for {what}"
        time.sleep(0.02)
    return value


def fill(folder: Path) -> Path:
    """Write until the disk is full and return the file that fills it."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * 4096):
            continue
    return ballast


def stored(out: Path) -> int:
    """How many records the run folder holds."""
    path = out / "cells.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def stable_rows(out: Path) -> list[dict[str, Any]]:
    """Return the rows of a run without what differs from run to run."""
    return [{k: v for k, v in row.items() if k not in MEASURED} for row in read_results(out).rows]


def statuses(out: Path) -> list[str]:
    """Return the status of each row in order."""
    return [row["status"] for row in read_results(out).rows]


def sentences(result: subprocess.CompletedProcess[str]) -> list[str]:
    """Return what was said on stderr by pubench itself, after checking that nothing else was."""
    assert "Traceback" not in result.stderr, result.stderr
    assert "internal error" not in result.stderr, result.stderr
    return [
        line.removeprefix("pubench: ") for line in result.stderr.splitlines() if line.startswith("pubench: ")
    ]
