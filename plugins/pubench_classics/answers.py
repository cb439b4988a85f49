"""The base class of classifiers that predict with one fitted learner."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pubench.base import Rows, validate_rows
from pubench.learners import LearnerClassifier, boundary, if_learner_has, positive_scores, score_method

__all__ = ["LearnerAnswers"]


class LearnerAnswers(LearnerClassifier):
    """Base class of classifiers that predict with ``estimator_``, a learner fitted on the codes 0 and 1."""

    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """Return the learner's probability minus one half, or its decision, shape (n,); at least 0 means positive."""
        X = validate_rows(self, X)
        method = score_method(self.estimator_)
        return positive_scores(self.estimator_, X, method) - boundary(method)

    @if_learner_has("predict_proba")
    def predict_proba(self, X: Rows) -> NDArray[np.float64]:
        """Return the learner's probabilities of the unlabelled and the labelled class; shape (n, 2)."""
        X = validate_rows(self, X)
        positive = positive_scores(self.estimator_, X, "predict_proba")
        return np.column_stack([1.0 - positive, positive])
