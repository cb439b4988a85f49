"""In the child: a fitted model whose decisions or probabilities come from its out-of-fold scores, where asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pubench.child.fitting import Estimator, predict
from pubench.protocol import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pubench.data.values import Matrix
    from pubench.estimators.calibration import Sigmoid
    from pubench.specs import Scenario

    Indices = NDArray[np.intp]

__all__ = ["Decisions", "FittedModel", "learn_decisions"]


@dataclass(frozen=True, slots=True)
class Decisions:
    """What is learned from out-of-fold scores: the least score that means "positive", and probabilities."""

    cut: float | None = None
    sigmoid: Sigmoid | None = None


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A fitted estimator, and what replaces its own decisions and probabilities."""

    estimator: Estimator
    decisions: Decisions | None = None

    def predict(self, X: Matrix) -> Predictions:
        """Return the predictions for rows of shape (n, d)."""
        own = predict(self.estimator, X)
        if self.decisions is None:
            return own
        from pubench.estimators.out_of_fold import ranking_scores

        scores, found = ranking_scores(self.estimator, X), own
        if self.decisions.cut is not None:
            above = scores - self.decisions.cut
            found = replace(found, score=above, decision=(above >= 0).astype(np.uint8))
        if self.decisions.sigmoid is not None:
            found = replace(found, probability=self.decisions.sigmoid.probability(scores))
        return found


def learn_decisions(
    fit: Callable[[Matrix, NDArray[np.uint8]], Estimator],
    X: Matrix,
    s: NDArray[np.uint8],
    *,
    prior: float,
    scenario: Scenario,
    cut: bool,
    calibrated: bool,
    seed: int,
) -> Decisions:
    """Fit on five folds, and learn the cut at the prior, or probabilities, from the scores of the rows left out."""
    # Most cells need none of this, and what it imports.
    from pubench.estimators.calibration import fit_sigmoid
    from pubench.estimators.out_of_fold import out_of_fold_scores, ranking_scores
    from pubench.estimators.prior_cut import population_cut

    def score(train: Indices | None, test: Indices) -> NDArray[np.float64]:
        rows = np.arange(len(s)) if train is None else train
        return ranking_scores(fit(X[rows], s[rows]), X[test])

    scores = out_of_fold_scores(score, s, seed=seed)
    return Decisions(
        population_cut(scores, s, prior=prior, scenario=scenario) if cut else None,
        fit_sigmoid(scores, s, prior=prior, scenario=scenario) if calibrated else None,
    )
