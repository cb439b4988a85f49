"""What a person is told about the class prior: a point, an interval, an upper bound, doubts and the assumption."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pubench.priors import DEFAULT, PriorEstimate, estimate_prior

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pubench.estimators.rows import Rows
    from pubench.priors import RandomState
    from pubench.specs import JSONValue, Scenario

__all__ = ["ASSUMPTION", "RANGE", "PriorStatement", "combine_estimates", "state_prior", "stated_estimate"]

RANGE = "profile"
"""The estimator behind the interval: it assumes no region of pure positives."""
ASSUMPTION = (
    "Assumption: the labelled rows are a fair sample of all positives (SCAR). The data cannot confirm this. If "
    "easy positives were labelled first, the prior and even its upper bound are too low."
)
_DETERMINED = 0.4
# The level of upper bounds; see PriorEstimate.upper.
_UPPER_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class PriorStatement:
    """What the data say about Pr(y = 1), and what they do not say.

    Attributes
    ----------
    value : float
        The estimate that methods use: that of ``bbe``.
    low, high : float
        The ends of the plausible interval, of level ``level``: the hull of the intervals of ``bbe`` and ``profile``,
        cut at ``upper``.
    level : float
    upper : float
        An upper bound at the level of 95 % that needs no region of pure positives; 1 if there is none.
    determined : bool
        False if the low end of the interval of ``profile`` is less than 0.4 of its high end: the data then fit priors
        that differ by a factor of 2.5 or more.
    doubts : tuple of str
        What in these data speaks against the estimate, one sentence each.
    assumption : str
        What must hold for all of this, in plain words.

    Examples
    --------
    >>> found = pubench.PriorStatement(0.3, low=0.25, high=0.36, level=0.9, upper=0.4, determined=True)
    >>> found.summary
    '0.300, plausible 0.250 to 0.360 (90%); at most 0.400 (95%)'
    """

    value: float
    low: float
    high: float
    level: float
    upper: float
    determined: bool
    doubts: tuple[str, ...] = ()
    assumption: str = ASSUMPTION

    def __float__(self) -> float:
        return self.value

    @property
    def summary(self) -> str:
        """The estimate, its interval, its upper bound and all doubts in one sentence."""
        parts = (
            f"{self.value:.3f}, plausible {self.low:.3f} to {self.high:.3f} ({self.level:.0%})",
            f"at most {self.upper:.3f} ({_UPPER_LEVEL:.0%})",
            *self.all_doubts,
        )
        return "; ".join(parts)

    @property
    def all_doubts(self) -> tuple[str, ...]:
        """The doubts, first of all that the prior is not determined if it is not."""
        return (*(() if self.determined else ("it cannot be determined from these data",)), *self.doubts)

    def lines(self) -> tuple[str, ...]:
        """Return the statement in sentences for a person, the conclusion first."""
        first = (
            f"The prior is about {self.value:.3f}."
            if self.determined
            else f"The prior cannot be determined from these data; methods would use {self.value:.3f}."
        )
        interval = f"Plausible range: {self.low:.3f} to {self.high:.3f} ({self.level:.0%})."
        bound = (
            "If the labelled rows are a fair sample of positives, the prior is at most "
            f"{self.upper:.3f} ({_UPPER_LEVEL:.0%}), even if every kind of row includes negatives."
        )
        doubts = [f"Caution: {doubt}." for doubt in self.doubts]
        return (first, interval, bound, *doubts, self.assumption)


def combine_estimates(point: PriorEstimate, plausible: PriorEstimate) -> PriorStatement:
    """Return the statement that two estimates of one prior make.

    Parameters
    ----------
    point : PriorEstimate
        Its value is stated; its interval is part of the hull.
    plausible : PriorEstimate
        Its interval decides whether the prior is determined; it may have an upper bound.

    Returns
    -------
    PriorStatement
        With the doubts of both. Its interval holds the stated value.
    """
    upper = 1.0 if plausible.upper is None else plausible.upper
    high = max(point.value, min(upper, max(point.high, plausible.high)))
    doubts = (*point.doubts, *plausible.doubts)
    if point.value > upper:
        doubts = ("the estimate exceeds the upper bound", *doubts)
    return PriorStatement(
        value=point.value,
        low=min(point.low, plausible.low, point.value),
        high=high,
        level=min(point.level, plausible.level),
        upper=upper,
        determined=plausible.low >= _DETERMINED * plausible.high,
        doubts=tuple(dict.fromkeys(doubts)),
    )


def state_prior(
    X: Rows, s: ArrayLike, *, scenario: Scenario, random_state: RandomState = None, **params: JSONValue
) -> PriorStatement:
    """State what labelled positive and unlabelled rows say about Pr(y = 1).

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    s : array-like of shape (n,)
        1 = labelled positive, 0 = unlabelled; of two other classes the larger in sort order is the labelled one.
    scenario : {"case-control", "single-training-set"}
        Whether U is a sample of the population, or P and U together are.
    random_state : int, RandomState, Generator or None
    **params
        Parameters of ``bbe``.

    Returns
    -------
    PriorStatement

    Raises
    ------
    PriorError
        If an estimator cannot serve these data.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(4, 1, (100, 2)), rng.normal(4, 1, (90, 2)), rng.normal(-1, 1, (210, 2))])
    >>> s = np.repeat([1, 0], [100, 300])
    >>> found = pubench.state_prior(X, s, scenario="case-control", random_state=0)
    >>> round(found.value, 1), found.determined
    (0.3, True)
    """
    import numpy as np

    # Equal states make the estimators share the scores of the rows.
    state = np.random.default_rng() if random_state is None else random_state
    before = copy.deepcopy(state)
    point = estimate_prior(X, s, scenario=scenario, estimator=DEFAULT, random_state=state, **params)
    plausible = estimate_prior(X, s, scenario=scenario, estimator=RANGE, random_state=before)
    return combine_estimates(point, plausible)


def stated_estimate(
    X: Rows, s: ArrayLike, *, scenario: Scenario, random_state: RandomState = None, **params: JSONValue
) -> PriorEstimate:
    """Return :func:`state_prior` in the form of a prior estimator: what suites record of ``source = "estimate"``."""
    found = state_prior(X, s, scenario=scenario, random_state=random_state, **params)
    return PriorEstimate(found.value, found.low, found.high, found.level, found.all_doubts, found.upper)
