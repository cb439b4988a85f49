"""Class priors: an estimate with its interval and doubts, and the prior that an estimator is to use."""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pubench.errors import PriorError, UnknownNameError
from pubench.imports import resolve

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pubench.registry import Registered
    from pubench.specs import PriorEstimator, Scenario

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
    """

    value: float
    low: float
    high: float
    level: float = 0.9
    doubts: tuple[str, ...] = ()

    def __float__(self) -> float:
        return self.value


def find_estimator(name: str) -> Registered[PriorEstimator]:
    """Return the registered estimator of that name; ``"estimate"`` is the default one."""
    from pubench.plugins import discover

    return discover().prior(DEFAULT if name == ESTIMATE else name)


def estimate_prior(
    X: Any,
    s: ArrayLike,
    *,
    scenario: Scenario,
    estimator: str = ESTIMATE,
    random_state: Any = None,
    **params: Any,
) -> PriorEstimate:
    """Estimate Pr(y = 1) from labelled positive and unlabelled rows.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    s : array-like of shape (n,)
        1 = labelled positive, 0 = unlabelled.
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
        If the estimator is not made for the scenario, or the data cannot tell the prior.
    """
    registered = find_estimator(estimator)
    spec = registered.spec
    if scenario not in spec.scenarios:
        raise PriorError(f"prior estimator '{spec.name}' is not made for {scenario} data")
    arguments = {**spec.params, **params}
    found = resolve(spec.function)(X, s, scenario=scenario, random_state=random_state, **arguments)
    return checked(found, spec.name)


def checked(found: Any, name: str) -> PriorEstimate:
    """Return what an estimator gave as an estimate; a plain number has no interval: anything may be true."""
    made = found if isinstance(found, PriorEstimate) else PriorEstimate(float(found), 0.0, 1.0, 1.0)
    if not 0.0 < made.value < 1.0:
        raise PriorError(f"prior estimator '{name}' returned {made.value}, which is not inside (0, 1)")
    return made


def prior_to_use(estimator: Any, X: Any, s: ArrayLike) -> float:
    """Return the number behind a classifier's ``prior``: itself, or what the prior estimator that it names says.

    For ``fit``, after validation. The estimator sees the classifier's ``scenario`` and ``random_state``; a RandomState
    is not moved on, so that what else is drawn does not depend on how the prior was found. Doubts become a warning.

    Parameters
    ----------
    estimator : PUClassifier
        With the parameters ``prior`` (see :data:`pubench.base.PRIOR`), ``scenario`` and ``random_state``.
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
    if not isinstance(estimator.prior, str):
        return float(estimator.prior)
    state = copy.deepcopy(estimator.random_state)
    try:
        found = estimate_prior(
            X, s, scenario=estimator.scenario, estimator=estimator.prior, random_state=state
        )
    except UnknownNameError as error:
        raise PriorError(f"prior of {type(estimator).__name__}: {error}") from None
    if found.doubts:
        told = f"the prior {found.value:.3f} is an estimate in doubt: {'; '.join(found.doubts)}"
        warnings.warn(told, UserWarning, stacklevel=3)
    return found.value
