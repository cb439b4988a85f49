"""Naive Bayes from positive and unlabelled rows (Denis, Gilleron and Tommasi, 2002)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from pubench.base import (
    PRIOR,
    SCENARIO,
    UNSTATED,
    Estimator,
    Labels,
    OneOf,
    PUClassifier,
    Real,
    RowRules,
    Rows,
    Rule,
    validate_rows,
)
from pubench.priors import prior_to_use
from pubench.risk import signed_weights
from pubench.specs import Scenario
from pubench_classics.naive_bayes import ModelName, fit_naive_bayes, model_for

__all__ = ["BayesClassifier", "PUNaiveBayes"]


class BayesClassifier(PUClassifier):
    """Base class of classifiers whose ``model_`` is a naive Bayes model; the parameter ``model`` names its kind."""

    row_rules = RowRules(sparse="csr", dtype=np.float64)

    def __sklearn_tags__(self) -> Estimator:
        tags = super().__sklearn_tags__()
        # The rules let sparse rows pass, so that the Gaussian model can refuse them with a remedy.
        tags.input_tags.sparse = self.model != "gaussian"
        tags.input_tags.positive_only = self.model == "multinomial"
        return tags

    def _poor_score(self) -> bool:
        return bool(self.scenario == "case-control")

    def _smoothing(self) -> float:
        return float(self.alpha if self.model_name_ == "multinomial" else self.var_smoothing)

    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """Return log Pr(1 | x) - log Pr(0 | x), shape (n,); at least 0 means positive."""
        check_is_fitted(self)
        X = validate_rows(self, X, accept_sparse="csr" if self.model_name_ == "multinomial" else False)
        odds: NDArray[np.float64] = self.model_.log_odds(X)
        return odds

    def predict_proba(self, X: Rows) -> NDArray[np.float64]:
        """Return Pr(0 | x) and Pr(1 | x); shape (n, 2)."""
        odds = self.decision_function(X)
        return np.column_stack([expit(-odds), expit(odds)])


class PUNaiveBayes(BayesClassifier):
    r"""Naive Bayes whose negative class is the population minus the positives.

    The positive class is estimated from P. The negative class is the population without its share :math:`\pi` of
    positives: each sum over negatives becomes a sum over P and U with the signed weights of the PU risk,

    .. math:: (1 - \pi) \, E[t(x) \mid y = 0] = \sum_P w(-1|P) \, t(x) + \sum_U w(-1|U) \, t(x),

    where t are counts (multinomial), or x and its squared distance from the mean (Gaussian). Negative counts are set
    to 0, as in the paper; Gaussian variances are at least a tenth of those of the population.

    Parameters
    ----------
    prior : float or str, default="estimate"
        :math:`\pi` = Pr(y = 1), strictly between 0 and 1, or ``"estimate"``, or the name of a prior estimator. A
        single-training-set prior below the share of labelled rows, which are all positive, is replaced by that share,
        with a warning.
    scenario : {"case-control", "single-training-set"}
        Whether U, or P and U together, are a sample of the population.
    model : {"auto", "multinomial", "gaussian"}, default="auto"
        ``"auto"`` is multinomial for sparse rows, which are assumed to be counts, and Gaussian for dense ones.
    alpha : float, default=1.0
        Additive smoothing of counts, in the multinomial model.
    var_smoothing : float, default=0.01
        The share of the largest variance of a feature that is added to all variances, in the Gaussian model.
    random_state : int, RandomState instance or None, default=None
        Passed to the prior estimator; nothing else is random.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    prior_ : float
        The prior that was given or estimated.
    prior_interval_ : tuple of float
        The ends of its interval; both are the prior if it was given.
    model_ : Multinomial or Gaussian
    model_name_ : str
        ``"multinomial"`` or ``"gaussian"``.
    n_features_in_ : int

    Notes
    -----
    Denis et al. subtract positive word occurrences in proportion to all occurrences, which assumes that positive and
    negative texts are equally long. Subtracting in proportion to texts needs no such assumption.
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "prior": PRIOR,
        "scenario": SCENARIO,
        "model": OneOf(("auto", "multinomial", "gaussian")),
        "alpha": Real(0.0, open_low=True),
        "var_smoothing": Real(0.0, open_low=True),
    }

    def __init__(
        self,
        prior: float | str = "estimate",
        *,
        scenario: Scenario = UNSTATED,
        model: ModelName = "auto",
        alpha: float = 1.0,
        var_smoothing: float = 0.01,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.prior = prior
        self.scenario = scenario
        self.model = model
        self.alpha = alpha
        self.var_smoothing = var_smoothing
        self.random_state = random_state

    def _fit(self, X: Rows, s: Labels) -> None:
        self.model_name_ = model_for(self.model, X)
        self.prior_ = prior_to_use(self, X, s)
        prior = self.prior_ if self.scenario_ == "case-control" else max(self.prior_, float(s.mean()))
        _, negative = signed_weights(s, prior, self.scenario_).rows(s)
        # In units of rows, like the smoothing.
        weights = (negative / negative.max(), s.astype(np.float64))
        self.model_ = fit_naive_bayes(X, weights, prior, self.model_name_, self._smoothing())
