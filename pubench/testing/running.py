"""Contracts without pytest, for ``pubench plugin check``: in a child, so that a crash or a hang is a finding."""

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
from typing import NamedTuple
from unittest import SkipTest

from pubench.plugins.registry import KINDS
from pubench.testing.algorithm import AlgorithmContract
from pubench.testing.bounded import ended_badly
from pubench.testing.contract import Contract, ContractError, checks_of, plain, title_of
from pubench.testing.criterion import CriterionContract
from pubench.testing.dataset import DatasetContract
from pubench.testing.metric import MetricContract
from pubench.testing.prior import PriorContract
from pubench.testing.subjects import Subject, Subjects

__all__ = ["CONTRACTS", "CheckRequest", "Outcome", "run_checks", "serve_checks"]

CONTRACTS: Mapping[str, type[Contract]] = dict(
    zip(
        KINDS,
        (AlgorithmContract, DatasetContract, CriterionContract, MetricContract, PriorContract),
        strict=True,
    )
)
_PAUSE = 0.02
_FIRST_USE = (
    "test_signature",
    "test_fits_and_answers",
    "test_loads",
    "test_returns_a_number",
    "test_near_the_truth",
)
"""Checks of what all later ones do, too: if one of them ends the child, the others would end it again."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one check: ``status`` is ok, finding or skipped, and ``message`` gives the reason."""

    kind: str
    name: str
    check: str
    title: str
    status: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What the child needs: the spec, the checks to run, and the file to which it writes their outcomes."""

    kind: str
    name: str
    distribution: str
    target: str
    checks: tuple[str, ...]
    log: str

    @classmethod
    def from_json(cls, text: str) -> CheckRequest:
        """Read the argument of the child's command line."""
        fields = json.loads(text)
        return cls(**fields | {"checks": tuple(fields["checks"])})


class _Event(NamedTuple):
    """A line of the log: a check that has started (without a status) or ended."""

    check: str
    status: str = ""
    message: str = ""


def run_checks(subjects: Subjects, *, seconds: float) -> Iterator[Outcome]:
    """Yield the outcome of each check of each spec when it ends.

    Parameters
    ----------
    subjects : Subjects
    seconds : float
        The time limit of one check.
    """
    for info in subjects.broken:
        sentence = f"plugin '{info.origin.plugin}' cannot be loaded: {info.error}"
        yield Outcome("plugins", info.origin.plugin, "load", "It can be loaded", "finding", sentence)
    for subject in subjects.specs:
        for event in _run_subject(subjects.target, subject, seconds):
            title = title_of(CONTRACTS[subject.kind], event.check)
            yield Outcome(subject.kind, subject.name, event.check, title, event.status, event.message)


def _run_subject(target: str, subject: Subject, seconds: float) -> Iterator[_Event]:
    """Run all checks of a spec, in another child after each one that ends its child."""
    todo, event = checks_of(CONTRACTS[subject.kind]), _Event("")
    while todo and event.check not in _FIRST_USE:
        for event in _run_in_child(target, subject, tuple(todo), seconds):
            todo.remove(event.check)
            yield event
    for check in todo:
        yield _Event(check, "skipped", f"see: {title_of(CONTRACTS[subject.kind], event.check)}")


def _run_in_child(target: str, subject: Subject, todo: tuple[str, ...], seconds: float) -> Iterator[_Event]:
    """Run checks in one child, until they have ended or one of them ends the child; that one is a finding."""
    with tempfile.TemporaryDirectory() as folder:
        log, output = Path(folder) / "log", Path(folder) / "output"
        log.touch()
        request = CheckRequest(
            subject.kind, subject.name, subject.origin.distribution, target, todo, str(log)
        )
        child = _start(request, output)
        ended = 0
        try:
            for event in _events(log, child, seconds):
                if event.status:
                    yield event
                    ended += 1
                    if ended == len(todo):
                        return
        finally:
            _end(child)
        lines = output.read_text(errors="replace").strip().splitlines()
        reason = _death(child, seconds, lines[-1] if lines else "no message")
        yield _Event(todo[ended], "finding", reason)


def _start(request: CheckRequest, output: Path) -> subprocess.Popen[bytes]:
    # Small fits are slower with many threads.
    environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} | os.environ
    command = [sys.executable, "-P", "-m", "pubench.testing", json.dumps(asdict(request))]
    with output.open("wb") as sink:
        return subprocess.Popen(
            command,
            stdout=sink,
            stderr=sink,
            stdin=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )


def _events(log: Path, child: subprocess.Popen[bytes], seconds: float) -> Iterator[_Event]:
    """Yield the events that the child logs, until it ends or one check exceeds the time limit."""
    with log.open(encoding="utf-8") as stream:
        rest, deadline = "", time.monotonic() + seconds
        while time.monotonic() < deadline:
            alive = child.poll() is None
            rest += stream.read()
            *whole, rest = rest.split("\n")
            for line in whole:
                deadline = time.monotonic() + seconds
                with contextlib.suppress(ValueError, TypeError):
                    # A plugin may have written into the log.
                    yield _Event(*json.loads(line))
            if not alive and not whole:
                return
            time.sleep(_PAUSE)


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _death(child: subprocess.Popen[bytes], seconds: float, last: str) -> str:
    reason = ended_badly(child.returncode, seconds, last)
    remedy = "; increase --seconds to allow more time"
    return reason + (remedy if child.returncode == -signal.SIGKILL else "")


def serve_checks(request: CheckRequest) -> None:
    """In the child: run the requested checks, and log when each one starts and ends."""
    attributes = {"name": request.name, "target": request.target, "distribution": request.distribution}
    contract = type("Checked", (CONTRACTS[request.kind],), attributes)
    with open(request.log, "a", encoding="utf-8") as stream:
        for check in request.checks:
            print(json.dumps(_Event(check)), file=stream, flush=True)
            print(json.dumps(_run(contract, check)), file=stream, flush=True)


def _run(contract: type[Contract], check: str) -> _Event:
    try:
        subject = contract()
        method = getattr(subject, check)
        subject.setup_method(method)
        method()
    except SkipTest as reason:
        return _Event(check, "skipped", str(reason))
    except ContractError as error:
        return _Event(check, "finding", str(error))
    except (Exception, SystemExit) as error:
        return _Event(check, "finding", f"it raised {plain(error)}")
    return _Event(check, "ok")
