"""The class prior of a person's table where it is not estimated: given by a person, or known from answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pubench.errors import PriorError
from pubench.estimators.prior_statement import PriorStatement
from pubench.specs import Scenario

__all__ = ["given_prior", "prior_of_share"]

_GIVEN = "The prior was given, not estimated: everything that depends on it is as good as this number."


def prior_of_share(share: float, s: NDArray[np.uint8], scenario: Scenario) -> float:
    """Return Pr(y = 1) in the population if this share of U is positive."""
    if scenario == "case-control":
        return share
    n_p = int(s.sum())
    return (n_p + share * (len(s) - n_p)) / len(s)


def given_prior(value: float, s: NDArray[np.uint8], scenario: Scenario) -> PriorStatement:
    """Return the statement of a prior that a person gives.

    Raises
    ------
    PriorError
        If it is not between 0 and 1, or lower than the share of labelled rows in a single training set.
    """
    labelled = float(s.mean())
    if not 0.0 < value < 1.0:
        raise PriorError(
            f"prior {value:g} is not between 0 and 1; give the share of positives, for example 0.2"
        )
    if scenario == "single-training-set" and value <= labelled:
        raise PriorError(
            f"prior {value:g} is not above the share of labelled rows, {labelled:.3g}, so that no unlabelled row could "
            "be positive; give a larger one"
        )
    return PriorStatement(value, value, value, 1.0, 1.0, True, assumption=_GIVEN)
