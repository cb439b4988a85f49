"""NovelGB of Timmons et al.: gradient boosting on the PU risk, with LightGBM."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy.special import expit, logit
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from pubench.base import (
    PRIOR,
    SCENARIO,
    UNSTATED,
    Either,
    Labels,
    OneOf,
    PUClassifier,
    Real,
    RowRules,
    Rows,
    Rule,
    Whole,
    held_rows,
    validate_rows,
)
from pubench.priors import prior_to_use
from pubench.risk import pu_risk
from pubench.specs import Scenario
from pubench_novelgb.engine import HeldOut, boost, raw_scores
from pubench_novelgb.objective import Objective, Risk

__all__ = ["NovelGB"]

Floats = NDArray[np.float64]


class NovelGB(PUClassifier):
    r"""Gradient boosted trees that minimise a PU risk of the logistic loss.

    Each tree takes a Newton step on the risk of Eq. 2, with the slopes and curvatures of
    :class:`pubench_novelgb.objective.Objective`. Scores start at the log-odds of the prior, the constant that
    minimises the risk. The unbiased risk has no minimum where labelled rows are dense. Three things keep scores
    finite for all parameters: the penalty ``l2``, the bound ``max_score``, and a limit of
    ``learning_rate * max_score`` on the contribution of one tree.

    Parameters
    ----------
    prior : float or str, default="estimate"
        Pr(y = 1), strictly between 0 and 1, or ``"estimate"``, or the name of a prior estimator.
    scenario : {"case-control", "single-training-set"}
        Whether U, or P and U together, are a sample of the population. The paper uses a single training set.
    risk : {"upu", "nnpu"}, default="upu"
        The paper's unbiased risk, or the non-negative variant, which steps back when the estimated risk on negatives
        falls below ``-beta``. Only over-fitting makes it negative.
    n_estimators : int, default=100
        The maximal number of trees.
    learning_rate : float, default=0.1
        Shrinks the contribution of each tree.
    max_depth : int, default=3
        The maximal depth of a tree, at most 16.
    max_leaf_nodes : int, default=31
        The maximal number of leaves of a tree, grown best first; up to a depth of 4 only ``max_depth`` matters.
    min_samples_leaf : int, default=10
        The minimal number of rows in a leaf. LightGBM weights a row by its curvature: confident scores count less.
    l2 : float, default=50.0
        The penalty on leaf values: a leaf of m rows at score 0 is shrunk by :math:`m / (m + 4 \cdot l2)`. It is much
        larger than in supervised boosting, since the risk keeps rewarding larger scores.
    max_score : float, default=10.0
        Scores are clipped to [-max_score, max_score]; at most 15, where dividing by a curvature is still safe.
    subsample, max_features : float, default=1.0
        The shares of rows and of columns used by each tree.
    beta, gamma : float, default=0.0 and 1.0
        nnPU only: how far below zero the estimated risk on negatives may fall, and the relative length of the steps
        back.
    early_stopping : bool, default=False
        Whether to hold out a share of P and of U, and to keep the trees up to the smallest unbiased risk (logistic
        loss) on it. These rows are not used for fitting, so the unbiased risk is appropriate for nnPU, too.
    validation_fraction, n_iter_no_change : float, default=0.2, and int, default=10
        The share held out, and the number of trees without improvement after which the fit stops.
    n_jobs : int or None, default=None
        The number of threads; -1 uses all cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the held-out rows, and of the rows and columns used by each tree.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    booster_ : lightgbm.Booster
        The trees; their sum plus ``initial_score_`` is the score before clipping.
    prior_, initial_score_ : float
        The prior that was used, and its log-odds, clipped.
    prior_interval_ : tuple of float
        The ends of its interval; both are the prior if it was given.
    n_estimators_ : int
        The number of trees kept.
    validation_risk_ : ndarray of shape (t,)
        With early stopping, the risk on the held-out rows after each tree.
    n_features_in_ : int

    Notes
    -----
    Columns are binned (at most 255 bins) using a sample of rows: a quarter of them but at least 5,000 if X is dense,
    200,000 if it is sparse. Above 5,000 rows, the same data may therefore give different trees as dense and as sparse.
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "prior": PRIOR,
        "scenario": SCENARIO,
        "risk": OneOf(("upu", "nnpu")),
        "n_estimators": Whole(low=1),
        "learning_rate": Real(0.0, 1.0, open_low=True),
        "max_depth": Whole(1, 16),
        "max_leaf_nodes": Whole(2, 2**16),
        "min_samples_leaf": Whole(low=1, high=2**31 - 1),
        "l2": Real(low=0.0),
        "max_score": Real(0.0, 15.0, open_low=True),
        "subsample": Real(0.0, 1.0, open_low=True),
        "max_features": Real(0.0, 1.0, open_low=True),
        "beta": Real(low=0.0),
        "gamma": Real(0.0, 1.0),
        "early_stopping": OneOf((False, True)),
        "validation_fraction": Real(0.0, 1.0, open_low=True, open_high=True),
        "n_iter_no_change": Whole(low=1),
        "n_jobs": Either(Whole(1, 1024), Whole(-1024, -1), OneOf((None,))),
    }

    # LightGBM reads both types of floats, and sends NaN to the better side of each split.
    row_rules = RowRules(sparse="csr", missing=True, dtype=(np.float64, np.float32))

    def __init__(
        self,
        prior: float | str = "estimate",
        *,
        scenario: Scenario = UNSTATED,
        risk: Risk = "upu",
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_depth: int = 3,
        max_leaf_nodes: int = 31,
        min_samples_leaf: int = 10,
        l2: float = 50.0,
        max_score: float = 10.0,
        subsample: float = 1.0,
        max_features: float = 1.0,
        beta: float = 0.0,
        gamma: float = 1.0,
        early_stopping: bool = False,
        validation_fraction: float = 0.2,
        n_iter_no_change: int = 10,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.prior = prior
        self.scenario = scenario
        self.risk = risk
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.l2 = l2
        self.max_score = max_score
        self.subsample = subsample
        self.max_features = max_features
        self.beta = beta
        self.gamma = gamma
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: Rows, s: Labels) -> None:
        self.prior_ = prior_to_use(self, X, s)
        rng = check_random_state(self.random_state)
        seed, held_out = int(rng.randint(2**31 - 1)), None
        if self.early_stopping:
            X, s, held_out = self._hold_out(X, s, seed)
        objective = Objective.of(
            s,
            prior=self.prior_,
            scenario=self.scenario_,
            max_score=self.max_score,
            risk=self.risk,
            beta=self.beta,
            gamma=self.gamma,
        )
        self.initial_score_ = self._bounded(logit(self.prior_))
        self.booster_, self.validation_risk_ = boost(
            X,
            objective.derivatives,
            self._options(seed),
            initial_score=self.initial_score_,
            n_trees=self.n_estimators,
            held_out=held_out,
        )
        self.n_estimators_ = int(self.booster_.current_iteration())

    def _options(self, seed: int) -> dict[str, Any]:
        """Return the parameters under LightGBM's names."""
        return {
            "learning_rate": self.learning_rate,
            "max_depth": self.max_depth,
            "num_leaves": min(self.max_leaf_nodes, 2**self.max_depth),
            "min_data_in_leaf": self.min_samples_leaf,
            "lambda_l2": self.l2,
            "max_delta_step": self.max_score,
            "bagging_fraction": self.subsample,
            "bagging_freq": int(self.subsample < 1.0),
            "feature_fraction": self.max_features,
            "num_threads": effective_n_jobs(self.n_jobs),
            "seed": seed,
        }

    def _hold_out(self, X: Rows, s: Labels, seed: int) -> tuple[Rows, Labels, HeldOut]:
        held = held_rows(s, self.validation_fraction, seed)
        s_held, prior, scenario = s[held], self.prior_, self.scenario_

        def risk(scores: Floats) -> float:
            inside = self._bounded(scores)
            return pu_risk(inside, s_held, prior=prior, scenario=scenario, loss="logistic")

        return X[~held], s[~held], HeldOut(X[held], risk, self.n_iter_no_change)

    def _bounded(self, scores: Any) -> Any:
        return np.clip(scores, -self.max_score, self.max_score)

    def decision_function(self, X: Rows) -> Floats:
        """Return the bounded scores, estimates of the log-odds of y = 1, shape (n,); at least 0 means positive."""
        X = validate_rows(self, X)
        total = raw_scores(self.booster_, X, n_threads=effective_n_jobs(self.n_jobs))
        return np.asarray(self._bounded(self.initial_score_ + total))

    def staged_decision_function(self, X: Rows) -> Iterator[Floats]:
        """Yield the bounded scores, shape (n,), after each tree; the last are decision_function(X)."""
        X = validate_rows(self, X)
        n_threads, total = effective_n_jobs(self.n_jobs), np.zeros(X.shape[0])
        for tree in range(self.n_estimators_):
            total = total + raw_scores(self.booster_, X, n_threads=n_threads, first=tree, n_trees=1)
            yield np.asarray(self._bounded(self.initial_score_ + total))

    def predict_proba(self, X: Rows) -> Floats:
        """Return the estimated probabilities of both classes, shape (n, 2): the logistic function of the score.

        They estimate Pr(y | x) in the population, whose share of positives is the prior.
        """
        decision = self.decision_function(X)
        return np.column_stack([expit(-decision), expit(decision)])

    @property
    def feature_importances_(self) -> Floats:
        """The share of each column in the risk removed by splits, shape (d,); all zeros if there is no split."""
        check_is_fitted(self)
        gains = np.asarray(self.booster_.feature_importance("gain"), dtype=np.float64)
        total = gains.sum()
        return gains / total if total > 0 else gains
