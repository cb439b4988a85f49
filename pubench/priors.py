"""Class priors: an estimate with its interval and doubts, and the prior that an estimator is to use."""

from __future__ import annotations

import copy
import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, SupportsFloat, TypedDict

from pubench.errors import PriorError, UnknownNameError
from pubench.plugins.imports import resolve
from pubench.specs import SCENARIOS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    from pubench.estimators.prior_statement import PriorStatement
    from pubench.estimators.rows import Estimator, Rows
    from pubench.plugins.registry import Registered
    from pubench.specs import JSONValue, PriorEstimator, Scenario

    RandomState = int | np.random.RandomState | np.random.Generator | None

    class Asked(TypedDict):
        """What every estimator is asked with."""

        scenario: Scenario
        random_state: RandomState


__all__ = [
    "DEFAULT",
    "ESTIMATE",
    "PriorEstimate",
    "checked",
    "estimate_prior",
    "find_estimator",
    "prior_to_use",
]

ESTIMATE = "estimate"
DEFAULT = "bbe"
"""The estimator behind ``prior="estimate"``: of those that serve both scenarios, the one with the least errors."""


@dataclass(frozen=True, slots=True)
class PriorEstimate:
    """An estimate of Pr(y = 1); ``float(...)`` is its value.

    Attributes
    ----------
    value : float
        Strictly between 0 and 1.
    low, high : float
        The ends of an interval that holds the truth in a share ``level`` of all samples, if what the estimator
        assumes is true.
    level : float
    doubts : tuple of str
        What in these data speaks against the estimate, one sentence each.
    upper : float or None
        An upper bound at the level of 95 % that needs no region of pure positives, if the estimator gives one.

    Examples
    --------
    >>> found = pubench.PriorEstimate(0.3, 0.25, 0.36)
    >>> float(found), found.level
    (0.3, 0.9)
    """

    value: float
    low: float
    high: float
    level: float = 0.9
    doubts: tuple[str, ...] = ()
    upper: float | None = None

    def __float__(self) -> float:
        return self.value


def find_estimator(name: str) -> Registered[PriorEstimator]:
    """Return the registered estimator of that name; ``"estimate"`` is the default one."""
    from pubench.plugins.discovery import discover_once

    return discover_once().prior(DEFAULT if name == ESTIMATE else name)


def estimate_prior(
    X: Rows,
    s: ArrayLike,
    *,
    scenario: Scenario,
    estimator: str = ESTIMATE,
    random_state: RandomState = None,
    **params: JSONValue,
) -> PriorEstimate:
    """Estimate Pr(y = 1) from labelled positive and unlabelled rows.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    s : array-like of shape (n,)
        1 = labelled positive, 0 = unlabelled; of two other classes the larger in sort order is the labelled one.
    scenario : {"case-control", "single-training-set"}
        Whether U is a sample of the population, or P and U together are.
    estimator : str
        A registered name; ``pubench list priors`` shows what there is. ``"estimate"`` is the default estimator.
    random_state : int, RandomState, Generator or None
    **params
        Parameters of the estimator.

    Returns
    -------
    PriorEstimate

    Raises
    ------
    PriorError
        If the estimator does not support the scenario, or the data do not determine the prior.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(4, 1, (100, 2)), rng.normal(4, 1, (90, 2)), rng.normal(-1, 1, (210, 2))])
    >>> s = np.repeat([1, 0], [100, 300])
    >>> found = pubench.estimate_prior(X, s, scenario="case-control", estimator="bbe", random_state=0)
    >>> round(float(found), 1)
    0.3
    """
    spec = find_estimator(estimator).spec
    if scenario not in SCENARIOS:
        raise PriorError(f"scenario {scenario!r} is unknown; give one of {', '.join(SCENARIOS)}")
    if scenario not in spec.scenarios:
        fit = ", ".join(_made_for(scenario))
        raise PriorError(
            f"prior estimator '{spec.name}' does not support {scenario} data; choose one of {fit}"
        )
    arguments = {**spec.params, **params}
    found = resolve(spec.function)(X, _codes(s), scenario=scenario, random_state=random_state, **arguments)
    return checked(found, spec.name)


def _made_for(scenario: Scenario) -> list[str]:
    from pubench.plugins.discovery import discover_once

    registry = discover_once()
    return [name for name in registry.all("priors") if scenario in registry.prior(name).spec.scenarios]


