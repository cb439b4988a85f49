"""The prior that a job's algorithm and criteria are given, unless an estimator has to find it."""

from __future__ import annotations

from pubench.plan.jobs import Job
from pubench.protocol.replies import PriorFound
from pubench.run.labels import LabelledRows
from pubench.run.tasks import GivenPrior

__all__ = ["estimated_prior", "known_prior"]


def known_prior(job: Job, labelled: LabelledRows) -> GivenPrior:
    """Return the prior that the suite states, or the true one, times its factor."""
    plan = job.prior
    value = labelled.assignment.prior if plan.source == "true" else plan.value
    if value is None:
        return GivenPrior()
    return _scaled(GivenPrior(value), plan.factor)


def estimated_prior(job: Job, found: PriorFound) -> GivenPrior:
    """Return what an estimator found, times the factor of the suite."""
    return _scaled(GivenPrior(found.value, found.low, found.high, found.doubts), job.prior.factor)


def _scaled(prior: GivenPrior, factor: float) -> GivenPrior:
    assert prior.value is not None
    value = prior.value * factor
    if not 0.0 < value < 1.0:
        error = f"{factor:g} times the prior {prior.value:.3g} is not inside (0, 1); reduce prior.factors"
        return GivenPrior(error=error)
    return GivenPrior(value, prior.low, prior.high, prior.doubts)
