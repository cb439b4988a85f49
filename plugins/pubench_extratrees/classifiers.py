"""The three classifiers: PU extra trees, the PU random forest, and a single PU decision tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pubench.base import UNSTATED, Either, OneOf, Rows, Rule, Whole
from pubench.specs import Scenario
from pubench_extratrees.forest import PUTrees

__all__ = ["PUDecisionTree", "PUExtraTrees", "PURandomForest"]


class PUExtraTrees(PUTrees):
    r"""Extremely randomised trees that minimise a PU risk (Wilton et al., 2022).

    A node holds :math:`P' \subseteq P` and :math:`U' \subseteq U`. With the signed weights of
    :func:`pubench.risk.signed_weights` its masses are :math:`W_p = |P'| w(+1|P)` and
    :math:`W_n = |P'| w(-1|P) + |U'| w(-1|U)`, which in case-control are those of the paper's Proposition 1. The
    least risk of a constant prediction v is

    .. math::

        \hat R^* = \min_v \; W_p \ell(v, +1) + W_n \ell(v, -1)

    for uPU, and with :math:`\max(0, W_n)` in place of :math:`W_n` for nnPU. The closed forms are
    :math:`4 W_p W_n / (W_p + W_n)` (quadratic, savage; Equations 11 and 14, where the main text's 1/4 is a misprint
    for 4), the entropy :math:`W_p \ln\frac{W_p + W_n}{W_p} + W_n \ln\frac{W_p + W_n}{W_n}` (logistic; Equations 12
    and 15) and :math:`\min(W_p, W_n)` (sigmoid; Equation 16). For uPU and :math:`W_n < 0` they are, in the same
    order, the same or -inf without U; :math:`4 W_n` (savage); -inf; :math:`W_n`.

    Each node tries random thresholds on random features, and takes the split that reduces the risk most (Equations 7
    and 8; Algorithms 3 to 5). A node becomes a leaf when it is pure (risk 0 for nnPU, -inf for uPU), when all features
    are constant, when it holds only P or only U, or when a parameter stops it.

    Parameters
    ----------
    n_estimators : int, default=100
        The number of trees.
    prior : float or str, default="estimate"
        Pr(y = 1), strictly between 0 and 1, or ``"estimate"``, or the name of a prior estimator.
    scenario : {"case-control", "single-training-set"}
        Whether U is a sample of the population, or P and U together are.
    risk : {"nnpu", "upu"}, default="nnpu"
        Which PU risk to minimise. uPU over-fits, especially with the quadratic loss.
    loss : {"quadratic", "logistic", "savage", "sigmoid"}, default="quadratic"
        With nnPU, savage gives the same trees as quadratic.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        The number F of features to try at a node: the square root or logarithm of d, rounded up; a number; a share;
        or None for all. Constant features do not count.
    n_thresholds : int or None, default=1
        The number T of thresholds to draw uniformly from the feature's range at the node; None tries all
        (Algorithm 2).
    bootstrap : bool, default=False
        Whether each tree learns from rows drawn with replacement, separately from P and from U.
    max_depth : int or None, default=None
        The maximal depth of a tree; None sets no limit.
    min_samples_split : int, default=2
        The minimal number of rows, of P and U together, in a node that is split.
    min_samples_leaf : int, default=1
        The minimal number of rows, of P and U together, in a child.
    max_leaf_nodes : int or None, default=None
        If given, trees grow best first (the leaf whose split reduces the risk most) up to this number of leaves.
    min_risk_decrease : float or None, default=None
        The minimal reduction of the risk by a split. None allows all splits, as in the paper: for nnPU the best split
        may even increase the sum of the nodes' risks, because max(0, .) applies to each.
    n_jobs : int or None, default=None
        The number of threads. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the trees.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    prior_ : float
        The prior that was used.
    prior_interval_ : tuple of float
        The ends of its interval; both are the prior if it was given.
    trees_ : Trees
        The nodes of all trees as arrays, 32 bytes per node.
    feature_importances_ : ndarray of shape (d,)
    normalized_feature_importances_ : ndarray of shape (d,)
    n_features_in_ : int

    Notes
    -----
    Memory of a fit: a float32 copy of a dense X, unless X is float32 in C order (in Fortran order if nodes try less
    than a sixteenth of the features); 50 bytes per row for each thread; and, at the end, the memory of the trees once
    more. A sparse X is spread out if this takes at most 64 MB, or if more than a sixteenth of its values are stored.
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        **PUTrees.param_rules,
        "n_estimators": Whole(low=1, high=2**31 - 1),
        "bootstrap": OneOf((True, False)),
        "n_jobs": Either(Whole(low=1, high=1024), Whole(low=-1024, high=-1), OneOf((None,))),
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        prior: float | str = "estimate",
        scenario: Scenario = UNSTATED,
        risk: str = "nnpu",
        loss: str = "quadratic",
        max_features: str | int | float | None = "sqrt",
        n_thresholds: int | None = 1,
        bootstrap: bool = False,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_leaf_nodes: int | None = None,
        min_risk_decrease: float | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.prior = prior
        self.scenario = scenario
        self.risk = risk
        self.loss = loss
        self.max_features = max_features
        self.n_thresholds = n_thresholds
        self.bootstrap = bootstrap
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_risk_decrease = min_risk_decrease
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _n_trees(self) -> int:
        return self.n_estimators

    def _n_jobs(self) -> int | None:
        return self.n_jobs

    def _draw(
        self, kinds: Sequence[NDArray[np.int32]], seed: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        if not self.bootstrap:
            return super()._draw(kinds, seed)
        rng = np.random.default_rng(seed)
        labelled, unlabelled = (np.sort(rng.choice(rows, len(rows))) for rows in kinds)
        return labelled, unlabelled

    def apply(self, X: Rows) -> NDArray[np.int32]:
        """Return the node of ``trees_`` in which each row ends, for each tree; shape (n, n_estimators)."""
        X = self._rows(X)
        leaves: NDArray[np.int32] = self._in_parts(X, self.trees_.find_leaves)
        return leaves


class PURandomForest(PUExtraTrees):
    """A random forest of PU trees: bootstrap samples and best thresholds (Wilton et al., 2022, section 4).

    Parameters and attributes are those of :class:`PUExtraTrees`. Two defaults differ: ``n_thresholds=None`` and
    ``bootstrap=True``.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        prior: float | str = "estimate",
        scenario: Scenario = UNSTATED,
        risk: str = "nnpu",
        loss: str = "quadratic",
        max_features: str | int | float | None = "sqrt",
        n_thresholds: int | None = None,
        bootstrap: bool = True,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_leaf_nodes: int | None = None,
        min_risk_decrease: float | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            n_estimators,
            prior=prior,
            scenario=scenario,
            risk=risk,
            loss=loss,
            max_features=max_features,
            n_thresholds=n_thresholds,
            bootstrap=bootstrap,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            max_leaf_nodes=max_leaf_nodes,
            min_risk_decrease=min_risk_decrease,
            n_jobs=n_jobs,
            random_state=random_state,
        )


class PUDecisionTree(PUTrees):
    """A single tree with the best split over all features and thresholds (Wilton et al., 2022, section 3).

    Parameters and attributes are those of :class:`PUExtraTrees` that apply to one tree. The defaults are
    ``max_features=None`` and ``n_thresholds=None``, so only ties are broken at random.
    """

    def __init__(
        self,
        *,
        prior: float | str = "estimate",
        scenario: Scenario = UNSTATED,
        risk: str = "nnpu",
        loss: str = "quadratic",
        max_features: str | int | float | None = None,
        n_thresholds: int | None = None,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_leaf_nodes: int | None = None,
        min_risk_decrease: float | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.prior = prior
        self.scenario = scenario
        self.risk = risk
        self.loss = loss
        self.max_features = max_features
        self.n_thresholds = n_thresholds
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_risk_decrease = min_risk_decrease
        self.random_state = random_state

    def apply(self, X: Rows) -> NDArray[np.int32]:
        """Return the node of ``trees_`` in which each row ends; shape (n,)."""
        X = self._rows(X)
        leaves: NDArray[np.int32] = self.trees_.find_leaves(X)[:, 0]
        return leaves
