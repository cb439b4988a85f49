"""PU extra trees on the features that a first forest finds important (Wilton et al., 2022, appendix M)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.utils import check_random_state

from pubench.base import (
    PRIOR,
    SCENARIO,
    UNSTATED,
    Labels,
    OneOf,
    PUClassifier,
    RowRules,
    Rows,
    Rule,
    Whole,
    validate_rows,
)
from pubench.priors import prior_to_use
from pubench.specs import Scenario
from pubench_extratrees.classifiers import PUExtraTrees

__all__ = ["PUTopFeatures"]


class PUTopFeatures(PUClassifier):
    """PU extra trees that see only the most important features.

    A first forest ranks the features, and PU extra trees with the non-negative risk and the quadratic loss learn from
    the first ``n_features`` of them.

    Parameters
    ----------
    n_features : int, default=10
        How many features are kept; all if there are no more.
    by : {"risk", "gini"}, default="risk"
        What ranks them: "risk" is the risk reduction importance of PU extra trees, "gini" the impurity reduction of
        scikit-learn's extra trees that treat U as negative.
    n_estimators : int, default=100
        The number of trees of each forest.
    prior : float or str, default="estimate"
        Pr(y = 1), strictly between 0 and 1, or ``"estimate"``, or the name of a prior estimator.
    scenario : {"case-control", "single-training-set"}
        Whether U is a sample of the population, or P and U together are.
    random_state : int, RandomState instance or None, default=None
        Seed of the forests.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    prior_ : float
        The prior that was used.
    prior_interval_ : tuple of float
        The ends of its interval; both are the prior if it was given.
    features_ : ndarray of shape (k,)
        The kept features, in ascending order.
    forest_ : PUExtraTrees
        The forest that learned from them.
    feature_importances_ : ndarray of shape (d,)
    n_features_in_ : int
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "n_features": Whole(low=1),
        "by": OneOf(("gini", "risk")),
        "n_estimators": Whole(low=1),
        "prior": PRIOR,
        "scenario": SCENARIO,
    }
    row_rules = RowRules(sparse="csr", dtype=np.float64)

    def __init__(
        self,
        n_features: int = 10,
        *,
        by: str = "risk",
        n_estimators: int = 100,
        prior: float | str = "estimate",
        scenario: Scenario = UNSTATED,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_features = n_features
        self.by = by
        self.n_estimators = n_estimators
        self.prior = prior
        self.scenario = scenario
        self.random_state = random_state

    def _poor_score(self) -> bool:
        return True

    def _fit(self, X: Rows, s: Labels) -> None:
        self.prior_ = prior_to_use(self, X, s)
        rng = check_random_state(self.random_state)
        first, second = (int(seed) for seed in rng.randint(2**31 - 1, size=2))
        ranking = self._forest(first) if self.by == "risk" else ExtraTreesClassifier(self.n_estimators)
        importance = ranking.set_params(random_state=first).fit(X, s).feature_importances_
        self.features_ = np.sort(np.argsort(-importance, kind="stable")[: self.n_features])
        self.forest_ = self._forest(second).fit(X[:, self.features_], s)

    def _forest(self, seed: int) -> PUExtraTrees:
        return PUExtraTrees(self.n_estimators, prior=self.prior_, scenario=self.scenario_, random_state=seed)

    def _kept(self, X: Rows) -> Rows:
        return validate_rows(self, X)[:, self.features_]

    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """Return the estimated Pr(y = 1 | x) minus one half, shape (n,); at least 0 means positive."""
        X = self._kept(X)
        return self.forest_.decision_function(X)

    def predict_proba(self, X: Rows) -> NDArray[np.float64]:
        """Return the probabilities of both classes, shape (n, 2), as PU extra trees estimate them."""
        X = self._kept(X)
        return self.forest_.predict_proba(X)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The risk reduction importance in the last forest, shape (d,); 0 for features that were left out."""
        found = np.zeros(self.n_features_in_)
        found[self.features_] = self.forest_.feature_importances_
        return found
