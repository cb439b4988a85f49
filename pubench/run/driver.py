"""Pending jobs -> tasks -> a backend's workers -> records and trials in the store. The driver is the only writer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple, Protocol, runtime_checkable

from pubench.plan.jobs import Cell, Job
from pubench.plan.planning import ExecutionPlan
from pubench.results.record import EvaluatedTrial, Record, StoredTrial
from pubench.results.store import Store
from pubench.run.backends import Backend, Finished
from pubench.run.gpus import GpuSlots, gpu_slots
from pubench.run.job_state import JobState
from pubench.run.news import TrainingNews
from pubench.run.tasks import Outcome, PriorTask, Task
from pubench.status import Problem, Status

__all__ = ["Progress", "TaskProgress", "TrainingProgress", "pending_jobs", "run_jobs"]

_AHEAD = 2
"""Tasks for each worker, the waiting ones included, so that none is idle while the driver thinks."""


class Progress(Protocol):
    """Watches a run."""

    def begin(self, total: int, finished: int) -> None:
        """Take the number of planned cells and of those that are finished already."""

    def done(self, cell: Cell, record: Record) -> None:
        """Take the record of a cell that has ended."""

    def note(self, text: str) -> None:
        """Take a sentence that the user should read."""


@runtime_checkable
class TaskProgress(Progress, Protocol):
    """Watches a run closely: also the jobs that are to be run, and the tasks of which they consist."""

    def expect(self, jobs: Sequence[Job]) -> None:
        """Take the jobs, before the first one starts."""

    def tasks(self, running: int, workers: int, trials: int) -> None:
        """Take the number of tasks that workers have, that of workers, and that of trials finished by this run."""


@runtime_checkable
class TrainingProgress(Protocol):
    """Watches a run from the inside: also how far single fits are."""

    def training(self, cell: Cell, news: TrainingNews) -> None:
        """Take how far a fit of a cell is; cells that share a search are known by the first of them."""


def pending_jobs(planned: ExecutionPlan, records: dict[str, Record], *, retry_failed: bool) -> list[Job]:
    """Return the jobs with the cells that have no usable record yet; cells of one key are computed once."""
    jobs: list[Job] = []
    taken: set[str] = set()
    for job in planned.jobs:
        kept = [
            i
            for i, cell in enumerate(job.cells)
            if cell.key not in taken and _is_open(records.get(cell.key), retry_failed)
        ]
        taken.update(job.cells[i].key for i in kept)
        if len(kept) == len(job.cells):
            jobs.append(job)
        elif kept:
            cells, criteria = tuple(job.cells[i] for i in kept), tuple(job.criteria[i] for i in kept)
            jobs.append(replace(job, cells=cells, criteria=criteria))
    return jobs


def _is_open(record: Record | None, retry_failed: bool) -> bool:
    if record is None or not record.status.is_finished:
        return True
    return retry_failed and record.status.is_failure


def run_jobs(
    jobs: Sequence[Job],
    store: Store,
    backend: Backend,
    on_record: Callable[[Cell, Record], None],
    *,
    trials: Mapping[str, Sequence[StoredTrial]] | None = None,
    evaluated: Mapping[str, Sequence[EvaluatedTrial]] | None = None,
    retried: bool = False,
    gpus: Sequence[str] = (),
    on_tasks: Callable[[int, int, int], None] | None = None,
    on_news: Callable[[Cell, TrainingNews], None] | None = None,
) -> None:
    """Run the jobs and store each trial and record as it arrives.

    Parameters
    ----------
    jobs : sequence of Job
    store : Store
    backend : Backend
    on_record : callable
        Is called for each cell that has ended.
    trials : mapping of str to sequence of StoredTrial
        The stored trials of earlier runs, by the key of their search.
    evaluated : mapping of str to sequence of EvaluatedTrial
        Those that earlier runs have judged on test rows, by the key of their search.
    retried : bool
        Whether failed cells are run again: their searches get their whole time again, and failed trials another try.
    gpus : sequence of str
        The GPUs of this machine, for the algorithms that need one; see :func:`pubench.run.gpus.visible_gpus`.
    on_tasks : callable, optional
        Is called whenever tasks were handed out or came back; see :meth:`TaskProgress.tasks`.
    on_news : callable, optional
        Is told what methods say while they train; see :meth:`TrainingProgress.training`.
    """
    if on_news is not None:
        cells = {cell.key: cell for job in jobs for cell in job.cells}
        backend.listen(lambda news: on_news(cells[news.key], news) if news.key in cells else None)
    slots = GpuSlots(gpus, gpu_slots(os.environ))
    earlier = _Earlier(trials or {}, evaluated or {}, retried)
    _Driver(jobs, store, backend, on_record, earlier, slots, on_tasks=on_tasks).run()


class _Earlier(NamedTuple):
    """What earlier runs have stored of searches, by key, and whether failed cells are run again."""

    trials: Mapping[str, Sequence[StoredTrial]]
    evaluated: Mapping[str, Sequence[EvaluatedTrial]]
    retried: bool

    def state(self, job: Job) -> JobState:
        """Return the state from which a job goes on."""
        stored, judged = self.trials.get(job.search, ()), self.evaluated.get(job.search, ())
        if not self.retried:
            return JobState(job, stored, sum(line.trial.seconds for line in stored), judged)
        stored = [line for line in stored if not line.trial.error]
        return JobState(job, stored, 0.0, [line for line in judged if not line.error])


class _Driver:
    """Hands tasks out and takes outcomes in, until every job is done."""

    def __init__(
        self,
        jobs: Sequence[Job],
        store: Store,
        backend: Backend,
        on_record: Callable[[Cell, Record], None],
        earlier: _Earlier,
        gpus: GpuSlots,
        *,
        on_tasks: Callable[[int, int, int], None] | None,
    ) -> None:
        self._on_tasks, self._trials_done = on_tasks, 0
        self._gpus = gpus
        self._cells = {cell.key: cell for job in jobs for cell in job.cells}
        self._store, self._backend, self._on_record = store, backend, on_record
        self._earlier = earlier
        self._jobs: Iterator[Job] = iter(jobs)
        self._active: list[JobState] = []
        self._numbers = count()
        self._running: dict[int, tuple[JobState, Task]] = {}
        self._suspects: list[tuple[JobState, Task]] = []
        # Algorithms on the same rows share the estimate of their prior: None while it is being made.
        self._estimates: dict[tuple[object, ...], Outcome | None] = {}

    def run(self) -> None:
        """Run until nothing is left."""
        while True:
            self._submit()
            if self._on_tasks is not None:
                self._on_tasks(len(self._running), self._backend.workers, self._trials_done)
            if self._running:
                lost = [found for found in self._backend.wait() if not self._accept(found)]
                # Whoever was under way when a worker died may have killed it: each is run again, alone.
                self._suspects += [self._take_back(found.number) for found in lost]
            elif self._suspects:
                self._run_alone()
            else:
                return

    def _submit(self) -> None:
        """Keep all workers busy, and a few tasks waiting for them."""
        if self._suspects:
            return
        workers = self._backend.workers
        # A single worker takes one task after the other: waiting ones would only change the order.
        while len(self._running) < (_AHEAD * workers if workers > 1 else 1):
            state = self._next_state()
            if state is None:
                return
            known = self._estimates.get(state.estimate) if state.estimate else None
            if known is None:
                self._send(state, state.take())
            else:
                self._keep(state, state.take(), known)

    def _send(self, state: JobState, task: Task) -> None:
        number = next(self._numbers)
        if state.job.algorithm.gpu:
            task = replace(task, gpu=self._gpus.take())
        self._running[number] = state, task
        if isinstance(task, PriorTask):
            self._estimates[task.same] = None
        self._backend.submit(number, task)

    def _next_state(self) -> JobState | None:
        """Return the job whose task comes next: jobs under way first, then new ones, then further trials of one job.

        So a large suite works on as many cells as there are workers, and a single cell keeps them all busy.
        """
        ready = [state for state in self._active if self._is_ready(state)]
        idle = next((state for state in ready if not state.in_flight), None)
        return idle or self._new_ready_state() or next(iter(ready), None)

    def _is_ready(self, state: JobState) -> bool:
        """Whether a job has a task, and does not wait for an estimate that another job has asked for."""
        if state.job.algorithm.gpu and self._gpus.is_full:
            return False
        if state.estimate in self._estimates:
            return self._estimates[state.estimate] is not None
        return state.has_task

    def _take_back(self, number: int) -> tuple[JobState, Task]:
        """Return a task that a worker does not have any more; its GPU is free."""
        state, task = self._running.pop(number)
        if state.job.algorithm.gpu:
            self._gpus.give_back(task.gpu)
        return state, task

    def _new_ready_state(self) -> JobState | None:
        while (state := self._new_state()) is not None:
            if self._is_ready(state):
                return state
        return None

    def _new_state(self) -> JobState | None:
        job = next(self._jobs, None)
        if job is None:
            return None
        state = self._earlier.state(job)
        self._active.append(state)
        return state

    def _accept(self, found: Finished) -> bool:
        """Take an outcome; return whether there is one."""
        if found.outcome is None:
            return False
        self._keep(*self._take_back(found.number), found.outcome)
        return True

    def _keep(self, state: JobState, task: Task, outcome: Outcome) -> None:
        if isinstance(task, PriorTask):
            self._estimates[task.same] = outcome
        state.accept(task, outcome)
        for trial in state.take_trials():
            self._store.append_trial(trial)
            self._trials_done += 1
        for judged in state.take_evaluated():
            self._store.append_evaluated(judged)
        for record in state.records:
            self._store.append(record)
            self._on_record(self._cells[record.key], record)
        state.records.clear()
        if state.is_done and not state.in_flight:
            self._active.remove(state)

    def _run_alone(self) -> None:
        """Run a task that was under way when a worker died; if the worker dies again, it was this one."""
        state, task = self._suspects.pop(0)
        self._send(state, task)
        (found,) = self._backend.wait()
        if self._accept(found):
            return
        error = "the worker process died while this cell was run (no memory left, or it was killed)"
        self._take_back(found.number)
        self._keep(state, task, Outcome(None, Problem(Status.CRASHED, error)))
