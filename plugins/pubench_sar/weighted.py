"""nnPU with labelled rows weighted by 1 / propensity, known or estimated (Bekker et al., 2019; Wang et al., 2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pubench_modern.loop import run_batches, train
from pubench_modern.nonnegative import NonNegative
from pubench_modern.objectives import BatchLoss
from pubench_modern.rows import Sample
from pubench_risk.losses import Loss, Masses, slope_pair
from pubench_risk.training import Model, blockwise
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d

from pubench.base import Labels, Rows, mixed_batches, validate_rows
from pubench.risk import loss_pair
from pubench.specs import Scenario

__all__ = ["PUWeighted", "WeightedRisk", "estimate_propensity"]

Floats = NDArray[np.float64]

# A labelled row counts at most this many times as much as the mean one, so that single rows do not decide.
_MOST = 20.0
_FOLDS = 5


@dataclass(frozen=True, slots=True)
class WeightedRisk:
    r"""nnPU's risk where each labelled row has a weight of its own, with mean 1.

    .. math:: \pi \overline{w \ell(f)}_P + \left[\overline{\ell(-f)} - \pi \overline{w \ell(-f)}_P\right]_+

    where the mean without an index is over the population. With equal weights this is nnPU.
    """

    masses: Masses
    loss: Loss
    beta: float
    gamma: float

    def __call__(self, scores: Floats, n_p: int, weights: Floats) -> BatchLoss:
        """Judge a batch whose first ``n_p`` rows are labelled, with weights of shape (n_p,)."""
        prior, n_u = self.masses.positive, len(scores) - n_p
        as_positive = prior * weights / n_p
        # What P counts for as a part of the population, less what it counts for as positives.
        in_p = (self.masses.negative + prior) / n_p - as_positive
        in_u = np.full(n_u, self.masses.unlabelled / n_u)
        as_negative = np.concatenate([in_p, in_u])
        if_positive, if_negative = loss_pair(scores, self.loss)
        negative = float(as_negative @ if_negative)
        positive = float(as_positive @ if_positive[:n_p])
        up, down = slope_pair(scores, self.loss)
        slopes = as_negative * down
        if negative < -self.beta:
            return BatchLoss(positive, -self.gamma * slopes)
        slopes[:n_p] += as_positive * up[:n_p]
        return BatchLoss(positive + max(0.0, negative), slopes)


def estimate_propensity(X: Any, s: Labels, scenario: Scenario, seed: int) -> Floats:
    """Return Pr(s = 1 | y = 1, x) up to a factor, shape (n,), as if every row were certainly positive.

    It is the out-of-fold probability of a label by logistic regression; in case-control data its odds. That is right
    where the classes do not overlap: elsewhere Pr(s = 1 | x) also falls where positives are rare.
    """
    folds = min(_FOLDS, *np.bincount(s))
    if folds < 2:
        return np.ones(len(s))
    split = StratifiedKFold(folds, shuffle=True, random_state=seed)
    found: Floats = cross_val_predict(
        LogisticRegression(max_iter=1000), X, s, cv=split, method="predict_proba"
    )[:, 1]
    found = np.clip(found, 1e-6, 1.0 - 1e-6)
    return found / (1.0 - found) if scenario == "case-control" else found


class PUWeighted(NonNegative):
    r"""nnPU on labelled rows that are weighted by 1 / propensity, which undoes biased labelling.

    With :math:`w_i \propto 1 / e(x_i)` and mean 1, the weighted labelled rows are a sample of all positives. A constant
    propensity gives nnPU. Propensities are given to ``fit`` (the registered ``oracle-propensity`` is given the true
    ones) or estimated by :func:`estimate_propensity`, which assumes classes that hardly overlap.

    Parameters
    ----------
    prior, scenario, loss, beta, gamma, engine, device, l2, standardize, layers, units, activation, \
learning_rate, batch_size, epochs, average_epochs, random_state
        See :class:`pubench_modern.nonnegative.NonNegative`.

    Attributes
    ----------
    weights_ : ndarray of shape (n_p,)
        The weights of the labelled rows, in the order of X.
    propensity_model_ : LogisticRegression
        What :meth:`predict_propensity` uses, after a fit to a single training set that estimated propensities.
    """

    def fit(self, X: Rows, y: ArrayLike, propensity: ArrayLike | None = None) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array-like of shape (n,)
            The larger of two classes marks labelled positive rows.
        propensity : array-like of shape (n,), optional
            Pr(s = 1 | y = 1, x) of each row, above 0; those of unlabelled rows are not used. Estimated unless given.

        Returns
        -------
        self
        """
        checked: list[Rows | Labels] = [*self._validate(X, y)]
        s = checked.pop()
        self.__dict__.pop("propensity_model_", None)  # of an earlier fit
        self._given = None if propensity is None else _checked(propensity, s)
        try:
            self._fit(checked.pop(), s)
        finally:
            del self._given
        return self

    def _train(self, model: Model, sample: Sample, rng: np.random.Generator) -> list[float]:
        seed = int(rng.integers(2**31)) if self._given is None else 0
        e = self._given
        if e is None:
            e = estimate_propensity(sample.X, sample.s, self.scenario_, seed)
            if self.scenario_ == "single-training-set":
                self.propensity_model_ = LogisticRegression(max_iter=1000).fit(sample.X, sample.s)
        weights = np.zeros(len(sample.s))
        weights[sample.s == 1] = self.weights_ = inverse_weights(e[sample.s == 1])
        risk = WeightedRisk(self._masses(sample), self.loss, self.beta, self.gamma)

        def loss(scores: Floats, rows: NDArray[np.intp], n_p: int) -> BatchLoss:
            return risk(scores, n_p, weights[rows[:n_p]])

        def epoch(_: int) -> float:
            parts = mixed_batches(sample.s, self.batch_size, rng)
            return run_batches(model, sample.X, parts, loss)

        return train(model, epoch, self._schedule())

    @available_if(lambda model: hasattr(model, "propensity_model_"))
    def predict_propensity(self, X: Rows) -> Floats:
        """Return the estimated Pr(s = 1 | y = 1, x), shape (n,), as if every row were certainly positive.

        It exists after a fit to a single training set without given propensities; in case-control data they are known
        only up to a factor.
        """
        X = validate_rows(self, X)

        def propensity(rows: Any) -> Floats:
            found: Floats = self.propensity_model_.predict_proba(self.scaling_.apply(rows))[:, 1]
            return found

        return blockwise(propensity, X)


def inverse_weights(propensity: Floats) -> Floats:
    """Return weights of shape (n_p,) with mean 1 that are proportional to 1 / propensity, up to a largest one."""
    weights = 1.0 / propensity
    weights = np.minimum(weights / weights.mean(), _MOST)
    scaled: Floats = weights / weights.mean()
    return scaled


def _checked(propensity: ArrayLike, s: Labels) -> Floats:
    try:
        found: Floats = column_or_1d(np.asarray(propensity, dtype=np.float64))
    except (TypeError, ValueError):
        raise ValueError(f"propensity must be a list of numbers, one for each of the {len(s)} rows") from None
    if len(found) != len(s):
        raise ValueError(f"propensity has {len(found)} values for {len(s)} rows; give one for each row")
    on_p = found[s == 1]
    if not (np.isfinite(on_p).all() and (on_p > 0.0).all()):
        raise ValueError("the propensity of a labelled row must be a number above 0")
    return found
