"""What a worker is sent, and what it sends back: frozen values that carry no true label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pubench.plan.jobs import Job
from pubench.protocol.parts import CriterionPlan, Pruning
from pubench.protocol.replies import Trial
from pubench.results.record import Record
from pubench.status import Problem, Status

if TYPE_CHECKING:
    from pubench.specs import Params

__all__ = [
    "FitTask",
    "GivenPrior",
    "Outcome",
    "PriorTask",
    "RowCounts",
    "RowsTask",
    "Task",
    "TrialTask",
    "timeout",
]


@dataclass(frozen=True, slots=True)
class GivenPrior:
    """The prior with its interval and doubts; ``error`` says why there is none for those that need it."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    doubts: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class RowsTask:
    """Split and label the rows of a job, and count them."""

    job: Job
    gpu: str = ""


@dataclass(frozen=True, slots=True)
class PriorTask:
    """Estimate the prior of a job."""

    job: Job
    gpu: str = ""

    @property
    def same(self) -> tuple[object, ...]:
        """What two tasks have in common if their estimates are the same: rows, labels, features, estimator, limits."""
        job = self.job
        return (
            job.seeds.prior,
            job.data.stored.fingerprint,
            repr((job.data.preprocess, job.prior, job.limits)),
        )


@dataclass(frozen=True, slots=True)
class TrialTask:
    """Score one set of parameters by some criteria within some seconds; ``prior`` is None where the job says it.

    ``gpu`` of a task names the GPU that it may use; empty where it uses none, or any.
    """

    job: Job
    params: Params
    criteria: tuple[CriterionPlan, ...]
    prior: GivenPrior | None
    seconds: float
    pruning: Pruning | None = None
    gpu: str = ""


@dataclass(frozen=True, slots=True)
class FitTask:
    """Fit chosen parameters on all training rows, and evaluate the model on the test rows."""

    job: Job
    params: Params
    prior: GivenPrior | None
    gpu: str = ""


Task: TypeAlias = RowsTask | PriorTask | TrialTask | FitTask


@dataclass(frozen=True, slots=True)
class RowCounts:
    """What a record says of the rows of its cell."""

    n_p: int
    n_u: int
    n_test: int
    true_prior: float | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a task.

    ``rows`` is None where labelling failed. ``value`` is what was asked for (nothing for a :class:`RowsTask`; a record
    without a key for a fit), or why there is none; ``blamed`` is the criterion that was being computed when the process
    ended. ``prior`` is the one that was used.
    """

    rows: RowCounts | None
    value: GivenPrior | Trial | Record | Problem | None
    blamed: str | None = None
    prior: GivenPrior | None = None


def timeout(job: Job) -> Problem:
    """Return the problem of a cell that took longer than its limit."""
    seconds = job.limits.seconds
    return Problem(
        Status.TIMEOUT, f"did not finish within {seconds:g} {'second' if seconds == 1 else 'seconds'}"
    )
