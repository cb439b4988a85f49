"""What a run folder still lacks: run it, and store with it what it was made with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from pubench.plan.cards import problem_card
from pubench.plan.jobs import Cell
from pubench.plan.planning import ExecutionPlan
from pubench.plugins.registry import Registry
from pubench.results.provenance import gather
from pubench.results.record import Record
from pubench.results.run_folder import cards_of, read_provenance, write_provenance
from pubench.results.store import Store, read_evaluated, read_records, read_searches
from pubench.results.under_way import UnderWay
from pubench.run.backends import Workers
from pubench.run.backends.base import CLUSTERS
from pubench.run.driver import Progress, TaskProgress, TrainingProgress, pending_jobs, run_jobs
from pubench.run.gpus import visible_gpus
from pubench.run.news import TrainingNews
from pubench.specs import JSONValue
from pubench.status import Problem, Status

__all__ = ["run_folder"]


def run_folder(
    folder: Path,
    planned: ExecutionPlan,
    registry: Registry,
    workers: Workers,
    *,
    retry_failed: bool,
    progress: Progress | None,
) -> None:
    """Run the cells of a plan that a folder does not hold yet, and store them there; the caller holds the folder."""
    records, _ = read_records(folder)
    jobs = pending_jobs(planned, records, retry_failed=retry_failed)
    open_cells = sum(len(job.cells) for job in jobs)
    failed = {key: error for key, error in planned.without_data.items() if retry_failed or key not in records}
    if progress is not None:
        runnable = len({cell.key for cell in planned.plan.own_cells if not cell.skip})
        progress.begin(runnable, runnable - open_cells - len(failed))
    cards = {
        label: problem_card(registry.dataset(data.stored.name), data, pictures=planned.pictures)
        for label, data in planned.data.items()
    }
    known = read_provenance(folder)
    if not jobs and not failed and cards.keys() <= cards_of(known).keys():
        return
    options: dict[str, JSONValue] = {
        "jobs": workers.execution.jobs,
        "backend": workers.execution.backend,
    }
    if planned.plan.shard is not None:
        options["shard"] = f"{planned.plan.shard.number}/{planned.plan.shard.of}"
    if jobs:
        options["isolation"] = jobs[0].limits.isolation
    write_provenance(folder, [*known, gather(registry, cards, options)])
    store, under_way = Store(folder), UnderWay(folder)
    try:
        _store_failed(planned, failed, store, progress)
        if not jobs:
            return
        close = progress if isinstance(progress, TaskProgress) else None
        if close is not None:
            close.expect(jobs)
        run_jobs(
            jobs,
            store,
            workers.start(),
            progress.done if progress is not None else lambda cell, record: None,
            trials=read_searches(folder) if any(job.tuning is not None for job in jobs) else {},
            evaluated=read_evaluated(folder),
            retried=retry_failed,
            # Workers of a cluster have GPUs of their own, which nobody here knows.
            gpus=() if workers.execution.backend in CLUSTERS else visible_gpus(os.environ),
            on_tasks=close.tasks if close is not None else None,
            on_news=partial(_show, under_way, progress),
        )
    finally:
        under_way.clear()
        store.close()


def _show(under_way: UnderWay, progress: Progress | None, cell: Cell, news: TrainingNews) -> None:
    """Write how far a fit is, for the live page, and show it."""
    under_way.note(cell, news.step, news.total, news.value)
    if isinstance(progress, TrainingProgress):
        progress.training(cell, news)


def _store_failed(
    planned: ExecutionPlan, failed: Mapping[str, str], store: Store, progress: Progress | None
) -> None:
    """Record the cells of data sets that cannot be loaded: they fail, the run goes on."""
    cells = {cell.key: cell for cell in planned.plan.cells if cell.key in failed}
    for key, cell in cells.items():
        record = Record.of_problem(key, Problem(Status.FAILED, failed[key]))
        store.append(record)
        if progress is not None:
            progress.done(cell, record)
