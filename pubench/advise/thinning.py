"""Fewer rows of a large table, and the prior of what is left."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.specs import Scenario

if TYPE_CHECKING:
    from pubench.estimators.prior_statement import PriorStatement

__all__ = ["MOST_ROWS", "thinned", "thinned_prior", "thinning_remark", "whole_prior", "whole_statement"]

MOST_ROWS = 20_000
"""How many rows a method is fitted on in a comparison at most; with more of them methods seldom change places."""

Positions = NDArray[np.int64]


def thinned(s: NDArray[np.uint8], rng: np.random.Generator, *, most: int = MOST_ROWS) -> Positions:
    """Return the positions of at most ``most`` rows, in order: all labelled rows as far as they fill a half.

    Parameters
    ----------
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    rng : Generator
    most : int

    Returns
    -------
    ndarray of shape (at most ``most``,)
    """
    if len(s) <= most:
        return np.arange(len(s))
    labelled, unlabelled = np.flatnonzero(s == 1), np.flatnonzero(s == 0)
    n_p = min(len(labelled), max(most // 2, most - len(unlabelled)))
    kept = (rng.choice(labelled, n_p, replace=False), rng.choice(unlabelled, most - n_p, replace=False))
    return np.sort(np.concatenate(kept))


def thinning_remark(s: NDArray[np.uint8]) -> tuple[str, ...]:
    """Say that fits take a sample of the rows, if they do."""
    if len(s) <= MOST_ROWS:
        return ()
    kept = int(s[thinned(s, np.random.default_rng(0))].sum())
    which = "all labelled rows" if kept == s.sum() else f"{kept:,} of the labelled rows"
    return (
        f"Of {len(s):,} rows, each fit takes a random sample of at most {MOST_ROWS:,} that has {which}, and the "
        "prior is estimated from such a sample. All rows are scored.",
    )


def thinned_prior(prior: float, s: NDArray[np.uint8], kept: NDArray[np.uint8], scenario: Scenario) -> float:
    """Return the prior of the rows that are left.

    Rows of U are dropped at random, so that its share of positives stays what it is. That share is the prior in
    case-control data; in a single training set the prior is the share in P and U together.

    Parameters
    ----------
    prior : float
        Of the whole table.
    s, kept : ndarray
        The labels of all rows, and of those that are left.
    scenario : {"case-control", "single-training-set"}
    """
    from pubench.estimators.calibration import share_in_unlabelled

    if scenario == "case-control" or len(s) == len(kept):
        return prior
    n_p, left = int(s.sum()), int(kept.sum())
    share = share_in_unlabelled(prior, n_p, len(s) - n_p, scenario)
    return (left + share * (len(kept) - left)) / len(kept)


def whole_prior(prior: float, s: NDArray[np.uint8], kept: NDArray[np.uint8], scenario: Scenario) -> float:
    """Return the prior of the whole table, given that of the rows that are left; see :func:`thinned_prior`."""
    from pubench.estimators.calibration import share_in_unlabelled

    if scenario == "case-control" or len(s) == len(kept):
        return prior
    n_p, left = int(s.sum()), int(kept.sum())
    share = share_in_unlabelled(prior, left, len(kept) - left, scenario)
    return (n_p + share * (len(s) - n_p)) / len(s)


def whole_statement(
    found: PriorStatement, s: NDArray[np.uint8], kept: NDArray[np.uint8], scenario: Scenario
) -> PriorStatement:
    """Return what is known about the prior of the whole table, given a statement about the rows that are left."""
    value, low, high, upper = (
        whole_prior(one, s, kept, scenario) for one in (found.value, found.low, found.high, found.upper)
    )
    return replace(found, value=value, low=low, high=high, upper=upper)
