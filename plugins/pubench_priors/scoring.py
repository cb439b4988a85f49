"""Scores of P against U, each from a model that has not seen its row: what the estimators look at.

The score g(x) = Pr(s = 1 | x) keeps all that x says of s, so a mixture of scores has the same share of positives as
the mixture of rows, and is no harder to separate.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, Normalizer, StandardScaler
from threadpoolctl import threadpool_limits

from pubench.errors import PriorError
from pubench.estimators.sharing import SHARED, Matrix, digest
from pubench.learners import units_of_copies
from pubench_priors.doubts import separation
from pubench_priors.problem import Floats, Problem

__all__ = ["CLASSIFIERS", "fold_numbers", "score_rows"]

CLASSIFIERS = ("auto", "logistic", "boosting")
Make = Callable[[], Any]
Rows = NDArray[np.bool_]
FOLDS = 5
# Of more rows than this, two models score all, each from half of them: better scores for the time than five models
# that learn from less.
_MANY = 15_000
_MANY_FOLDS = 2
_LEARNED = 50_000


def score_rows(problem: Problem, classifier: Any, folds: int | None = None) -> Floats:
    """Return Pr(s = 1 | x) of each row, shape (n,), from models fitted without its fold.

    Parameters
    ----------
    problem : Problem
    classifier : {"auto", "logistic", "boosting"} or scikit-learn classifier with ``predict_proba``
        ``"auto"`` takes the one whose out-of-fold scores order P above U best.
    folds : int, optional
        At most as many as there are labelled or unlabelled rows; default: 5, and 2 of more than 15,000 rows.

    Notes
    -----
    A model named by a string learns from at most 50,000 rows that are not in its fold: up to 25,000 of P, and U.
    Estimators use the order of scores, or their log-odds up to a constant, which shares of P do not change.
    """
    if folds is None:
        folds = FOLDS if len(problem.s) <= _MANY else _MANY_FOLDS
    candidates = _candidates(problem, classifier)
    if not isinstance(classifier, str):
        return _best_scores(problem, candidates, folds, len(problem.s))
    # Estimators that are asked about the same rows fit the models once.
    X = problem.X
    parts = [X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr]
    key = "prior scores", digest(*parts, problem.s), X.shape, problem.seed, classifier, folds
    kept = SHARED.get(key, lambda: Matrix(_best_scores(problem, candidates, folds, _LEARNED)))
    return np.array(kept.values)


def _best_scores(problem: Problem, candidates: list[Make], folds: int, learned: int) -> Floats:
    """Return the out-of-fold scores, shape (n,), of the candidate that orders P above U best."""
    number = fold_numbers(problem, folds)
    parts = [
        (_learned_rows(number != fold, problem, learned), number == fold)
        for fold in range(int(number.max()) + 1)
    ]
    # Many small fits: threads would wait for one another, and could change the last bits.
    with threadpool_limits(1):
        scores = [_out_of_fold(problem, make, parts) for make in candidates]
    # Estimators use the order of scores alone. A log loss would prefer boosting wherever the classes hardly overlap,
    # because Pr(s = 1 | x) then ends at c, which no logistic curve does, however well it orders.
    orders = [separation(found, problem.s) for found in scores]
    return scores[int(np.argmax(orders))]


def _candidates(problem: Problem, classifier: Any) -> list[Make]:
    if not isinstance(classifier, str):
        if isinstance(classifier, type):
            raise PriorError(
                f"classifier {classifier.__name__} is a class; give an instance, {classifier.__name__}()"
            )
        if not hasattr(classifier, "predict_proba"):
            raise PriorError(f"classifier {classifier!r} has no predict_proba; give one that has")
        return [lambda: clone(classifier)]
    if classifier not in CLASSIFIERS:
        raise PriorError(f"classifier {classifier!r} is unknown; give one of {', '.join(CLASSIFIERS)}")
    # Without a mean taken off sparse rows stay sparse, and the intercept makes up for it.
    linear: list[Make] = [partial(_logistic, partial(StandardScaler, with_mean=not problem.sparse), 1.0)]
    if problem.sparse and classifier == "auto":
        # Rows of counts differ in length above all, and how much to shrink depends on the number of terms.
        linear = [
            partial(_logistic, *choice)
            for choice in ((MaxAbsScaler, 1.0), (Normalizer, 1.0), (Normalizer, 10.0))
        ]
    boosting: list[Make] = [partial(_boosting, problem.seed)]
    usable = {"logistic": [] if problem.holes else linear, "boosting": [] if problem.sparse else boosting}
    found = [make for name, makes in usable.items() if classifier in ("auto", name) for make in makes]
    if not found:
        reason = "missing values" if problem.holes else "sparse rows"
        raise PriorError(f"classifier {classifier!r} cannot take {reason}; use classifier='auto'")
    return found


def _logistic(scaler: Any, strength: float) -> Any:
    return make_pipeline(scaler(), LogisticRegression(C=strength, max_iter=500))


def _boosting(seed: int) -> Any:
    # Labels of positives are a coin's: small leaves would learn the coin.
    return HistGradientBoostingClassifier(
        max_iter=60,
        max_leaf_nodes=15,
        min_samples_leaf=20,
        l2_regularization=1.0,
        early_stopping=False,
        random_state=seed,
    )


def _learned_rows(others: Rows, problem: Problem, most: int) -> Rows:
    """Return which of the rows outside a fold a model learns from, shape (n,): at most so many, up to half from P."""
    if others.sum() <= most:
        return others
    rng, learned = np.random.default_rng(problem.seed), np.zeros_like(others)
    for kind, share in ((1, most // 2), (0, most)):
        rows = np.flatnonzero(others & (problem.s == kind))
        learned[rng.permutation(rows)[: share - int(learned.sum())]] = True
    return learned


def _out_of_fold(problem: Problem, make: Make, parts: list[tuple[Rows, Rows]]) -> Floats:
    scores = np.empty(len(problem.s))
    for learned, held in parts:
        model = make().fit(problem.X[learned], problem.s[learned])
        scores[held] = model.predict_proba(problem.X[held])[:, 1]
    if not np.isfinite(scores).all():
        raise PriorError("the classifier's probabilities are not finite; scale the rows or choose another")
    return scores


def fold_numbers(problem: Problem, folds: int) -> NDArray[np.int64]:
    """Deal the rows into folds, shape (n,): P and U evenly, and a labelled row together with its copy in U.

    See :func:`pubench.learners.units_of_copies`.
    """
    rng, s = np.random.default_rng(problem.seed), problem.s
    unit, n_units = units_of_copies(problem.X, s)
    n_folds = min(folds, n_units, int((s == 0).sum()))
    if n_folds < 2:
        raise PriorError("all labelled rows are the same row; give labelled rows that differ")
    number = np.empty(len(s), dtype=np.int64)
    fold_of_unit = rng.permutation(n_units) % n_folds
    tied = unit >= 0
    number[tied] = fold_of_unit[unit[tied]]
    free = np.flatnonzero(~tied)
    number[free] = rng.permutation(len(free)) % n_folds
    return number
