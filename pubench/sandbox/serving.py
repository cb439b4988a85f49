"""What every process that a worker asks does: answer requests, fork on request, and end what it forked.

A process that forks tasks runs no plugin code but imports and one warm-up fit, so that each task starts from the same
state, whatever ran before.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import resource
import signal
import socket
import struct
import sys
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import NoReturn

from pubench.protocol import ProtocolError, Request
from pubench.protocol.replies import Done, Ended, Failed, Forked, Prepared, Started
from pubench.protocol.requests import Enter, Fork, Limit, Listen, Prepare, Reap, WarmUp
from pubench.sandbox.channel import Channel
from pubench.sandbox.interpreters import THREAD_VARIABLES
from pubench.sandbox.linux import die_with_parent, own_subreaper
from pubench.sandbox.tree import descendants, kill_tree, parent_of
from pubench.specs import Array
from pubench.status import Problem

__all__ = ["Service", "serve"]

_POLL = 0.0005
_CREDENTIALS = struct.Struct("3i")


class Service(ABC):
    """What a process is for."""

    @staticmethod
    @abstractmethod
    def load(files: Iterable[str], references: Iterable[str]) -> None:
        """Import plugin files, and what import strings name."""

    @abstractmethod
    def answer(self, request: Request, arrays: tuple[Array, ...], channel: Channel) -> None:
        """Answer a request that is not about processes; what is raised is sent as a problem."""

    def hide(self, places: tuple[str, ...]) -> None:
        """Hide places from this process and from all that it starts, before any plugin runs."""
        raise ProtocolError("this process hides nothing")

    def before_fork(self) -> None:  # noqa: B027 - most processes have nothing to prepare
        """Prepare for a process that will be forked."""

    def after_fork(self) -> None:  # noqa: B027 - nor to clean up
        """Clean up after a forked process and all that it started have ended."""


def serve(channel: Channel, service: Service) -> NoReturn:
    """Serve requests until the worker closes the channel."""
    process = _Process(channel, service)
    channel.send(Started())
    while True:
        try:
            envelope = process.channel.receive()
        except ProtocolError as error:
            process.channel.send(Failed(problem=Problem.of(error)))
            continue
        if envelope is None:
            # Plugins may have left threads that never end.
            os._exit(0)
        process.handle(envelope.message, envelope.arrays)


class _Process:
    """The process itself: after a fork the object goes on in the new process, with a channel of its own."""

    def __init__(self, channel: Channel, service: Service) -> None:
        self.channel, self._service = channel, service
        self._threads = _count_threads()
        self._forked: set[int] = set()
        own_subreaper()
        _freeze()

    def handle(self, request: Request, arrays: tuple[Array, ...]) -> None:
        try:
            match request:
                case Fork(limit=limit):
                    self._fork(limit)
                case Limit():
                    _apply(request)
                    self.channel.send(Done())
                case Listen():
                    self._listen()
                case Enter():
                    self._enter(request)
                case Reap(pid=pid, patience=patience):
                    self.channel.send(Ended(code=self._reap(pid, patience)))
                case Prepare(files=files, imports=imports):
                    self._service.load(files, imports)
                    self._send_prepared()
                case WarmUp():
                    self._service.answer(request, arrays, self.channel)
                    self._send_prepared()
                case _:
                    self._service.answer(request, arrays, self.channel)
        except BaseException as error:
            self.channel.send(Failed(problem=Problem.of(error)))
        finally:
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(OSError, ValueError):
                    stream.flush()

    def _enter(self, request: Enter) -> None:
        os.environ.clear()
        os.environ.update(request.environment)
        sys.path[:] = request.path
        importlib.invalidate_caches()
        with contextlib.suppress(OSError):
            os.chdir(request.folder)
        if request.hidden:
            self._service.hide(request.hidden)
        self.channel.send(Done())

    def _send_prepared(self) -> None:
        _freeze()
        alone = _count_threads() <= self._threads and not self._has_other_children()
        self.channel.send(Prepared(can_fork=alone))

    def _fork(self, limit: Limit | None) -> None:
        descriptor, printed = self.channel.take_descriptors()
        parent = os.getpid()
        self._service.before_fork()
        pid = os.fork()
        if pid:
            os.close(descriptor)
            os.close(printed)
            self._forked.add(pid)
            self.channel.send(Forked(pid=pid))
            return
        self._settle(parent)
        # Signals that a terminal sends to a group, and those of a plugin to its own, stay where they belong.
        os.setsid()
        for stream in (1, 2):
            os.dup2(printed, stream)
        os.close(printed)
        self.channel = Channel(descriptor)
        self._threads = _count_threads()
        if limit is not None:
            _apply_or_end(limit)

    def _settle(self, parent: int) -> None:
        """Be a process of its own, just forked."""
        self._forked.clear()
        die_with_parent(parent)
        own_subreaper()

    def _listen(self) -> None:
        """Fork a process that forks a copy of itself for each worker that connects."""
        (descriptor,) = self.channel.take_descriptors()
        listener, parent = socket.socket(fileno=descriptor), os.getpid()
        pid = os.fork()
        if pid:
            listener.close()
            self._forked.add(pid)
            self.channel.send(Done())
            return
        self._settle(parent)
        # Nobody waits for the copies: the kernel forgets them when they end.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        parent = os.getpid()
        connection = _copied_for(listener)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._settle(parent)
        self.channel = Channel(connection.detach())

    def _reap(self, pid: int, patience: float) -> int:
        """Wait for a forked process, end it after some seconds, and end what it left behind."""
        status = _ended(pid, patience)
        if status is None:
            kill_tree(pid)
            status = os.waitpid(pid, 0)[1]
        self._forked.discard(pid)
        self._end_orphans()
        self._service.after_fork()
        return os.waitstatus_to_exitcode(status)

    def _end_orphans(self) -> None:
        """End descendants of processes that are gone: this process has become their parent."""
        # Most tasks leave nothing: then this process has no other child, and there is nothing to look for.
        while self._has_other_children():
            for pid in _children() - self._forked:
                kill_tree(pid)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, 0)

    def _has_other_children(self) -> bool:
        if self._forked:
            return bool(_children() - self._forked)
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return False
        return True


def _copied_for(listener: socket.socket) -> socket.socket:
    """Fork a copy of this process for each worker that connects; return, only in the copy, its connection."""
    while True:
        connection, _ = listener.accept()
        # Anyone on this machine may connect; only processes of the same user are served.
        peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        if _CREDENTIALS.unpack(peer)[1] == os.geteuid() and not os.fork():
            listener.close()
            return connection
        connection.close()


def _children() -> set[int]:
    """Return the children of this process; their descendants are found from them."""
    own = os.getpid()
    return {pid for pid in descendants(own) if parent_of(pid) == own}


def _freeze() -> None:
    """Keep the collector away from what is there: touching it would copy its pages in every fork."""
    gc.collect()
    gc.freeze()


def _count_threads() -> int:
    """Return the number of threads of this process, those of libraries included where the system tells."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        import threading

        return threading.active_count()


