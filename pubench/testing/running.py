"""Running contracts without pytest: in a child process, so that a plugin that crashes or hangs is a finding too."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from unittest import SkipTest

from pubench.plugins.registry import KINDS
from pubench.testing.algorithm import AlgorithmContract
from pubench.testing.contract import Contract, ContractError, checks_of, plain, title_of
from pubench.testing.criterion import CriterionContract
from pubench.testing.dataset import DatasetContract
from pubench.testing.metric import MetricContract
from pubench.testing.prior import PriorContract
from pubench.testing.subjects import Subject, Subjects

__all__ = ["CONTRACTS", "Outcome", "run_checks", "serve_checks"]

CONTRACTS: Mapping[str, type[Contract]] = dict(
    zip(
        KINDS,
        (AlgorithmContract, DatasetContract, CriterionContract, MetricContract, PriorContract),
        strict=True,
    )
)
_PAUSE = 0.02


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one check: ``status`` is ok, finding or skipped, and ``message`` says why."""

    kind: str
    name: str
    check: str
    title: str
    status: str
    message: str = ""


def run_checks(subjects: Subjects, *, seconds: float) -> Iterator[Outcome]:
    """Yield the outcome of each check of each spec, as it ends.

    Parameters
    ----------
    subjects : Subjects
    seconds : float
        What one check may take.
    """
    for info in subjects.broken:
        sentence = f"plugin '{info.origin.plugin}' cannot be loaded: {info.error}"
        yield Outcome("plugins", info.origin.plugin, "load", "It can be loaded", "finding", sentence)
    for subject in subjects.specs:
        todo = checks_of(CONTRACTS[subject.kind])
        while todo:
            for check, status, message in _served(subjects.target, subject, tuple(todo), seconds):
                todo.remove(check)
                title = title_of(CONTRACTS[subject.kind], check)
                yield Outcome(subject.kind, subject.name, check, title, status, message)


def _served(
    target: str, subject: Subject, todo: tuple[str, ...], seconds: float
) -> Iterator[tuple[str, str, str]]:
    """Run checks in one child, until they are done or one of them ends the child; that one is a finding."""
    with tempfile.TemporaryDirectory() as folder:
        told, request = Path(folder) / "told", asdict(subject) | {"target": target, "checks": todo}
        told.touch()
        child = _start(request | {"told": str(told)}, Path(folder) / "output")
        try:
            running = todo[0]
            for line in _lines(told, child, seconds):
                if "status" in line:
                    yield line["check"], line["status"], line["message"]
                running = "" if "status" in line else line["check"]
                if line["check"] == todo[-1] and "status" in line:
                    return
        finally:
            _end(child)
        last = (Path(folder) / "output").read_text(errors="replace").strip().splitlines()
        yield running or todo[0], "finding", _death(child, seconds, last[-1] if last else "it said nothing")


def _start(request: Mapping[str, Any], output: Path) -> subprocess.Popen[bytes]:
    # Small fits by many threads wait for each other.
    environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} | os.environ
    command = [sys.executable, "-m", "pubench.testing", json.dumps(request)]
    with output.open("wb") as sink:
        return subprocess.Popen(
            command,
            stdout=sink,
            stderr=sink,
            stdin=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )


def _lines(told: Path, child: subprocess.Popen[bytes], seconds: float) -> Iterator[dict[str, str]]:
    """Yield what the child writes down, until it ends or takes too long over one check."""
    with told.open(encoding="utf-8") as stream:
        rest, deadline = "", time.monotonic() + seconds
        while time.monotonic() < deadline:
            alive = child.poll() is None
            rest += stream.read()
            *whole, rest = rest.split("\n")
            for line in whole:
                deadline = time.monotonic() + seconds
                yield json.loads(line)
            if not alive and not whole:
                return
            time.sleep(_PAUSE)


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _death(child: subprocess.Popen[bytes], seconds: float, last: str) -> str:
    if child.returncode == -signal.SIGKILL:
        return f"it did not end within {seconds:g} seconds and was stopped; --seconds gives it more time"
    if child.returncode < 0:
        return f"it killed its process by {signal.Signals(-child.returncode).name}"
    return f"it ended its process with code {child.returncode}: {last}"


def serve_checks(request: Mapping[str, Any]) -> None:
    """In the child: run the checks that are asked for, and write down how each begins and ends."""
    made = {
        "name": request["name"],
        "target": request["target"],
        "distribution": request["origin"]["distribution"],
    }
    contract = type("Checked", (CONTRACTS[request["kind"]],), made)
    with open(request["told"], "a", encoding="utf-8") as stream:
        for check in request["checks"]:
            print(json.dumps({"check": check}), file=stream, flush=True)
            status, message = _run(contract, check)
            print(json.dumps({"check": check, "status": status, "message": message}), file=stream, flush=True)


def _run(contract: type[Contract], check: str) -> tuple[str, str]:
    try:
        getattr(contract(), check)()
    except SkipTest as reason:
        return "skipped", str(reason)
    except ContractError as error:
        return "finding", str(error)
    except (Exception, SystemExit) as error:
        return "finding", f"it raised {plain(error)}"
    return "ok", ""
