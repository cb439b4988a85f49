"""The Bayesian signed-rank test of a pair: the probability that one algorithm is better, or both are equivalent."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Posterior", "bayesian_signed_rank"]

Floats = NDArray[np.float64]

STRENGTH = 0.5
"""The weight of the prior's one pseudo-observation, a difference of zero."""
DRAWS = 1_000_000


class Posterior(NamedTuple):
    """The probabilities that the first is worse, practically the same, and better; they sum to 1."""

    worse: float
    same: float
    better: float


def bayesian_signed_rank(
    differences: Floats, rope: float, samples: int | None = None, seed: int = 0
) -> Posterior:
    r"""Compare two algorithms with a region of practical equivalence (Benavoli et al., 2017, section 4.2.1).

    The prior of the differences' distribution is a Dirichlet process of strength 1/2 at zero. The posterior is a
    distribution of weights :math:`w \sim \mathrm{Dir}(1/2, 1, \dots, 1)` on :math:`z = (0, d_1, \dots, d_n)`, and

    .. math:: \theta_\mathrm{better} = \sum_{ij} w_i w_j [z_i + z_j > 2r], \qquad
              \theta_\mathrm{worse} = \sum_{ij} w_i w_j [z_i + z_j < -2r]

    and the rest is "the same". The result is the share of samples in which each of the three is the largest.

    Parameters
    ----------
    differences : array of shape (n,)
        Infinite values count as larger than all others; opposite ones cancel.
    rope : float
        Differences up to r make no practical difference. With 0, pairs that cancel count half to either side.
    samples : int, optional
        How many weights to draw; default: 5,000, and fewer above 200 differences, where they vary less.
    seed : int
        Random seed; fixed, so that the result depends on the differences alone.

    Returns
    -------
    Posterior
        NaN without differences.
    """
    if not differences.size:
        return Posterior(np.nan, np.nan, np.nan)
    z = _finite(np.concatenate([[0.0], differences]), rope)
    order = np.argsort(z, kind="stable")
    samples = samples or int(np.clip(DRAWS // z.size, 1000, 5000))
    weights, below = _weights(samples, z.size, int(np.flatnonzero(order == 0)[0]), seed)
    worse, same, better = _shares(z[order], weights, below, rope)
    if rope == 0:
        worse, same, better = worse + same / 2, np.full_like(same, -1.0), better + same / 2
    largest = np.stack([worse, same, better])
    # Tied shares count in equal parts.
    winners = largest >= largest.max(axis=0) - 1e-12
    return Posterior(*(winners / winners.sum(axis=0)).mean(axis=1).tolist())


@lru_cache(maxsize=64)
def _weights(samples: int, size: int, prior: int, seed: int) -> tuple[Floats, Floats]:
    """Draw the weights of sorted z, shape (size, samples), the prior's at its place, and their cumulative sums.

    Pairs of as many differences share the draws, so that thousands of pairs are quick.
    """
    rng = np.random.default_rng(seed)
    # Dir(1, ..., 1) is a vector of exponential variables over their sum; the prior's has another shape.
    weights = rng.standard_exponential((samples, size))
    weights[:, prior] = rng.standard_gamma(STRENGTH, samples)
    weights /= weights.sum(axis=1, keepdims=True)
    below = np.concatenate([np.zeros((samples, 1)), np.cumsum(weights, axis=1)], axis=1)
    found = np.ascontiguousarray(weights.T), np.ascontiguousarray(below.T)
    for array in found:
        array.setflags(write=False)
    return found


def _finite(z: Floats, rope: float) -> Floats:
    """Replace infinities by numbers beyond every sum of two others."""
    beyond = 4 * (float(np.abs(z).max(where=np.isfinite(z), initial=0.0)) + rope + 1.0)
    return np.clip(z, -beyond, beyond)


def _shares(z: Floats, weights: Floats, below: Floats, rope: float) -> tuple[Floats, Floats, Floats]:
    """Sum the products of weights by the sum of the pair, from cumulative weights: z is sorted."""
    first_not_worse = np.searchsorted(z, -2 * rope - z, side="left")
    first_better = np.searchsorted(z, 2 * rope - z, side="right")
    worse = np.einsum("ij,ij->j", weights, below[first_not_worse])
    not_better = np.einsum("ij,ij->j", weights, below[first_better])
    return worse, not_better - worse, 1.0 - not_better
