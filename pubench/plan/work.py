"""What a plan asks of the machine: how often models are fitted, and what a job costs as far as a plan can say."""

from __future__ import annotations

import math
from collections.abc import Iterable

from pubench.plan.jobs import Job
from pubench.specs import Choice, Param

__all__ = ["distinct_jobs", "expected_fits", "expected_work"]

_DEFAULT_TRIALS = 20


def distinct_jobs(jobs: Iterable[Job]) -> dict[tuple[str, ...], Job]:
    """Return jobs by the keys of their cells: those that prior factors do not change are run once."""
    return {tuple(cell.key for cell in job.cells): job for job in jobs}


def expected_fits(job: Job) -> int:
    """Return how often a job fits a model: once for each cell, and for each trial of its search on each fold."""
    trials = 0 if job.tuning is None else _trials(job) * (job.tuning.folds or 1)
    return len(job.cells) + trials


def expected_work(job: Job) -> float:
    """Return what a job costs as far as a plan can say: how often a model is fitted, times the rows of its data."""
    rows = job.data.stored.n_rows if job.data.sample is None else sum(job.data.sample)
    return float(expected_fits(job) * rows)


def _trials(job: Job) -> int:
    assert job.tuning is not None
    if job.tuning.engine:
        return job.tuning.trials or _DEFAULT_TRIALS
    points = math.prod(map(_points, job.algorithm.space.values()))
    return points if job.tuning.trials is None else min(points, job.tuning.trials)


def _points(param: Param) -> int:
    return len(param.values) if isinstance(param, Choice) else param.points
