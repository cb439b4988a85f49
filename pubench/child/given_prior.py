"""In the child: the prior that a request's algorithm and criteria are given, estimated where the suite says so."""

from __future__ import annotations

from dataclasses import dataclass

from pubench.child.fitting import MisbehaviourError
from pubench.child.rows import RequestRows
from pubench.plugins.imports import resolve
from pubench.priors import PriorEstimate, checked
from pubench.protocol import CellsRequest

__all__ = ["GivenPrior", "find_prior"]


@dataclass(frozen=True, slots=True)
class GivenPrior:
    """The prior with its interval and doubts; ``error`` says why there is none for those that need it."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    doubts: tuple[str, ...] = ()
    error: Exception | None = None


def find_prior(request: CellsRequest, rows: RequestRows) -> GivenPrior:
    """Return the prior; an estimator's failure affects only the criteria that need a prior."""
    try:
        return _prior(request, rows)
    except Exception as error:
        needed = all(criterion.needs_prior for criterion in request.criteria)
        if "prior" in request.algorithm.receives or needed:
            raise
        return GivenPrior(error=error)


def _prior(request: CellsRequest, rows: RequestRows) -> GivenPrior:
    source = request.prior
    estimate = _estimate(request, rows) if source.function else None
    value = source.value if estimate is None else estimate.value
    if value is None:
        return GivenPrior()
    prior = value * source.factor
    if not 0.0 < prior < 1.0:
        raise MisbehaviourError(
            f"{source.factor:g} times the prior {value:.3g} is not inside (0, 1); reduce prior.factors"
        )
    if estimate is None:
        return GivenPrior(prior)
    return GivenPrior(prior, estimate.low, estimate.high, estimate.doubts)


def _estimate(request: CellsRequest, rows: RequestRows) -> PriorEstimate:
    source = request.prior
    X = rows.fit_preprocess(rows.X).transform(rows.X)
    estimate = resolve(source.function)(
        X,
        rows.s,
        scenario=request.scenario,
        random_state=request.seeds.prior % 2**32,
        **source.params,
    )
    return checked(estimate, source.name)
