"""Pending cells -> joblib workers -> store."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pubench.errors import PubenchError, did_you_mean
from pubench.plan.jobs import Cell, Job
from pubench.plan.planning import ExecutionPlan
from pubench.results.record import Record
from pubench.results.store import Store
from pubench.run.worker import close_sandboxes, settle, work
from pubench.status import Problem, Status

__all__ = ["BACKENDS", "Execution", "Progress", "pending_jobs", "run_jobs", "stop_workers"]

CLUSTERS = ("dask", "ray")
BACKENDS = ("loky", "threading", *CLUSTERS)


class Progress(Protocol):
    """Watches a run."""

    def begin(self, total: int, finished: int) -> None:
        """Take the number of planned cells and of those that are finished already."""

    def done(self, cell: Cell, record: Record) -> None:
        """Take the record of a cell that has ended."""

    def note(self, text: str) -> None:
        """Take a sentence that the user should read, before the run begins."""


@dataclass(frozen=True, slots=True)
class Execution:
    """How to run: the number of workers, joblib's backend, and the address of a cluster where there is one."""

    jobs: int = 1
    backend: str = "loky"
    address: str | None = None

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise PubenchError(f"backend '{self.backend}' is unknown{did_you_mean(self.backend, BACKENDS)}")
        if self.address and self.backend not in CLUSTERS:
            raise PubenchError(f"backend '{self.backend}' takes no address; use one of {', '.join(CLUSTERS)}")
        if self.jobs < 1:
            raise PubenchError(f"jobs = {self.jobs}: at least one cell must run at a time")


def pending_jobs(planned: ExecutionPlan, records: dict[str, Record], *, retry_failed: bool) -> list[Job]:
    """Return the jobs with the cells that have no usable record yet; cells of one key are computed once."""
    jobs: dict[str, Job] = {}
    for job in planned.jobs:
        kept = [i for i, cell in enumerate(job.cells) if _is_open(records.get(cell.key), retry_failed)]
        if len(kept) == len(job.cells):
            jobs.setdefault(job.cells[0].key, job)
        elif kept:
            cells, criteria = tuple(job.cells[i] for i in kept), tuple(job.criteria[i] for i in kept)
            jobs.setdefault(cells[0].key, replace(job, cells=cells, criteria=criteria))
    return list(jobs.values())


def _is_open(record: Record | None, retry_failed: bool) -> bool:
    if record is None or not record.status.is_finished:
        return True
    return retry_failed and record.status.is_failure


def run_jobs(
    jobs: Sequence[Job], store: Store, execution: Execution, on_record: Callable[[Cell, Record], None]
) -> None:
    """Run the jobs and store each record as it arrives. A worker that dies takes no other cell with it."""
    cells = {cell.key: cell for job in jobs for cell in job.cells}
    waiting = {job.cells[0].key: job for job in jobs}

    def keep(records: list[Record]) -> None:
        for record in records:
            store.append(record)
            on_record(cells[record.key], record)
        waiting.pop(records[0].key, None)

    while waiting:
        begun: list[Job] = []
        try:
            for records in _stream(list(waiting.values()), execution, begun.append):
                keep(records)
        except _worker_deaths():
            for job in [job for job in begun if job.cells[0].key in waiting]:
                keep(_alone(job, execution))
    close_sandboxes()


def _alone(job: Job, execution: Execution) -> list[Record]:
    """Run a job that was under way when a worker died; if it dies again, it was this one."""
    try:
        return next(_stream([job], execution, lambda _: None))
    except _worker_deaths():
        error = (
            "the worker process died while this cell was evaluated (a metric that crashes, or no memory left)"
        )
        problem = Problem(Status.CRASHED, error)
        return [Record.of_problem(cell.key, problem) for cell in job.cells]


def _worker_deaths() -> tuple[type[BaseException], ...]:
    from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

    return BrokenProcessPool, TerminatedWorkerError


def _stream(
    jobs: Sequence[Job], execution: Execution, begin: Callable[[Job], None]
) -> Iterator[list[Record]]:
    import joblib

    driver = os.getpid()

    def tasks() -> Iterator[Any]:
        for job in jobs:
            begin(job)
            yield joblib.delayed(work)(job, driver)

    with _backend(execution):
        parallel = joblib.Parallel(
            n_jobs=execution.jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="3 * n_jobs"
        )
        outputs: Any = None
        try:
            # A Ctrl-C that was held back is raised at the end of this block.
            with _interrupts_held_back() if _has_workers(execution) else contextlib.nullcontext():
                outputs = parallel(tasks())
            for records in outputs:  # noqa: UP028 - `yield from` would close it before the warning is silenced
                yield records
        except BaseException:
            _ignore_last_words()
            raise
        finally:
            with warnings.catch_warnings():
                # joblib warns of tasks that a stopped run leaves; the run itself says so in a sentence.
                warnings.simplefilter("ignore")
                if outputs is not None:
                    outputs.close()


def _ignore_last_words() -> None:
    """Silence loky's threads: one may fail on tasks that a stopped run takes away from it."""
    ending = {thread for thread in threading.enumerate() if thread.name == "ExecutorManagerThread"}
    before = threading.excepthook

    def hook(args: threading.ExceptHookArgs) -> None:
        if args.thread not in ending:
            before(args)

    threading.excepthook = hook


def _has_workers(execution: Execution) -> bool:
    """Whether cells run in processes that this one starts."""
    return execution.backend == "loky" and execution.jobs > 1


@contextlib.contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Block SIGINT while workers start: they inherit that, so that only the driver handles a terminal's Ctrl-C."""
    _start_trackers()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_trackers() -> None:
    """Start the processes that remove what interrupted runs leave in the system, and let them do it silently.

    Starting them lets Ctrl-C through, so it must not happen while interrupts are held back.
    """
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as loky_tracker

    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [before, "ignore:resource_tracker"]))
    try:
        resource_tracker.ensure_running()
        loky_tracker.ensure_running()
    finally:
        del os.environ["PYTHONWARNINGS"]
        if before is not None:
            os.environ["PYTHONWARNINGS"] = before


@contextlib.contextmanager
def _backend(execution: Execution) -> Iterator[None]:
    import joblib

    with contextlib.ExitStack() as stack:
        try:
            _connect(execution, stack)
        except ImportError as error:
            raise PubenchError(
                f"backend '{execution.backend}' needs the package '{error.name}'; install it and try again"
            ) from None
        # A worker that waits for its first job must not outlive the driver either.
        starting = {"initializer": settle, "initargs": (os.getpid(),)} if _has_workers(execution) else {}
        stack.enter_context(joblib.parallel_config(backend=execution.backend, **starting))
        yield


def _connect(execution: Execution, stack: contextlib.ExitStack) -> None:
    if execution.backend == "dask":
        from distributed import Client

        client: Any = Client
        stack.enter_context(client(execution.address))
    elif execution.backend == "ray":
        import ray
        from ray.util.joblib import register_ray

        ray.init(address=execution.address, ignore_reinit_error=True)
        register_ray()


def stop_workers() -> None:
    """End loky's workers at once; their children go with them."""
    close_sandboxes()
    # The interrupt may have come anywhere, in the middle of importing joblib too.
    with contextlib.suppress(Exception):
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor(reuse=True, kill_workers=True).shutdown(wait=False, kill_workers=True)
