"""Supervised learners that see as few true negatives as make them comparable to PU learning."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length, check_random_state

from pubench.base import Either, Estimator, OneOf, Real, Rows, Rule, Whole
from pubench.learners import classifier_named
from pubench_baselines.delegate import Delegate

__all__ = ["PositiveNegativeSample", "n_negatives", "positive_negative"]


class PositiveNegativeSample(Delegate):
    r"""A supervised learner fitted on a sample of true positives and true negatives: a reference.

    It sees :math:`n_p` positives, as many as a PU learner has labelled rows, and
    :math:`n_n = (\pi_n / 2 \pi_p)^2 n_p` negatives. With this number, the error bounds of PN and PU learning are the
    same in the limit of many unlabelled rows (Niu et al., 2016). Zhao et al. (2022), section 5.1, compare boosting
    methods in this way.

    Parameters
    ----------
    estimator : scikit-learn classifier or None, default=None
        The learner, cloned before fitting; None is ``LogisticRegression()``.
    prior : float or "estimate", default="estimate"
        :math:`\pi_p`, strictly between 0 and 1; :math:`\pi_n = 1 - \pi_p`. ``"estimate"`` is the share of positives
        among the rows, whose classes are known.
    n_labelled : int or None, default=None
        :math:`n_p`; None takes all positives.
    random_state : int, RandomState instance or None, default=None
        Seed of the draw of rows. If given, it also replaces every ``random_state`` in the learner and its parts.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the positive class.
    prior_ : float
        The prior that was used.
    estimator_ : classifier
        The learner fitted on the sample.
    sample_ : ndarray of shape (n_p + n_n,)
        The indices of the rows drawn, in ascending order.
    n_features_in_ : int
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "prior": Either(Real(0.0, 1.0, open_low=True, open_high=True), OneOf(("estimate",))),
        "n_labelled": Either(Whole(low=1), OneOf((None,))),
    }

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        prior: float | str = "estimate",
        n_labelled: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.n_labelled = n_labelled
        self.random_state = random_state

    def _training_rows(self, X: Rows, codes: NDArray[np.int64]) -> tuple[Rows, NDArray[np.int64]]:
        # The learner decides whether rows may hold NaN, and what columns a table may have. What is not a number in an
        # array is refused whichever rows are drawn.
        dtype = None if hasattr(X, "iloc") else "numeric"
        rows = check_array(X, accept_sparse="csr", ensure_all_finite=False, dtype=dtype, estimator=self)
        check_consistent_length(rows, codes)
        positives, negatives = np.flatnonzero(codes == 1), np.flatnonzero(codes == 0)
        n_p = min(len(positives) if self.n_labelled is None else self.n_labelled, len(positives))
        self.prior_ = float(codes.mean() if isinstance(self.prior, str) else self.prior)
        n_n = min(n_negatives(n_p, self.prior_), len(negatives))
        rng = check_random_state(self.random_state)
        drawn = [rng.choice(positives, n_p, replace=False), rng.choice(negatives, n_n, replace=False)]
        self.sample_ = np.sort(np.concatenate(drawn))
        # A table stays a table: the learner records the column names, which later rows must have.
        drawn_rows = X.iloc[self.sample_] if hasattr(X, "iloc") else rows[self.sample_]
        return drawn_rows, codes[self.sample_]


def n_negatives(n_positives: int, prior: float) -> int:
    """Return (pi_n / (2 pi_p))^2 n_p as a whole number, at least 1."""
    return max(1, round(((1.0 - prior) / (2.0 * prior)) ** 2 * n_positives))


def positive_negative(
    classifier: str = "sklearn.linear_model:LogisticRegression",
    *,
    prior: float | str = "estimate",
    n_labelled: int | None = None,
    random_state: int | np.random.RandomState | None = None,
    **params: Any,
) -> PositiveNegativeSample:
    """Return a classifier chosen by name that sees few true negatives.

    Parameters
    ----------
    classifier : str
        ``"package.module:Class"`` of a scikit-learn classifier.
    prior : float or "estimate", default="estimate"
        The share of positives in the population; ``"estimate"`` takes it from the true classes.
    n_labelled : int or None, default=None
        The number of positives it is shown; None shows all.
    random_state : int, RandomState instance or None, default=None
        Seed of the draw of rows, and of the classifier.
    **params
        Parameters of the classifier.

    Returns
    -------
    PositiveNegativeSample
    """
    return PositiveNegativeSample(
        classifier_named(classifier)(**params),
        prior=prior,
        n_labelled=n_labelled,
        random_state=random_state,
    )