def _apply_or_end(limit: Limit) -> None:
    """Limit a process that was just forked: nobody would hear of a problem, and no task may run without its limits."""
    try:
        _apply(limit)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _apply(limit: Limit) -> None:
    """Let an allocation beyond the limit fail at once; the worker's watch catches what this cannot."""
    size = limit.memory_mb * 2**20
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard == resource.RLIM_INFINITY or size <= hard:
        resource.setrlimit(resource.RLIMIT_DATA, (size, hard))
    # A crash is reported as a row; a core file would only fill the disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if limit.gpu:
        # Libraries read it when they use a GPU for the first time: what forks has not done that.
        os.environ["CUDA_VISIBLE_DEVICES"] = limit.gpu
    if limit.threads > 1:
        # What forks has a single thread; libraries that it has loaded are told here.
        from threadpoolctl import threadpool_limits

        os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(limit.threads)))
        threadpool_limits(limit.threads)
        set_threads = getattr(sys.modules.get("torch"), "set_num_threads", None)
        if set_threads is not None:
            set_threads(limit.threads)


def _ended(pid: int, patience: float) -> int | None:
    """Return the status of a process that ends within some seconds."""
    deadline = time.monotonic() + patience
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return status
        if time.monotonic() >= deadline:
            return None
        time.sleep(_POLL)
