"""Early stopping on a PU criterion: rows that are held out, and which epoch is the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from pubench import criteria
from pubench.criteria import Validation
from pubench.estimators.rows import Labels, Rows
from pubench.specs import Scenario

__all__ = ["STOPPING", "HeldOut"]

# The sign with which a smaller value is a better one.
_CRITERIA: Mapping[str, tuple[Callable[[Validation], float], float]] = MappingProxyType(
    {
        "pu-risk": (partial(criteria.pu_risk, loss="logistic"), 1.0),
        "nnpu-risk": (partial(criteria.nnpu_risk, loss="logistic"), 1.0),
        "fp-fn": (criteria.fp_fn, 1.0),
        "puf": (criteria.puf, -1.0),
        "pa": (criteria.pa, -1.0),
        "pauc": (criteria.pauc, -1.0),
    }
)
STOPPING = tuple(_CRITERIA)
"""The criteria that can stop training; the risks are those of the logistic loss, which changes with every score."""


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Rows of P and U that are not fitted, and the criterion that judges their scores.

    Attributes
    ----------
    X : array of shape (n, d)
    s : uint8 array of shape (n,)
    criterion : str
        One of :data:`STOPPING`.
    prior : float or None
    scenario : str
    """

    X: Rows
    s: Labels
    criterion: str
    prior: float | None
    scenario: Scenario

    def value(self, scores: NDArray[np.float64]) -> float:
        """Return how good scores of shape (n,) are: the lower, the better."""
        function, sign = _CRITERIA[self.criterion]
        decision = (scores >= 0).astype(np.uint8)
        return sign * function(Validation(self.s, scores, decision, self.prior, self.scenario))
