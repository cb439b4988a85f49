"""MaxEnt, the method that most species distribution models use, by the package elapid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from elapid import MaxentModel
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from pubench.base import Labels, PUClassifier, Real, RowRules, Rows, Rule, Whole, validate_rows

__all__ = ["MaxEnt"]


class MaxEnt(PUClassifier):
    r"""Maximum entropy modelling of presences against background (Phillips et al., 2006), as elapid computes it.

    Columns are expanded to features :math:`z(x)`, and a logistic regression of P against U with an L1 penalty, rows of
    U weighted by ``class_weights``, gives :math:`\beta`. The relative suitability is
    :math:`q(x) = \exp(z(x)^\top \beta + \alpha)`, with :math:`\alpha` such that it sums to 1 over U, and H is the
    entropy of q over U. The output is the complementary log-log

    .. math:: 1 - \exp(-e^{H} q(x)),

    which says positive from one half. elapid's solver of scikit-learn is used, with or without glmnet, so that results
    do not depend on what else is installed.

    Parameters
    ----------
    feature_types : str, default="lhp"
        Letters of the features: l(inear), q(uadratic), p(roduct), h(inge), t(hreshold).
    beta_multiplier : float, default=1.5
        The size of the penalty.
    n_hinge_features : int, default=10
        The number of hinges of each column.
    class_weights : float, default=100
        The weight of a row of U; one of P has 1.
    max_iter : int, default=1000
        The most steps of the solver.
    tol : float, default=2e-6
        The tolerance of the solver.
    categorical_features : sequence of int or None, default=None
        The columns that hold codes. An unknown code is no category at all.
    random_state : int, RandomState instance or None, default=None
        Seed of the solver.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    estimator_ : elapid.MaxentModel
    n_iter_ : int
        The iterations of the solver.
    n_features_in_ : int
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "beta_multiplier": Real(0.0, open_low=True),
        "n_hinge_features": Whole(low=2),
        "class_weights": Real(0.0, open_low=True),
        "max_iter": Whole(low=1),
        "tol": Real(0.0, open_low=True),
    }
    row_rules = RowRules(dtype=np.float64)

    def __init__(
        self,
        feature_types: str = "lhp",
        *,
        beta_multiplier: float = 1.5,
        n_hinge_features: int = 10,
        class_weights: float = 100.0,
        max_iter: int = 1000,
        tol: float = 2e-6,
        categorical_features: Sequence[int] | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.feature_types = feature_types
        self.beta_multiplier = beta_multiplier
        self.n_hinge_features = n_hinge_features
        self.class_weights = class_weights
        self.max_iter = max_iter
        self.tol = tol
        self.categorical_features = categorical_features
        self.random_state = random_state

    def _fit(self, X: Rows, s: Labels) -> None:
        if not self.feature_types or not set(self.feature_types) <= set("lqpht"):
            raise ValueError(f"feature_types must be letters of 'lqpht', not {self.feature_types!r}")
        codes = sorted(self.categorical_features or ())
        if len(codes) == X.shape[1]:
            raise ValueError("MaxEnt needs a column that holds numbers; all columns hold codes")
        self.estimator_ = MaxentModel(
            feature_types=self.feature_types,
            beta_multiplier=self.beta_multiplier,
            n_hinge_features=self.n_hinge_features,
            class_weights=self.class_weights,
            max_iter=self.max_iter,
            convergence_tolerance=self.tol,
            n_cpus=1,
            use_sklearn=True,
            random_state=int(check_random_state(self.random_state).randint(2**31 - 1)),
        )
        self.estimator_.fit(X, s.astype(np.int64), categorical=codes or None)
        self.n_iter_ = int(np.max(self.estimator_.estimator.n_iter_))
        encoder = self.estimator_.transformer.estimators_["categorical"]
        for one in () if encoder is None else encoder.estimators_:
            one.set_params(handle_unknown="ignore")

    def ranking_score(self, X: Rows) -> NDArray[np.float64]:
        r"""Return :math:`\ln q(x) + H`, shape (n,), which orders rows whose outputs are all nearly 1, too."""
        X, model = validate_rows(self, X), self.estimator_
        linear = model.transformer.transform(X) @ model.beta_scores_
        return np.asarray(linear + model.alpha_ + model.entropy_, dtype=np.float64)

    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """Return the output less one half, shape (n,); not a probability in the population."""
        output = -np.expm1(-np.exp(np.minimum(self.ranking_score(X), 700.0)))
        return np.asarray(output - 0.5, dtype=np.float64)
