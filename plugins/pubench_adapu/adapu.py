"""Ada-PU, the boosting of stumps on positive and unlabelled rows of Zhao et al. (2022)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils import check_random_state

from pubench.base import (
    PRIOR,
    Either,
    Labels,
    OneOf,
    PUClassifier,
    Real,
    RowRules,
    Rows,
    Rule,
    Whole,
    validate_rows,
)
from pubench.priors import prior_to_use
from pubench.risk import signed_weights
from pubench.specs import SCENARIOS, Scenario
from pubench_adapu._stumps import add_votes
from pubench_adapu.binning import MOST_BINS, bin_features
from pubench_adapu.boosting import MOST_GROWTH, Settings, Stopped, Thresholds, boost

__all__ = ["AdaPU"]


class AdaPU(PUClassifier):
    r"""AdaBoost over decision stumps, with errors and weights estimated from P and U.

    A labelled row counts as a positive and, with a weight that is usually below zero, as a negative; an unlabelled
    row counts as a negative. With :math:`a_i` the weight of row i as a positive (0 in U) and :math:`b_i` its weight
    as a negative, all adding up to 1, a stump :math:`h` has (Eq. 15)

    .. math::

        \hat\epsilon_{nn} = \sum_{h(x_i) = 1} b_i, \qquad
        \hat\epsilon = \sum_{h(x_i) = -1} a_i + \hat\epsilon_{nn}.

    Each round takes the stump of least :math:`\hat\epsilon` (largest :math:`\hat E = 1 - 2 \hat\epsilon`, Eq. 14)
    among those with :math:`\hat\epsilon < 1/2` and :math:`\hat\epsilon_{nn} \ge 0`, adds it to
    :math:`H = \sum_t \alpha_t h_t` with :math:`\alpha_t = \frac{\beta}{2} \ln\frac{1 - \hat\epsilon}{\hat\epsilon}`
    (Eq. 9), multiplies :math:`a_i` by :math:`e^{-\alpha_t h_t(x_i)}` and :math:`b_i` by
    :math:`e^{\alpha_t h_t(x_i)}` (Eq. 13), and divides by the sum. The start is that of
    :func:`pubench.risk.signed_weights`; so the product of the sums is the PU risk of H under the exponential loss,
    which no round raises.

    Four things differ from the paper's text. Both polarities of each stump are tried. ``beta`` enters the update
    of the weights, as in scikit-learn's AdaBoost: a factor of the final sum alone would change no decision.
    Features are binned once, which leaves the stumps as they are where a feature has at most ``max_bins`` values.
    And there is a guard, which is ours: see ``guard``.

    Parameters
    ----------
    n_estimators : int, default=100
        Rounds at most.
    beta : float, default=0.1
        Shrinks each vote; above 0 and at most 1. The paper takes 0.00125 to 0.9, by data set. Of six values from
        0.00125 to 1, 0.1 was the best at 100 rounds, or within a point of it, on nine data sets of ten
        (``benchmarks/adapu.py --accuracy``): less does not get far in so few rounds, and more makes the guard stop
        after a few coarse steps. On a few hundred rows, less is worth trying.
    thresholds : "all" or int, default=10
        The cuts to try for each feature in each round: all, or those next to so many values drawn evenly from the
        feature's range, as in the paper (S = 10). A drawn value stands for the cut just above the bins that hold no
        larger value (at least the first); where no cut drawn qualifies, all are tried. Both take the same time;
        drawing spreads the stumps over more features, which is mostly worth a little accuracy.
    guard : float or None, default=4.0
        Stop before a round in which the weights of U would reach this many times their starting share of the
        weights of negatives (the sum of all :math:`b_i`), which is :math:`1 / (1 - \pi)` in the case-control
        scenario. U and P as negatives then nearly cancel: what is left is noise, and boosting it ends in all rows
        being positive. The first round is always done. Between 1 and 1e6; None leaves only the bound that rounding
        sets, 1e6.
    max_bins : int, default=256
        Bins of a feature at most, 2 to 256.
    prior : float or str, default=0.5
        Pr(y = 1), strictly between 0 and 1, or ``"estimate"``, or the name of a prior estimator.
    scenario : {"case-control", "single-training-set"}, default="case-control"
        Whether U alone or P and U together stand for the population.
    random_state : int, RandomState instance or None, default=None
        Draws the thresholds; without influence if ``thresholds`` is "all".

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    prior_ : float
        The prior that was used.
    stumps_ : structured ndarray of shape (n_estimators_,)
        Fields ``feature``, ``threshold``, ``polarity``, ``alpha`` and ``error``, the last under the weights of the
        stump's round. A row votes ``polarity * alpha`` if its value is above the threshold, else the opposite.
        A stump's error counts as half a row, 1 / 2n, at least: the vote of one without error is finite.
    n_estimators_ : int
        Rounds done.
    stopped_ : str
        Why not more: "n_estimators", "no stump" (none qualifies), "perfect stump" (no error is left to learn from),
        "guard", or "cancellation" (the bound of rounding, without a guard).
    bias_ : float
        Added to all votes: 0, unless no stump qualified from the start, as when all features are constant; then
        the best constant, half the log odds of the prior.
    feature_importances_ : ndarray of shape (d,)
    n_features_in_ : int
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "n_estimators": Whole(low=1),
        "beta": Real(low=0.0, high=1.0, open_low=True),
        "thresholds": Either(OneOf(("all",)), Whole(low=1)),
        "guard": Either(OneOf((None,)), Real(low=1.0, high=MOST_GROWTH)),
        "max_bins": Whole(low=2, high=MOST_BINS),
        "prior": PRIOR,
        "scenario": OneOf(SCENARIOS),
    }

    # float32 stays float32, anything else becomes float64.
    row_rules = RowRules(dtype=(np.float64, np.float32))

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        beta: float = 0.1,
        thresholds: Thresholds = 10,
        guard: float | None = 4.0,
        max_bins: int = MOST_BINS,
        prior: float | str = 0.5,
        scenario: Scenario = "case-control",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.beta = beta
        self.thresholds = thresholds
        self.guard = guard
        self.max_bins = max_bins
        self.prior = prior
        self.scenario = scenario
        self.random_state = random_state

    def _poor_score(self) -> bool:
        return self.scenario == "case-control"

    def _fit(self, X: Rows, s: Labels) -> None:
        self.prior_ = prior_to_use(self, X, s)
        settings = Settings(self.n_estimators, self.beta, self.thresholds, self.guard)
        self.stumps_: NDArray[np.void]
        self.stopped_: Stopped
        self.stumps_, self.stopped_ = boost(
            bin_features(X, s, self.max_bins),
            signed_weights(s, self.prior_, self.scenario),
            int(s.sum()),
            settings,
            check_random_state(self.random_state),
        )
        self.n_estimators_ = len(self.stumps_)
        self.bias_ = 0.0 if self.n_estimators_ else 0.5 * math.log(self.prior_ / (1.0 - self.prior_))

    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """Return H(x), the sum of the stumps' votes, shape (n,); at least 0 means positive."""
        X = validate_rows(self, X)
        return self._vote(X, np.full(len(X), self.bias_), self.stumps_)

    def staged_decision_function(self, X: Rows) -> Iterator[NDArray[np.float64]]:
        """Yield H(x), shape (n,), after each round, at least once; the last is decision_function(X)."""
        X = validate_rows(self, X)
        scores = np.full(len(X), self.bias_)
        for t in range(max(self.n_estimators_, 1)):
            yield self._vote(X, scores, self.stumps_[t : t + 1]).copy()

    def staged_predict(self, X: Rows) -> Iterator[NDArray[np.generic]]:
        """Yield the predicted classes, shape (n,), after each round, at least once; the last are predict(X)."""
        for scores in self.staged_decision_function(X):
            yield self.classes_[(scores >= 0).astype(np.intp)]

    def predict_proba(self, X: Rows) -> NDArray[np.float64]:
        r"""Return the probabilities of both classes for which H minimises the expected exponential loss, shape (n, 2).

        The minimiser is half the log odds, so :math:`\Pr(y = 1 | x) = 1 / (1 + e^{-2 H(x)})`. With a small ``beta``
        and few rounds, H and these probabilities are closer to the middle than the minimiser.
        """
        scores = 2.0 * self.decision_function(X)
        return np.column_stack([expit(-scores), expit(scores)])

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of the votes that each feature's stumps hold, shape (d,); zeros if there are no stumps."""
        votes = np.zeros(self.n_features_in_)
        np.add.at(votes, self.stumps_["feature"], self.stumps_["alpha"])
        return votes / votes.sum() if self.n_estimators_ else votes

    @staticmethod
    def _vote(X: Rows, scores: NDArray[np.float64], stumps: NDArray[np.void]) -> NDArray[np.float64]:
        """Add the stumps' votes to the scores, in place."""
        features, thresholds = (
            np.ascontiguousarray(stumps["feature"]),
            np.ascontiguousarray(stumps["threshold"]),
        )
        add_votes(X, features, thresholds, stumps["polarity"] * stumps["alpha"], scores)
        return scores
