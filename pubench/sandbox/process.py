"""A kept-alive child process that runs plugin code under limits of time and memory.

The child is started afresh with ``subprocess`` (never forked), so it inherits nothing: it knows only what it is
sent. It is killed and replaced when it hangs, eats memory or dies, and it is gone when its worker is.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

from pubench.protocol import ProtocolError, Reply, Request, Started
from pubench.sandbox.memory import anonymous_mb, resident_mb
from pubench.sandbox.wire import REPLIES, Buffer, Envelope, encode
from pubench.specs import Array
from pubench.status import Problem, Status

__all__ = ["Sandbox", "SandboxError"]

START_SECONDS = 120.0
_TICK = 0.05
_KEPT_OUTPUT = 8_000
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


class SandboxError(Exception):
    """The child is gone; ``problem`` says why, with the end of what it printed."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.error)
        self.problem = problem


class Sandbox:
    """One child process; started when first spoken to, replaced after a failure.

    Parameters
    ----------
    memory_mb : int
        The most memory that the child may hold; beyond it the child is ended as ``out-of-memory``.
    threads : int
        How many threads its numerical libraries may use.
    """

    def __init__(self, *, memory_mb: int, threads: int = 1) -> None:
        self.memory_mb = memory_mb
        self.threads = threads
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer: Buffer[Reply] = Buffer(REPLIES)
        self._output = bytearray()
        self._request = self._reply = self._printed = -1
        self._number = 0

    def send(self, request: Request, arrays: Sequence[Array] = (), *, seconds: float) -> None:
        """Send a request, starting the child if there is none."""
        if self._process is None:
            self._start()
        self._number += 1
        deadline = time.monotonic() + seconds
        view = memoryview(encode(request, arrays, number=self._number))
        while view:
            # The child may print, or die, before it has read everything: never block on the write alone.
            self._check(deadline)
            readable, writable, _ = select.select([self._printed], [self._request], [], _TICK)
            if readable:
                self._drain()
            if writable:
                try:
                    view = view[os.write(self._request, view[:65536]) :]
                except BrokenPipeError:
                    raise self._dead() from None

    def receive(self, *, seconds: float) -> Envelope[Reply]:
        """Wait for the child's next reply; raise SandboxError if it hangs, dies, or uses too much memory."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                envelope = self._buffer.take()
            except ProtocolError as error:
                raise self.misbehaved(f"sent an unreadable message: {error}") from None
            # A thread left behind by an earlier request may still send replies to it.
            if envelope is not None and envelope.number == self._number:
                self._drain_ready()
                return envelope
            if envelope is None:
                self._wait(deadline)

    def misbehaved(self, reason: str) -> SandboxError:
        """End a child that broke the protocol, and return the error to raise."""
        return self._fail(Status.CRASHED, reason)

    def output(self) -> str:
        """Return the end of what the child printed since last asked, and forget it."""
        text = bytes(self._output).decode(errors="replace")
        self._output.clear()
        return text

    def close(self) -> None:
        """End the child and whatever it started."""
        process, self._process = self._process, None
        if process is None:
            return
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            process.kill()
        process.wait()
        for fd in (self._request, self._reply, self._printed):
            os.close(fd)

    def _start(self) -> None:
        child_request, self._request = os.pipe()
        self._reply, child_reply = os.pipe()
        self._printed, child_printed = os.pipe()
        command = [sys.executable, "-P", "-m", "pubench.child"]
        self._process = subprocess.Popen(
            [*command, str(child_request), str(child_reply), str(self.memory_mb)],
            stdin=subprocess.DEVNULL,
            stdout=child_printed,
            stderr=child_printed,
            pass_fds=(child_request, child_reply),
            env=self._environment(),
            start_new_session=True,
        )
        for fd in (child_request, child_reply, child_printed):
            os.close(fd)
        os.set_blocking(self._request, False)
        os.set_blocking(self._printed, False)
        self._buffer = Buffer(REPLIES)
        self._output.clear()
        self._number = 0
        if not isinstance(self.receive(seconds=START_SECONDS).message, Started):
            raise self.misbehaved("did not start as a child of pubench")

    def _environment(self) -> dict[str, str]:
        # The child must find the modules that this process finds, and nothing else.
        path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)
        threads = dict.fromkeys(_THREAD_VARIABLES, str(self.threads))
        return os.environ | threads | {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}

    def _wait(self, deadline: float) -> None:
        self._check(deadline)
        channels = [self._reply, self._printed]
        ready, _, _ = select.select(channels, [], [], _TICK)
        if self._reply not in ready and self._process is not None and self._process.poll() is not None:
            # What it said last may have come after that look, and before its end.
            ready, _, _ = select.select(channels, [], [], 0)
            if self._reply not in ready:
                raise self._dead()
        if self._printed in ready:
            self._drain()
        if self._reply in ready:
            data = os.read(self._reply, 1 << 20)
            if not data:
                raise self._dead()
            self._buffer.feed(data)

    def _check(self, deadline: float) -> None:
        if time.monotonic() > deadline:
            raise self._fail(Status.TIMEOUT, "did not finish within its time limit")
        assert self._process is not None
        pid = self._process.pid
        if resident_mb(pid) > self.memory_mb and anonymous_mb(pid) > self.memory_mb:
            raise self._fail(Status.OUT_OF_MEMORY, f"used more than its {self.memory_mb} MB of memory")

    def _drain(self) -> bool:
        """Take what was printed; only its end is kept, so a flood costs nothing."""
        try:
            data = os.read(self._printed, 1 << 16)
        except BlockingIOError:
            return False
        self._output += data
        del self._output[:-_KEPT_OUTPUT]
        return bool(data)

    def _drain_ready(self) -> None:
        for _ in range(16):
            if not self._drain():
                return

    def _dead(self) -> SandboxError:
        assert self._process is not None
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return self._fail(Status.CRASHED, "closed its channel")
        self._drain_ready()
        if code < 0:
            return self._fail(Status.CRASHED, f"was ended by signal {_signal_name(-code)}")
        return self._fail(Status.CRASHED, f"ended its process with exit code {code}")

    def _fail(self, status: Status, reason: str) -> SandboxError:
        self.close()
        return SandboxError(Problem(status, reason, output=self.output()))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
