"""Classifiers for which one fitted learner answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench.learners import LearnerClassifier, boundary, if_learner_has, positive_scores, score_method

__all__ = ["LearnerAnswers"]


class LearnerAnswers(LearnerClassifier):
    """Base of classifiers whose ``estimator_``, fitted on the codes 0 and 1, answers for them."""

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the learner's probability less one half, or its decision; at least 0 means positive.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n,)
        """
        X = self._validate_rows(X)
        method = score_method(self.estimator_)
        return positive_scores(self.estimator_, X, method) - boundary(method)

    @if_learner_has("predict_proba")
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the learner's probabilities of the unlabelled and the labelled class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n, 2)
        """
        X = self._validate_rows(X)
        positive = positive_scores(self.estimator_, X, "predict_proba")
        return np.column_stack([1.0 - positive, positive])
