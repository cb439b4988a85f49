"""What the tests of faults share: suites as text, the command line as a process, and who is still alive."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from pubench.results.record import MEASURED
from pubench.results.table import read_results

PLUGIN = Path(__file__).with_name("misbehaving.py")
MARKER = "PUBENCH_FAULT_TEST"
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
        "limits": {"seconds": 20, "memory_mb": 500},
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
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


def run(suite: Path, out: Path, *more: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run ``pubench suite run`` to its end."""
    return pubench(*run_arguments(suite, out, *more, **options))


@contextmanager
def driver(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command line in a session of its own; whatever it leaves behind carries the yielded marker."""
    marker = uuid.uuid4().hex
    process = subprocess.Popen(
        [sys.executable, "-m", "pubench", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {MARKER: marker},
        start_new_session=True,
    )
    try:
        yield process, marker
    finally:
        for left in [process, *alive(marker)]:
            with suppress(psutil.Error, ProcessLookupError):
                left.kill()
        process.communicate()


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


def wait_for(true: Callable[[], Any], what: str, seconds: float = 30.0) -> Any:
    """Wait until something is true and return it."""
    deadline = time.monotonic() + seconds
    while not (value := true()):
        assert time.monotonic() < deadline, f"waited {seconds} seconds for {what}"
        time.sleep(0.02)
    return value


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
