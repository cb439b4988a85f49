"""Fits of many methods on rows of one table, each in a process of its own under the limits of suites."""

from __future__ import annotations

import contextlib
import queue
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pubench.advise.category_codes import Groups, with_codes
from pubench.advise.methods import Method
from pubench.data.truth import hidden_places
from pubench.protocol.parts import Features, Preprocess, Seeds
from pubench.protocol.replies import Ranked, Reply, Stored
from pubench.protocol.requests import Prepare, RankRequest, Setting, StoreRequest, WarmUp
from pubench.run.asking import TaskError, out_of_turn, replies
from pubench.sandbox import Processes, Sandbox, SandboxError, TaskLimits
from pubench.sandbox.early import ALGORITHMS
from pubench.sandbox.wire import Envelope
from pubench.specs import Array, Scenario
from pubench.status import Problem, Status

__all__ = [
    "AS_IT_IS",
    "FIT_SECONDS",
    "MEMORY_MB",
    "FoldFit",
    "FoldFits",
    "FoldTask",
    "KeptFit",
    "stored_rows",
]

FIT_SECONDS, MEMORY_MB = 600.0, 4096
"""What one fit may use, as in a suite that does not say."""
_JOBS = 2
_PATIENCE = 0.5
_NOT_BEGUN = Problem(Status.SKIPPED, "not started within the budget")
AS_IT_IS = Preprocess(impute="none", scale="none")
_RANKING = "pubench.child.ranking:serve_rank"
_STORING = "pubench.estimators.stored_models:estimator_bytes"
Floats = NDArray[np.float64]
Positions = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class FoldTask:
    """One method on one fold: the rows that it is fitted on, their labels and prior, and the rows left out.

    Without rows left out, the fitted model itself is wanted.
    """

    method: Method
    repeat: int
    fold: int
    train: Positions
    s: NDArray[np.uint8]
    prior: float | None
    held: Positions
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class FoldFit:
    """What a method says of the rows left out, and the seconds of its fit."""

    score: Floats
    decision: NDArray[np.uint8]
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class KeptFit:
    """A fitted model, as :mod:`pubench.estimators.stored_models` writes it."""

    content: bytes


