"""A process that runs plugin code, seen from the worker: asking it, its limits, forking it, and why it died.

The first process is started afresh with ``subprocess``, so it inherits nothing: it knows only what it is sent. It can
be asked to fork. A process is ended when it hangs, eats memory or breaks the protocol, and it is gone when its worker
is.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pubench.protocol import ProtocolError, Reply, Request
from pubench.protocol.replies import Ended, Failed, Forked, Started
from pubench.protocol.requests import Fork, Limit, Reap
from pubench.sandbox.tree import kill_tree, tree_mb
from pubench.sandbox.wire import REPLIES, Buffer, Envelope, encode
from pubench.specs import Array
from pubench.status import Problem, Status, problem_of_end

__all__ = ["Ending", "Sandbox", "SandboxError"]

START_SECONDS = 120.0
FORK_SECONDS = 30.0
"""After which a process that should fork is taken for stopped, and another one is made; a fork takes milliseconds."""
_PATIENCE = 5.0
_TICK, _LOOK = 0.05, 0.1
_KEPT_OUTPUT = 8_000


class SandboxError(Exception):
    """The process is gone or did not answer; ``problem`` says why, with the end of what it printed."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.error)
        self.problem = problem


class Sandbox:
    """One process on the other side of a channel.

    Parameters
    ----------
    channel : socket
    printed : int
        The descriptor from which its output can be read.
    pid : int
    end : callable
        Waits some seconds for the process, then ends it with all that it started, and returns its exit code.
    parent : Sandbox, optional
        The process that forked it.

    Attributes
    ----------
    memory_mb : int
        The most memory that it and its descendants may hold together; 0 for no limit.
    number : int
        The number of the last request; replies to earlier ones are ignored.
    """

    def __init__(
        self,
        channel: socket.socket,
        printed: int,
        pid: int,
        end: Callable[[float], int],
        parent: Sandbox | None = None,
    ) -> None:
        self.pid, self.memory_mb = pid, 0
        self._channel, self._printed, self._end, self._parent = channel, printed, end, parent
        self._buffer: Buffer[Reply] = Buffer(REPLIES)
        self._output = bytearray()
        self.number = 0
        self._deadline = self._looked = 0.0
        self.is_open = True
        # Threads may share a process that they fork others from.
        self._lock = threading.RLock()
        channel.setblocking(False)
        os.set_blocking(printed, False)

    def is_running(self) -> bool:
        """Whether the other side still listens."""
        if not self.is_open:
            return False
        # That the other side has hung up is told whatever is asked for, also while some of its replies are unread.
        poll = select.poll()
        poll.register(self._channel, 0)
        return not poll.poll(0)

    def allow(self, seconds: float) -> None:
        """Start the clock: whatever is sent and received from now on may take so many seconds."""
        self._deadline = time.monotonic() + seconds

    def send(self, request: Request, arrays: Sequence[Array] = (), descriptors: Sequence[int] = ()) -> None:
        """Send a request."""
        self.number += 1
        view = memoryview(encode(request, arrays, number=self.number))
        while view:
            # The process may print, or die, before it has read everything: never block on the write alone.
            self._check()
            readable, writable, _ = select.select([self._printed], [self._channel], [], _TICK)
            if readable:
                self._drain()
            if writable:
                try:
                    view = view[socket.send_fds(self._channel, [view[:65536]], descriptors) :]
                    descriptors = ()
                except OSError:
                    raise self._dead() from None

    def receive(self) -> Envelope[Reply]:
        """Wait for the next reply; raise SandboxError if the process hangs, dies, or uses too much memory."""
        while True:
            try:
                envelope = self._buffer.take()
            except ProtocolError as error:
                raise self.misbehaved(f"sent an unreadable message: {error}") from None
            # A thread left behind by an earlier request may still send replies to it.
            if envelope is not None and envelope.number == self.number:
                self._drain_ready()
                return envelope
            if envelope is None:
                self._wait()

    def ask(self, request: Request, *, seconds: float, descriptors: Sequence[int] = ()) -> Reply:
        """Send a request that has one reply and return it; a problem is raised as SandboxError."""
        with self._lock:
            self.allow(seconds)
            self.send(request, descriptors=descriptors)
            reply = self.receive().message
        if isinstance(reply, Failed):
            raise SandboxError(reply.problem)
        return reply

    def limit(self, limit: Limit) -> None:
        """Limit the memory of the process with all its descendants, and the threads of its libraries."""
        self.memory_mb = limit.memory_mb
        self.ask(limit, seconds=START_SECONDS)

    def fork(self, limit: Limit | None = None, *, seconds: float = START_SECONDS) -> Sandbox:
        """Return a new process that begins as a copy of this one, limited from its start.

        A fork server may have to finish its imports first; others have nothing else to do.
        """
        ours, theirs = socket.socketpair()
        printed, output = os.pipe()
        try:
            reply = self.ask(Fork(limit=limit), seconds=seconds, descriptors=(theirs.fileno(), output))
            if not isinstance(reply, Forked):
                raise self.misbehaved(f"sent {type(reply).__name__} instead of a new process")
        except SandboxError:
            ours.close()
            os.close(printed)
            raise
        finally:
            theirs.close()
            os.close(output)
        pid = reply.pid
        forked = Sandbox(ours, printed, pid, lambda patience: self._reap(pid, patience), parent=self)
        forked.memory_mb = limit.memory_mb if limit is not None else 0
        return forked

    def started(self) -> Sandbox:
        """Wait until a new interpreter runs, and return it."""
        self.allow(START_SECONDS)
        if not isinstance(self.receive().message, Started):
            raise self.misbehaved("did not start as a process of pubench")
        return self

    def _reap(self, pid: int, patience: float) -> int:
        with contextlib.suppress(SandboxError):
            if self.is_open:
                reply = self.ask(Reap(pid=pid, patience=patience), seconds=START_SECONDS)
                return reply.code if isinstance(reply, Ended) else -signal.SIGKILL
        # The process that forked it is gone, and the kernel has ended it.
        kill_tree(pid)
        return -signal.SIGKILL

    def release(self, patience: float) -> Ending | None:
        """End the process as :meth:`close` does, without waiting: the returned value waits, where there is one."""
        parent = self._parent
        if not self.is_open or parent is None or not parent.is_open:
            self.close(patience)
            return None
        self.is_open = False
        self._channel.close()
        os.close(self._printed)
        parent.allow(START_SECONDS)
        try:
            parent.send(Reap(pid=self.pid, patience=patience))
        except SandboxError:
            kill_tree(self.pid)
            return None
        return Ending(parent, self.pid, parent.number)

    def misbehaved(self, reason: str) -> SandboxError:
        """End a process that broke the protocol, and return the error to raise."""
        return self._fail(Problem(Status.CRASHED, reason))

    def output(self) -> str:
        """Return the end of what the process printed since last asked, and forget it."""
        text = bytes(self._output).decode(errors="replace")
        self._output.clear()
        return text

    def close(self, patience: float = 0.0) -> int:
        """End the process, after some seconds by force, and whatever it started; return its exit code."""
        if not self.is_open:
            return 0
        self.is_open = False
        # Without a channel a process that listens ends by itself.
        self._channel.close()
        code = self._end(patience)
        self._drain_ready()
        os.close(self._printed)
        return code

    def _wait(self) -> None:
        self._check()
        channels = [self._channel.fileno(), self._printed]
        ready, _, _ = select.select(channels, [], [], _TICK)
        if self._printed in ready:
            self._drain()
        if channels[0] in ready:
            try:
                data = self._channel.recv(1 << 20)
            except ConnectionResetError:
                data = b""
            if not data:
                raise self._dead()
            self._buffer.feed(data)

    def _check(self) -> None:
        now = time.monotonic()
        if now > self._deadline:
            raise self._fail(Problem(Status.TIMEOUT, "did not finish within its time limit"))
        if self.memory_mb and now - self._looked > _LOOK:
            self._looked = now
            if tree_mb(self.pid, self.memory_mb) > self.memory_mb:
                reason = f"used more than its {self.memory_mb} MB of memory"
                raise self._fail(Problem(Status.OUT_OF_MEMORY, reason))

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
        code = self.close(_PATIENCE)
        return self._fail(problem_of_end(code, self._peek()))

    def _peek(self) -> str:
        return bytes(self._output).decode(errors="replace")

    def _fail(self, problem: Problem) -> SandboxError:
        self.close()
        return SandboxError(Problem(problem.status, problem.error, output=self.output()))


@dataclass(frozen=True, slots=True)
class Ending:
    """A forked process that is being ended, with all that it started, by the one that forked it."""

    parent: Sandbox
    pid: int
    number: int

    def wait(self) -> None:
        """Wait until it and all that it started are gone."""
        parent = self.parent
        if not parent.is_open or parent.number != self.number:
            # It is over: a process answers its requests one after the other, and ends what it forked when it ends.
            return
        parent.allow(START_SECONDS)
        try:
            parent.receive()
        except SandboxError:
            kill_tree(self.pid)
