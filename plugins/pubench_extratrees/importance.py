"""How much of the risk each feature takes away (Wilton et al., 2022, section 4)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench.risk import SignedWeights
from pubench_extratrees.trees import Trees

__all__ = ["Importance", "risk_decrease"]


@dataclass(frozen=True, slots=True, eq=False)
class Importance:
    """Both importances of each feature, means over trees; float64 ndarrays of shape (d,)."""

    total: NDArray[np.float64]
    normalized: NDArray[np.float64]


def risk_decrease(trees: Trees, weights: SignedWeights, n_features: int) -> Importance:
    r"""Add up, feature by feature, what splits take from the risk.

    The total is :math:`\sum_\kappa RR(f_\kappa, t_\kappa)` over the nodes that split on the feature; for the
    normalised one each term is divided by the node's weight :math:`W_p + W_n`, so that small nodes count as much
    as large ones. Left out are splits into a child whose uPU risk is -inf, as they would swamp all others, and
    from the normalised importance also nodes without weight (no unlabelled rows, in case-control).

    Parameters
    ----------
    trees : Trees
    weights : SignedWeights
    n_features : int

    Returns
    -------
    Importance
    """
    totals = np.zeros((2, n_features))
    # Tree by tree: what is computed on the way would else take as much memory as the trees.
    for start, end in itertools.pairwise([*trees.roots.tolist(), len(trees.risk)]):
        nodes = np.arange(start, end)
        inner = nodes[trees.left[start:end] != nodes]
        left = trees.left[inner]
        decrease = trees.risk[inner] - trees.risk[left] - trees.risk[left + 1]
        finite = np.isfinite(decrease)
        inner, decrease = inner[finite], decrease[finite]
        weight = (
            trees.n_labelled[inner] * (weights.positive_P + weights.negative_P)
            + trees.n_unlabelled[inner] * weights.negative_U
        )
        relative = np.divide(decrease, weight, out=np.zeros_like(decrease), where=weight > 0)
        totals += [
            np.bincount(trees.feature[inner], part, minlength=n_features) for part in (decrease, relative)
        ]
    total, normalized = totals / len(trees.roots)
    return Importance(total, normalized)
