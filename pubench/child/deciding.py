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

FITS = 6
"""How often :func:`fit_deciding` fits: on five folds, and on all rows."""

__all__ = ["FITS", "Decisions", "FittedModel", "fit_deciding"]


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


def fit_deciding(
    fit: Callable[[Matrix, NDArray[np.uint8]], Estimator],
    X: Matrix,
    s: NDArray[np.uint8],
    *,
    prior_of: Callable[[Estimator], float],
    scenario: Scenario,
    cut: bool,
    calibrated: bool,
    seed: int,
) -> FittedModel:
    """Fit on five folds, learn the cut at the prior or probabilities from rows left out, and fit on all rows.

    ``prior_of`` returns the prior that the model of all rows goes by.
    """
    # Most cells need none of this, and what it imports.
    from pubench.estimators.calibration import fit_sigmoid
    from pubench.estimators.out_of_fold import out_of_fold_scores, ranking_scores
    from pubench.estimators.prior_cut import population_cut, separating_cut

    scores = out_of_fold_scores(fit, X, s, seed=seed)
    estimator = fit(X, s)
    prior, least = prior_of(estimator), None
    sigmoid = fit_sigmoid(scores, s, prior=prior, scenario=scenario) if calibrated else None
    if cut:
        least = population_cut(scores, s, prior=prior, scenario=scenario)
        least = separating_cut(least, ranking_scores(estimator, X), s, prior=prior, scenario=scenario)
    return FittedModel(estimator, Decisions(least, sigmoid))