def _codes(s: ArrayLike) -> ArrayLike:
    """Return labels of 0 and 1 as they are, two other classes as 0 and 1: the larger in sort order is the labelled."""
    import numpy as np

    from pubench.base import encode_labels

    values = np.asarray(s)
    if values.dtype.kind in "biuf" and np.isin(values, (0, 1)).all():
        return s
    try:
        return encode_labels(values)[1]
    except ValueError as error:
        raise PriorError(f"labels must be 1 (labelled) and 0 (unlabelled), or two classes: {error}") from None


def checked(found: PriorEstimate | SupportsFloat, name: str) -> PriorEstimate:
    """Return what an estimator gave as an estimate; a plain number has no interval: anything may be true."""
    estimate = found if isinstance(found, PriorEstimate) else PriorEstimate(float(found), 0.0, 1.0, 1.0)
    value, low, high, level = (
        float(number) for number in (estimate.value, estimate.low, estimate.high, estimate.level)
    )
    if not 0.0 < value < 1.0:
        raise PriorError(f"prior estimator '{name}' returned {value}, which is not inside (0, 1)")
    doubts = (estimate.doubts,) if isinstance(estimate.doubts, str) else tuple(map(str, estimate.doubts))
    # An end that is not a number bounds nothing.
    low, high = (low if math.isfinite(low) else 0.0), (high if math.isfinite(high) else 1.0)
    upper = estimate.upper if estimate.upper is not None and math.isfinite(estimate.upper) else None
    return PriorEstimate(value, low, high, level, doubts, upper)


def prior_to_use(estimator: Estimator, X: Rows, s: ArrayLike) -> float:
    """Return the number behind a classifier's ``prior``: itself, or what the prior estimator that it names says.

    For ``_fit``. The prior estimator sees the classifier's ``scenario`` and ``random_state``; a RandomState is not
    moved on, so that what else is drawn does not depend on how the prior was found. The ends of its interval are kept
    as ``prior_interval_``, (prior, prior) for a number that was given. There is one warning if nobody chose how to find
    the prior (``"estimate"``), or if the prior estimator has doubts, or if a given number is below the share of
    labelled rows in a single training set, whose labelled rows are all positive.

    Parameters
    ----------
    estimator : PUClassifier
        With the parameters ``prior`` (see :data:`pubench.base.PRIOR`), ``scenario`` and perhaps ``random_state``.
    X : array or sparse matrix of shape (n, d)
    s : array-like of shape (n,)
        1 = labelled positive, 0 = unlabelled.

    Returns
    -------
    float
        Fitted attributes call it ``prior_``.

    Raises
    ------
    PriorError
        If no prior estimator has that name, or it cannot serve these data.
    """
    scenario: Scenario = getattr(estimator, "scenario_", estimator.scenario)
    if not isinstance(estimator.prior, str):
        given = float(estimator.prior)
        _warn_of_small_prior(given, s, scenario)
        estimator.prior_interval_ = given, given
        return given
    from pubench.estimators.prior_statement import state_prior

    asked: Asked = {
        "scenario": scenario,
        "random_state": copy.deepcopy(getattr(estimator, "random_state", None)),
    }
    try:
        found: PriorStatement | PriorEstimate = (
            state_prior(X, s, **asked)
            if estimator.prior == ESTIMATE
            else estimate_prior(X, s, estimator=estimator.prior, **asked)
        )
    except UnknownNameError as error:
        raise PriorError(f"prior of {type(estimator).__name__}: {error}") from None
    estimator.prior_interval_ = found.low, found.high
    _warn_of_estimate(found)
    return found.value


def _warn_of_estimate(found: PriorStatement | PriorEstimate) -> None:
    """Warn once of a prior that nobody gave, and of what speaks against it."""
    if not isinstance(found, PriorEstimate):
        sentence = (
            f"the prior was estimated as {found.summary}; this assumes that labelled rows are a fair sample of all "
            f"positives; give prior=..., or prior='{DEFAULT}' to accept the estimate without this warning"
        )
    elif found.doubts:
        in_words = f"{found.value:.3f} ({found.level:.0%} interval {found.low:.3f} to {found.high:.3f})"
        sentence = f"the prior {in_words} is an estimate in doubt: {'; '.join(found.doubts)}"
    else:
        return
    warnings.warn(sentence, UserWarning, stacklevel=5)


def _warn_of_small_prior(prior: float, s: ArrayLike, scenario: Scenario) -> None:
    """Warn of a prior that no single training set with these labels can have."""
    import numpy as np

    least = float(np.mean(np.asarray(s)))
    if scenario == "single-training-set" and prior < least:
        warnings.warn(
            f"the prior {prior:.3g} is below {least:.3g}, the share of labelled rows, which are all positive in a "
            "single training set: check the prior and the scenario",
            UserWarning,
            stacklevel=5,
        )
