"""In the child: normalised importances of scikit-learn's forests, as PU extra trees have them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["normalized_importances"]


def normalized_importances(forest: Any) -> NDArray[np.float64] | None:
    r"""Return the sum of the relative impurity decreases of a forest's splits by feature, the mean over trees.

    A node of n rows with impurity I that is split into children of :math:`n_l` and :math:`n_r` rows adds

    .. math:: I - \frac{n_l I_l + n_r I_r}{n}

    to its feature: small nodes count as much as large ones (Wilton et al., 2022, section 4).

    Parameters
    ----------
    forest : object
        A fitted forest of scikit-learn; None is returned for anything else.

    Returns
    -------
    ndarray of shape (d,) or None
    """
    members = np.ravel(getattr(forest, "estimators_", ()))
    if not members.size or not all(hasattr(one, "tree_") for one in members):
        return None
    trees = [one.tree_ for one in members]
    total = np.zeros(trees[0].n_features)
    for tree in trees:
        inner = np.flatnonzero(tree.children_left != tree.children_right)
        mass = tree.weighted_n_node_samples * tree.impurity
        below = mass[tree.children_left[inner]] + mass[tree.children_right[inner]]
        decrease = tree.impurity[inner] - below / tree.weighted_n_node_samples[inner]
        total += np.bincount(tree.feature[inner], decrease, minlength=total.size)
    mean: NDArray[np.float64] = total / len(trees)
    return mean
