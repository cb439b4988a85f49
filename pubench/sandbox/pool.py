"""A fresh process for every task, forked from a warm one that has imported the plugin and run nothing since.

Four generations: a fork server that has imported pubench and the scientific packages; for each run a base process,
from which the truth is hidden; for each estimator a warm process that has imported the plugin and made one fixed
warm-up fit; for each task a process of its own, which ends with its task. What ran before cannot matter: nothing that
ran is an ancestor.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pubench.protocol.replies import Prepared
from pubench.protocol.requests import Enter, Limit, Prepare, WarmUp
from pubench.sandbox.fork_server import fork_from_server, fork_server
from pubench.sandbox.guard import child_environment
from pubench.sandbox.interpreters import ServerKind, module_path, plugin_environment
from pubench.sandbox.process import FORK_SECONDS, START_SECONDS, Ending, Sandbox, SandboxError
from pubench.sandbox.starting import start
from pubench.sandbox.tree import kill_tree

__all__ = ["Processes", "TaskLimits", "start_loader"]

IMPORT_SECONDS = 120.0
_PATIENCE = 2.0
WARM_UP_SECONDS = 30.0
MOST_KEPT = 64
"""Warm processes that are kept at a time; the one that was not used for longest makes room."""
_CAN_FORK = sys.platform == "linux"
"""Elsewhere a fork may break system libraries: every task gets an interpreter of its own."""


@dataclass(frozen=True, slots=True)
class TaskLimits:
    """What a task may use; ``shared`` runs tasks in the warm process itself, one after the other.

    ``gpu`` is the only GPU that it sees, as ``CUDA_VISIBLE_DEVICES`` names it; empty leaves that as it is.
    """

    seconds: float
    memory_mb: int
    threads: int = 1
    shared: bool = False
    gpu: str = ""

    @property
    def of_process(self) -> Limit:
        """What the process itself is told."""
        return Limit(memory_mb=self.memory_mb, threads=self.threads, gpu=self.gpu)


@dataclass(frozen=True, slots=True)
class _Warm:
    """A process from which tasks are forked, and the one that it was forked from for its warm-up fit, if any."""

    process: Sandbox
    can_fork: bool
    origin: Sandbox | None = None

    def close(self) -> None:
        self.process.close()
        if self.origin is not None:
            self.origin.close()


class Processes:
    """The processes of one worker that run one kind of plugin code.

    Parameters
    ----------
    kind : ServerKind
        What the processes run, and what they have imported.
    hidden : callable, optional
        Returns the places that they must not see, as they are when a base process is made; a process from which
        places are hidden is marked as one that runs algorithms.
    """

    def __init__(self, kind: ServerKind, hidden: Callable[[], Sequence[str]] | None = None) -> None:
        self.kind, self._hidden = kind, hidden
        self._base: Sandbox | None = None
        self._kept: OrderedDict[tuple[object, ...], _Warm] = OrderedDict()
        self._ending: Ending | None = None

    def begin(self) -> None:
        """Let imports begin without waiting for them: they take longer than most tasks."""
        if self._base is None and _CAN_FORK:
            fork_server(self.kind, self.environment())

    @contextlib.contextmanager
    def task(self, prepare: Prepare, limits: TaskLimits, warm_up: WarmUp | None = None) -> Iterator[Sandbox]:
        """Hand out a process for one task, its clock started; it is ended afterwards, unless tasks share it.

        Raises
        ------
        SandboxError
            If imports fail.
        """
        self._end_last()
        if limits.shared:
            process = self._warm(prepare, limits, warm_up).process
        else:
            process = self._process(prepare, limits, warm_up)
        patience = 0.0
        try:
            process.allow(limits.seconds)
            yield process
            patience = _PATIENCE
        finally:
            if not limits.shared:
                self._ending = process.release(patience)

    def _end_last(self) -> None:
        """Wait for the end of the last task's process and of all that it started: no task sees what another left."""
        ending, self._ending = self._ending, None
        if ending is not None:
            ending.wait()

    def close(self) -> None:
        """End all processes."""
        self._end_last()
        for warm in self._kept.values():
            warm.close()
        self._kept.clear()
        base, self._base = self._base, None
        if base is not None:
            base.close()

    def kill(self) -> None:
        """End the base process with all below it, also from another thread than the one that uses them."""
        base = self._base
        if base is not None:
            kill_tree(base.pid)

    def _process(self, prepare: Prepare, limits: TaskLimits, warm_up: WarmUp | None) -> Sandbox:
        warm = self._warm(prepare, limits, warm_up)
        if not warm.can_fork:
            return _limited(self._fresh(prepare), limits)
        try:
            return warm.process.fork(limits.of_process, seconds=FORK_SECONDS)
        except SandboxError:
            # Something ended the warm process, such as a task that kills its parent.
            warm.close()
            return self._warm(prepare, limits, warm_up).process.fork(limits.of_process)

    def _warm(self, prepare: Prepare, limits: TaskLimits, warm_up: WarmUp | None) -> _Warm:
        """Return the warm process for some imports, made now if there is none."""
        # With other limits of time a task needs no other process, unless it runs in there.
        key = (prepare, warm_up, limits.threads, limits if limits.shared else None)
        found = self._kept.get(key)
        if found is None or not found.process.is_open:
            while len(self._kept) >= MOST_KEPT:
                self._kept.popitem(last=False)[1].close()
            found = self._kept[key] = self._make_warm(prepare, limits, warm_up)
        self._kept.move_to_end(key)
        return found

    def _make_warm(self, prepare: Prepare, limits: TaskLimits, warm_up: WarmUp | None) -> _Warm:
        if not _CAN_FORK:
            process = self._fresh(prepare)
            return _Warm(_limited(process, limits) if limits.shared else process, can_fork=False)
        process = self._forked_base()
        try:
            can_fork = _prepared(process, prepare)
            if limits.shared:
                return _Warm(_limited(process, limits), can_fork)
            if can_fork and warm_up is not None and limits.threads == 1:
                return self._warmed_up(process, prepare, limits, warm_up)
        except SandboxError:
            process.close()
            raise
        return _Warm(process, can_fork)

    def _warmed_up(self, process: Sandbox, prepare: Prepare, limits: TaskLimits, warm_up: WarmUp) -> _Warm:
        """Fit once to fixed rows, in a fork: tasks are forked from there if the fit ends and leaves no thread behind.

        If it does not, they are forked from the process that made no fit. A fit that ends the fork, and not an
        interpreter of its own, does not survive a fork.
        """
        # Not the limit of the cell: whether the fit ends must not depend on what cannot change results.
        seconds = WARM_UP_SECONDS
        fitted = process.fork(limits.of_process)
        if _leaves_no_thread(fitted, warm_up, seconds):
            # From here on each task has a limit of its own.
            fitted.memory_mb = 0
            return _Warm(fitted, can_fork=True, origin=process)
        survived = fitted.is_open
        fitted.close()
        if survived:
            return _Warm(process, can_fork=True)
        with contextlib.closing(_limited(self._fresh(prepare), limits)) as alone:
            _leaves_no_thread(alone, warm_up, seconds)
            return _Warm(process, can_fork=not alone.is_open)

    def _fresh(self, prepare: Prepare) -> Sandbox:
        """Start an interpreter for a single task."""
        process = start(self.kind.module, (), self.environment()).started()
        self._enter(process)
        _prepared(process, prepare)
        return process

    def _forked_base(self) -> Sandbox:
        """Fork the base process, making it first, or again where something has ended it."""
        if self._base is not None and self._base.is_open:
            with contextlib.suppress(SandboxError):
                return self._base.fork()
            self._base.close()
        self._base = fork_from_server(self.kind, self.environment())
        self._enter(self._base)
        return self._base.fork()

    def _enter(self, process: Sandbox) -> None:
        enter = Enter(
            environment=self.environment(),
            path=module_path(),
            folder=_current_folder(),
            hidden=() if self._hidden is None else tuple(self._hidden()),
        )
        process.ask(enter, seconds=START_SECONDS)

    def environment(self) -> dict[str, str]:
        """Return the environment variables of these processes."""
        environment = plugin_environment()
        return environment if self._hidden is None else child_environment(environment)


def _prepared(process: Sandbox, prepare: Prepare) -> bool:
    """Let a process import what tasks need; return whether it can be forked afterwards."""
    reply = process.ask(prepare, seconds=IMPORT_SECONDS)
    if not isinstance(reply, Prepared):
        raise process.misbehaved(f"sent {type(reply).__name__} instead of the end of its imports")
    return reply.can_fork


def _leaves_no_thread(process: Sandbox, warm_up: WarmUp, seconds: float) -> bool:
    """Make the warm-up fit; return whether it ended well and left no thread behind."""
    try:
        reply = process.ask(warm_up, seconds=seconds)
    except SandboxError:
        return False
    return isinstance(reply, Prepared) and reply.can_fork


def _limited(process: Sandbox, limits: TaskLimits) -> Sandbox:
    process.limit(limits.of_process)
    return process


def start_loader(memory_mb: int) -> Sandbox:
    """Start a process that loads data sets: nothing is hidden from it, and no algorithm runs there."""
    process = start("pubench.child", (), plugin_environment()).started()
    process.limit(Limit(memory_mb=memory_mb, threads=1))
    return process


def _current_folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""
