"""Classifiers that wrap a learner and look at its scores of rows that it did not see."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import diags_array
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from pubench.base import PRIOR, SCENARIO, UNSTATED, Estimator, Labels, Rows, Rule, Whole, validate_rows
from pubench.estimators.copies import few_distinct, units_of_copies
from pubench.estimators.inner_warnings import InnerWarnings
from pubench.learners import LearnerClassifier, positive_scores, seeded_clone
from pubench.priors import prior_to_use
from pubench.specs import Scenario

__all__ = [
    "FOLDS",
    "OutOfFoldClassifier",
    "as_unseen",
    "fold_numbers",
    "out_of_fold_scores",
    "ranking_scores",
]

FOLDS = 5
_MAX_SEED = 2**31 - 1
Floats = NDArray[np.float64]


def out_of_fold_scores(
    fit: Callable[[Rows, Labels], Estimator], X: Rows, s: Labels, *, n_folds: int = FOLDS, seed: int
) -> Floats:
    """Return the score of each row by a learner that did not see it.

    Parameters
    ----------
    fit : callable
        Takes rows and their labels, and returns a fitted classifier.
    X : array or sparse matrix of shape (n, d)
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    n_folds : int
        The number of folds, and at most that of labelled or of unlabelled rows.
    seed : int
        Decides the folds.

    Returns
    -------
    ndarray of shape (n,)
    """
    number = fold_numbers(X, s, n_folds, seed)
    if number.max() == 0:
        warnings.warn(
            "there are fewer than two distinct labelled rows, or than two unlabelled ones: out-of-fold scores cannot "
            "be made, and the scores of the fit itself are too confident; give more rows",
            stacklevel=4,
        )
        return ranking_scores(fit(X, s), X)
    scores = np.empty(len(s))
    for fold in range(number.max() + 1):
        train, test = np.flatnonzero(number != fold), np.flatnonzero(number == fold)
        seen = X[train]
        scores[test] = ranking_scores(fit(seen, s[train]), as_unseen(X[test], seen))
    return scores


def fold_numbers(X: Rows, s: Labels, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Deal the rows into folds, shape (n,): P and U evenly, and a labelled row together with its copy in U.

    There are at most as many folds as distinct labelled rows, and as unlabelled ones; all rows are in fold 0 if that
    leaves fewer than two.
    """
    units, _ = units_of_copies(X, s)
    # One row of each unit is dealt, the others follow it; the labelled one comes first.
    tied = np.flatnonzero(units >= 0)
    tied = tied[np.argsort(s[tied] == 0, kind="stable")]
    leaders = tied[np.unique(units[tied], return_index=True)[1]]
    dealt = np.sort(np.r_[leaders, np.flatnonzero(units < 0)])
    folds = min(n_folds, *np.bincount(s[dealt], minlength=2))
    number = np.zeros(len(s), dtype=np.int64)
    if folds < 2:
        return number
    deal = StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(dealt)), s[dealt])
    for fold, (_, held) in enumerate(deal):
        number[dealt[held]] = fold
    number[tied] = number[leaders][units[tied]]
    return number


def as_unseen(rows: Rows, seen: Rows) -> Rows:
    """Return rows as new ones would look to a model fitted on ``seen``: its constant columns stay constant.

    One-hot encoding gives a category that only rows left out have a column of its own, but a new row with an unknown
    category has zeros there. A learner may use a constant column as a part of its intercept, with any weight, so
    scores of rows that differ there would not be comparable with those of new rows.

    Parameters
    ----------
    rows : array or sparse matrix of shape (m, d)
        Not changed.
    seen : array or sparse matrix of shape (n, d)

    Returns
    -------
    array or sparse matrix of shape (m, d)
    """
    if isinstance(seen, np.ndarray):
        constant = seen.min(axis=0) == seen.max(axis=0)
        return np.where(constant, seen[0], rows) if constant.any() else rows
    filled = np.bincount(seen.tocsr().indices, minlength=seen.shape[1]) > 0
    return rows if filled.all() else (rows @ diags_array(filled.astype(rows.dtype))).tocsr()


class OutOfFoldClassifier(LearnerClassifier):
    """Base class of wrappers around any classifier that ranks rows.

    A subclass writes ``_learn(scores, s)``, which is given out-of-fold scores of shape (n,), before the learner is
    fitted again on all rows. Parameters and attributes are those of :class:`pubench.PriorCut`.
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "prior": PRIOR,
        "scenario": SCENARIO,
        "n_folds": Whole(low=2),
    }

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        prior: float | str = "estimate",
        scenario: Scenario = UNSTATED,
        n_folds: int = FOLDS,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.scenario = scenario
        self.n_folds = n_folds
        self.random_state = random_state

    @staticmethod
    def default_learner() -> Estimator:
        """Return the learner that None stands for."""
        return LogisticRegression(class_weight="balanced", max_iter=1000)

    def _fit(self, X: Rows, s: Labels) -> None:
        self.prior_ = prior_to_use(self, X, s)
        seed, inner = int(check_random_state(self.random_state).randint(_MAX_SEED)), InnerWarnings()
        copies = few_distinct(X[s == 1])
        if copies:
            warnings.warn(
                f"{copies}: a model has seen copies of the labelled rows that it scores, so that out-of-fold scores "
                "are too confident; label other rows",
                stacklevel=3,
            )

        def fitted(rows: Rows, labels: Labels) -> Estimator:
            learner = self._informed(seeded_clone(self._learner(), seed))
            with inner.of_one_fit():
                # Signed, since learners may compute 2 s - 1.
                return learner.fit(rows, labels.astype(np.int64))

        try:
            self._learn(out_of_fold_scores(fitted, X, s, n_folds=self.n_folds, seed=seed), s)
            self.estimator_ = fitted(X, s)
            self._adjust(X, s)
        finally:
            inner.show(stacklevel=3)

    def _informed(self, learner: Estimator) -> Estimator:
        """Give a learner the prior that was estimated here, and the scenario, unless it has its own."""
        params = learner.get_params(deep=False)
        known: dict[str, float | str] = {"prior": self.prior_} if params.get("prior") == "estimate" else {}
        if "scenario" in params and params["scenario"] is UNSTATED:
            known["scenario"] = self.scenario_
        return learner.set_params(**known)

    @abstractmethod
    def _learn(self, scores: Floats, s: Labels) -> None:
        """Learn from out-of-fold scores, shape (n,), and s, shape (n,)."""

    def _adjust(self, X: Rows, s: Labels) -> None:
        """Look at the learner that was fitted on all rows, shape (n, d), and s, shape (n,)."""

    def _scores(self, X: Rows) -> Floats:
        """Return the scores of the learner that was fitted on all rows, shape (n,)."""
        X = validate_rows(self, X)
        return ranking_scores(self.estimator_, X)


def ranking_scores(fitted: Estimator, X: Rows) -> Floats:
    """Return how positive a fitted classifier takes rows for, shape (n,): its decision function if it has one.

    A classifier that moves its decisions after the fit, by a rule that may give another shift for other rows, has
    ``ranking_score(X)``: its scores without that shift, which are comparable between fits.
    """
    if isinstance(fitted, Pipeline) and hasattr(fitted[-1], "ranking_score"):
        fitted, X = fitted[-1], fitted[:-1].transform(X)
    if hasattr(fitted, "ranking_score"):
        return np.asarray(fitted.ranking_score(X), dtype=np.float64)
    has_decision = hasattr(fitted, "decision_function")
    return positive_scores(fitted, X, "decision_function" if has_decision else "predict_proba").ravel()