class FoldFits:
    """Runs fold tasks, two at a time; a context manager, which ends all processes.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Finite numbers, scaled as methods want them.
    groups : tuple of tuple of int
        The columns of each category; see :func:`pubench.advise.category_codes.with_codes`.
    scenario : {"case-control", "single-training-set"}
    """

    def __init__(self, X: Floats, groups: Groups, scenario: Scenario) -> None:
        self._X, self._groups, self._scenario = X, groups, scenario
        self._stopped = threading.Event()
        self._idle: queue.SimpleQueue[Processes] = queue.SimpleQueue()
        self._all = [Processes(ALGORITHMS, hidden_places) for _ in range(_JOBS)]
        self._futures: tuple[Future[FoldFit | KeptFit | Problem], ...] = ()
        self._closing = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pubench-")))
            self._features = stored_rows(folder / "indicators", self._X)
            self._coded = self._features
            if self._groups:
                self._coded = stored_rows(folder / "codes", with_codes(self._X, self._groups))
            for processes in self._all:
                stack.callback(processes.close)
                self._idle.put(processes)
            self._pool = stack.enter_context(ThreadPoolExecutor(_JOBS))
            self._all[0].begin()
            self._closing = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # After an interrupt, what still runs is ended, and what has not begun never begins. A process that was being
        # made just then is ended the next time round.
        self._stopped.set()
        waiting = {future for future in self._futures if not future.done()}
        while waiting:
            for processes in self._all:
                processes.kill()
            _, waiting = wait(waiting, timeout=_PATIENCE)
        self._closing.close()

    def run(
        self, tasks: Sequence[FoldTask], allowed: Callable[[FoldTask], float]
    ) -> Iterator[tuple[FoldTask, FoldFit | KeptFit | Problem]]:
        """Yield the outcome of each task as it ends.

        Parameters
        ----------
        tasks : sequence of FoldTask
            They are begun in this order.
        allowed : callable
            Returns the seconds that a task may take when it begins; with 0 or less it is not begun.
        """
        waiting = {self._pool.submit(self._outcome, task, allowed): task for task in tasks}
        self._futures = tuple(waiting)
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield waiting.pop(future), future.result()

    def _outcome(self, task: FoldTask, allowed: Callable[[FoldTask], float]) -> FoldFit | KeptFit | Problem:
        seconds = 0.0 if self._stopped.is_set() else allowed(task)
        if seconds <= 0:
            return _NOT_BEGUN
        processes = self._idle.get()
        try:
            return self._fit(task, processes, TaskLimits(min(seconds, FIT_SECONDS), MEMORY_MB))
        except (TaskError, SandboxError) as failure:
            return failure.problem
        finally:
            self._idle.put(processes)

    def _fit(self, task: FoldTask, processes: Processes, limits: TaskLimits) -> FoldFit | KeptFit:
        plan, keeps = task.method.plan, len(task.held) == 0
        prepare = Prepare(files=(), imports=(plan.estimator, _RANKING, *((_STORING,) if keeps else ())))
        warm_up = WarmUp(
            estimator=plan.estimator, receives=plan.receives, labels="pu", scenario=plan.scenarios[0]
        )
        setting = self._setting(task)
        request = StoreRequest(setting=setting) if keeps else RankRequest(setting=setting)
        with processes.task(prepare, limits, warm_up) as sandbox:
            if self._stopped.is_set():
                # Made in place of one that the interrupt ended: no task is left for it.
                raise TaskError(_NOT_BEGUN)
            envelope = next(replies(sandbox, request, [task.train, task.s, task.held]))
            found = _kept(sandbox, envelope) if keeps else _ranked(sandbox, envelope, task)
            sandbox.close()
            return found

    def _setting(self, task: FoldTask) -> Setting:
        # Nothing but the fit draws at random: rows, labels and folds are given.
        seeds = Seeds(sample=0, split=0, label=0, folds=0, prior=0, search=0, fit=task.seed)
        return Setting(
            data=self._coded if task.method.takes_codes else self._features,
            preprocess=AS_IT_IS,
            scenario=self._scenario,
            algorithm=task.method.plan,
            prior=task.prior,
            prior_error="",
            seeds=seeds,
        )


def stored_rows(folder: Path, X: Floats) -> Features:
    """Write encoded rows into a new folder: every process maps the same file instead of being sent its rows."""
    folder.mkdir()
    np.save(folder / "X.npy", np.ascontiguousarray(X, dtype=np.float64))
    return Features(
        folder=str(folder), sparse=False, n_features=X.shape[1], categorical=(), missing=0, image_shape=()
    )


def _ranked(sandbox: Sandbox, envelope: Envelope[Reply], task: FoldTask) -> FoldFit:
    if not isinstance(envelope.message, Ranked):
        raise out_of_turn(sandbox, envelope.message)
    _check(sandbox, envelope.arrays, ["<f8", "|u1"])
    score, decision = envelope.arrays
    if score.shape != (len(task.held),) or decision.shape != score.shape or not np.isfinite(score).all():
        raise TaskError(sandbox.misbehaved("broke the protocol: scores for another number of rows").problem)
    return FoldFit(score, decision, envelope.message.seconds)


def _kept(sandbox: Sandbox, envelope: Envelope[Reply]) -> KeptFit:
    if not isinstance(envelope.message, Stored):
        raise out_of_turn(sandbox, envelope.message)
    _check(sandbox, envelope.arrays, ["|u1"])
    return KeptFit(envelope.arrays[0].tobytes())


def _check(sandbox: Sandbox, arrays: Sequence[Array], kinds: list[str]) -> None:
    if [array.dtype.str for array in arrays] != kinds:
        raise TaskError(sandbox.misbehaved("broke the protocol: arrays of other types").problem)
