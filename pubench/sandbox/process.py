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
from typing import Any, Literal

from numpy.typing import NDArray

from pubench.sandbox.messages import Buffer, Message, encode

__all__ = ["FailureStatus", "Sandbox", "SandboxError"]

FailureStatus = Literal["timeout", "crashed", "out-of-memory"]

START_SECONDS = 120.0
_TICK = 0.05
_KEPT_OUTPUT = 8_000
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


class SandboxError(Exception):
    """The child is gone: why, in one sentence, and the end of what it printed."""

    def __init__(self, status: FailureStatus, reason: str, output: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.output = output


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
        self._buffer = Buffer()
        self._output = bytearray()
        self._request = self._reply = self._printed = -1
        self._number = 0

    def send(self, header: dict[str, Any], arrays: Sequence[NDArray[Any]] = (), *, seconds: float) -> None:
        """Send a message, starting the child if there is none."""
        if self._process is None:
            self._start()
        self._number += 1
        header = header | {"request": self._number}
        deadline = time.monotonic() + seconds
        view = memoryview(encode(header, arrays))
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

    def receive(self, *, seconds: float) -> Message:
        """Wait for the child's next message; raise SandboxError if it hangs, dies or eats too much."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                message = self._buffer.take()
            except (ValueError, TypeError):
                raise self._fail("crashed", "wrote into pubench's own channel") from None
            # What a thread left behind by an earlier request has to say is of no interest.
            if message is not None and message.header.get("request") == self._number:
                self._drain_ready()
                return message
            if message is not None:
                continue
            self._wait(deadline)

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
        self._buffer = Buffer()
        self._output.clear()
        self._number = 0
        self.receive(seconds=START_SECONDS)

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
            raise self._fail("timeout", "did not finish within its time limit")
        assert self._process is not None
        pid = self._process.pid
        if _resident_mb(pid) > self.memory_mb and _own_mb(pid) > self.memory_mb:
            raise self._fail("out-of-memory", f"used more than its {self.memory_mb} MB of memory")

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
            return self._fail("crashed", "closed its channel")
        self._drain_ready()
        if code < 0:
            return self._fail("crashed", f"was ended by signal {_signal_name(-code)}")
        return self._fail("crashed", f"ended its process with exit code {code}")

    def _fail(self, status: FailureStatus, reason: str) -> SandboxError:
        self.close()
        return SandboxError(status, reason, self.output())


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _resident_mb(pid: int) -> float:
    """Return the child's resident memory in MB, mapped files among it; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * _PAGE_MB
    except OSError:
        return _resident_mb_elsewhere(pid)


def _own_mb(pid: int) -> float:
    """Return the part that is no file's, private or shared, in MB; dearer to ask for."""
    try:
        with open(f"/proc/{pid}/status") as file:
            own = [int(line.split()[1]) for line in file if line.startswith(("RssAnon:", "RssShmem:"))]
            return sum(own) / 1024
    except OSError:
        return _resident_mb_elsewhere(pid)


def _resident_mb_elsewhere(pid: int) -> float:
    import psutil

    try:
        return float(psutil.Process(pid).memory_info().rss) / 2**20
    except psutil.Error:
        return 0.0


_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20
