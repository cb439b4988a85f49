"""The scenario that the rows themselves show: unlabelled copies of all labelled rows."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from pubench.estimators.rows import Estimator, Labels, Rows
from pubench.estimators.rules import SCENARIO
from pubench.specs import Scenario

__all__ = ["scenario_to_use", "shows_case_control"]

_CHANCE = 1e-6
"""All labelled rows have unlabelled copies by chance less often than this, or nothing is concluded."""


def scenario_to_use(estimator: Estimator, X: Rows, s: Labels) -> Scenario:
    """Return the scenario of a classifier, or the one that its rows show if none was given.

    Parameters
    ----------
    estimator : PUClassifier
        With the parameter ``scenario``.
    X : array or sparse matrix of shape (n, d)
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.

    Returns
    -------
    str
        Fitted attributes call it ``scenario_``.

    Raises
    ------
    ValueError
        If none was given, and the rows do not show it.
    """
    given: Scenario | None = estimator.scenario
    if given is not None or estimator.param_rules.get("scenario") is not SCENARIO:
        return estimator.scenario  # type: ignore[no-any-return]
    name = type(estimator).__name__
    if not shows_case_control(X, s):
        raise ValueError(f"scenario of {name} must be {SCENARIO.text}; got None")
    warnings.warn(
        "each labelled row has a copy among the unlabelled rows, so these are a sample of the whole population: "
        f"{name} is fitted with scenario='case-control'; set it to say so",
        stacklevel=5,
    )
    return "case-control"


def shows_case_control(X: Rows, s: Labels) -> bool:
    r"""Whether each labelled row has an exact copy among the unlabelled rows, and not by chance.

    In a single training set a row is labelled or unlabelled, so a labelled row has a copy only where two rows happen to
    be equal. Let r be the share of unlabelled rows that equal another one: all of m different labelled rows have copies
    with probability :math:`r^m` or so, which has to be below one in a million.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Nothing is concluded from sparse rows.
    s : ndarray of shape (n,)

    Returns
    -------
    bool
    """
    if not isinstance(X, np.ndarray) or X.dtype.kind not in "iuf" or X.itemsize > 8:
        return False
    codes = _codes(X)
    labelled, unlabelled = np.flatnonzero(s == 1), np.flatnonzero(s == 0)
    values, first, counts = np.unique(codes[unlabelled], return_index=True, return_counts=True)
    place = np.minimum(np.searchsorted(values, codes[labelled]), len(values) - 1)
    if not np.array_equal(X[labelled], X[unlabelled[first[place]]], equal_nan=X.dtype.kind == "f"):
        return False
    repeated = (1 + counts[counts > 1].sum()) / (1 + len(unlabelled))
    return bool(repeated ** len(np.unique(place)) < _CHANCE)


def _codes(X: Rows) -> NDArray[np.uint64]:
    """Return a number for each row, shape (n,): equal rows have equal numbers, others hardly ever."""
    factors = np.random.default_rng(0).integers(2**64, size=X.shape[1], dtype=np.uint64) | np.uint64(1)
    codes = np.zeros(len(X), dtype=np.uint64)
    # Column by column, so that it takes no second copy of the rows. Whole numbers have only zeros in their low bits.
    for column, factor in zip(X.T, factors, strict=True):
        bits = column.view(f"u{X.itemsize}").astype(np.uint64)
        codes += (bits ^ (bits >> np.uint64(32))) * factor
    return codes
