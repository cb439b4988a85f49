"""Ada-PU of Zhao et al. (2022): boosting of decision stumps on positive and unlabelled rows."""

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
    validate_rows,
)
from pubench.priors import prior_to_use
from pubench.risk import signed_weights
from pubench.specs import Scenario
from pubench_adapu._stumps import add_votes
from pubench_adapu.binning import MOST_BINS, bin_features
from pubench_adapu.boosting import MOST_GROWTH, Normalize, Settings, Stopped, Thresholds, boost

__all__ = ["AdaPU"]


class AdaPU(PUClassifier):
    r"""AdaBoost over decision stumps, with errors and weights estimated from P and U.

    A labelled row counts as a positive and also, with a weight that is usually negative, as a negative. An unlabelled
    row counts as a negative. Let :math:`a_i` be the weight of row i as a positive (0 in U) and :math:`b_i` its weight
    as a negative; all weights sum to 1. The errors of a stump :math:`h` are (Eq. 15)

    .. math::

        \hat\epsilon_{nn} = \sum_{h(x_i) = 1} b_i, \qquad
        \hat\epsilon = \sum_{h(x_i) = -1} a_i + \hat\epsilon_{nn}.

    Each round selects the stump with the smallest :math:`\hat\epsilon` (the largest
    :math:`\hat E = 1 - 2 \hat\epsilon`, Eq. 14) among those with :math:`\hat\epsilon < 1/2` and
    :math:`\hat\epsilon_{nn} \ge 0`, adds it to :math:`H = \sum_t \alpha_t h_t` with
    :math:`\alpha_t = \frac{\beta}{2} \ln\frac{1 - \hat\epsilon}{\hat\epsilon}`
    (Eq. 9), multiplies :math:`a_i` by :math:`e^{-\alpha_t h_t(x_i)}` and :math:`b_i` by
    :math:`e^{\alpha_t h_t(x_i)}` (Eq. 13), and normalises the weights. They start at
    :func:`pubench.risk.signed_weights`. With ``normalize="signed"``, the product of the normalisers is the PU risk of H
    under the exponential loss, and no round increases it.

    There are four differences from the paper. Both polarities of each stump are tried. ``beta`` enters the update
    of the weights, as in scikit-learn's AdaBoost: a factor of the final sum alone would not change any decision.
    Features are binned once, which has no effect on a feature with at most ``max_bins`` values. The guard is an
    addition: see ``guard``.

    Parameters
    ----------
    n_estimators : int, default=100
        The maximal number of rounds.
    beta : float, default=0.1
        Shrinks each vote; above 0 and at most 1. The paper uses 0.00125 to 0.9, depending on the data set. Of six
        values from 0.00125 to 1, 0.1 was the best at 100 rounds, or within a point of it, on nine of ten data sets
        (``benchmarks/adapu.py --accuracy``): smaller values make too little progress in so few rounds, and larger
        ones trigger the guard after a few coarse steps. On a few hundred rows, try smaller values.
    thresholds : "all" or int, default=10
        The cuts to try for each feature in each round: all, or this many, at values drawn uniformly from the
        feature's range, as in the paper (S = 10). A drawn value stands for the cut just above the bins that hold no
        larger value (at least the first). If no drawn cut qualifies, all are tried. Both take the same time;
        drawing spreads the stumps over more features, which usually improves accuracy a little.
    guard : float or None, default=4.0
        Stop before a round in which the weights of U would reach this many times their initial share of the
        weights of negatives (the sum of all :math:`b_i`), which is :math:`1 / (1 - \pi)` in the case-control
        scenario. Beyond that, U and P as negatives nearly cancel: only noise is left, and boosting it ends with all
        rows predicted positive. The first round is always done. Between 1 and 1e6; None leaves only the limit due to
        rounding, 1e6, or no limit if ``normalize`` is "sets".
    normalize : {"signed", "sets"}, default="signed"
        How the weights enter the errors. "signed" divides all weights by their sum, as the paper prints. "sets"
        normalises P as positives, P as negatives and U separately, each to its initial sum, as the authors' program
        does:

        .. math::

            \hat\epsilon = \pi \frac{\sum_{P, h = -1} a_i}{\sum_P a_i}
            + m_P \frac{\sum_{P, h = 1} b_i}{\sum_P b_i} + m_U \frac{\sum_{U, h = 1} b_i}{\sum_U b_i},

        where :math:`m_P` and :math:`m_U` are the first sums of :math:`b_i` over P and over U, :math:`-\pi` and 1 in
        the case-control scenario. The stump of largest :math:`\hat E` under the weights as they are is still selected.
        Then the errors do not cancel, and no ``beta`` needs the guard; but fewer rows are predicted positive than the
        prior says, and if positives are rare, sometimes none. With the guard, "signed" has a higher F1
        (``benchmarks/collapse.py``).
    max_bins : int, default=256
        The maximal number of bins of a feature, 2 to 256.
    prior : float or str, default="estimate"
        Pr(y = 1), strictly between 0 and 1, or ``"estimate"``, or the name of a prior estimator.
    scenario : {"case-control", "single-training-set"}
        Whether U, or P and U together, are a sample of the population.
    random_state : int, RandomState instance or None, default=None
        Seed of the drawn thresholds; no effect if ``thresholds`` is "all".

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    prior_ : float
        The prior that was used.
    prior_interval_ : tuple of float
        The ends of its interval; both are the prior if it was given.
    stumps_ : structured ndarray of shape (n_estimators_,)
        Fields ``feature``, ``threshold``, ``polarity``, ``alpha`` and ``error``, the last under the weights of the
        stump's round. A row votes ``polarity * alpha`` if its value is above the threshold, else the opposite.
        The error is at least that of half a row, 1 / 2n, so the vote of a perfect stump is finite.
    n_estimators_ : int
        The number of rounds done.
    stopped_ : str
        Why boosting stopped: "n_estimators", "no stump" (none qualifies), "perfect stump" (no error is left),
        "guard", or "cancellation" (the limit due to rounding, without a guard; never with ``normalize="sets"``).
    bias_ : float
        Added to all votes: 0, or half the log odds of the prior, the best constant, if no stump qualified in the
        first round, for example because all features are constant.
    feature_importances_ : ndarray of shape (d,)
    n_features_in_ : int
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "n_estimators": Whole(low=1),
        "beta": Real(low=0.0, high=1.0, open_low=True),
        "thresholds": Either(OneOf(("all",)), Whole(low=1)),
        "guard": Either(OneOf((None,)), Real(low=1.0, high=MOST_GROWTH)),
        "normalize": OneOf(("sets", "signed")),
        "max_bins": Whole(low=2, high=MOST_BINS),
        "prior": PRIOR,
        "scenario": SCENARIO,
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
        normalize: Normalize = "signed",
        max_bins: int = MOST_BINS,
        prior: float | str = "estimate",
        scenario: Scenario = UNSTATED,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.beta = beta
        self.thresholds = thresholds
        self.guard = guard
        self.normalize = normalize
        self.max_bins = max_bins
        self.prior = prior
        self.scenario = scenario
        self.random_state = random_state

    def _poor_score(self) -> bool:
        return self.scenario == "case-control"

    def _fit(self, X: Rows, s: Labels) -> None:
        self.prior_ = prior_to_use(self, X, s)
        settings = Settings(self.n_estimators, self.beta, self.thresholds, self.guard, self.normalize)
        self.stumps_: NDArray[np.void]
        self.stopped_: Stopped
        self.stumps_, self.stopped_ = boost(
            bin_features(X, s, self.max_bins),
            signed_weights(s, self.prior_, self.scenario_),
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
        """The share of each feature's stumps in all votes, shape (d,); zeros if there are no stumps."""
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
