"""LBE: classes and labelling bias by gradient steps on two models (Gong et al., 2021)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pubench_modern.classifier import NetworkClassifier
from pubench_modern.loop import finite, run_batches, train
from pubench_modern.objectives import BatchLoss, CrossEntropy, soft_cross_entropy
from pubench_modern.rows import Sample
from pubench_risk.engines import new_model
from pubench_risk.training import Model, blockwise
from scipy.special import expit

from pubench.base import Labels, Rows, Rule, Whole, validate_rows
from pubench.specs import Scenario
from pubench_sar.likelihood import class_posterior, log_likelihood

__all__ = ["LBE", "propensity_loss"]

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]


def propensity_loss(scores: Floats, s: Floats, posterior: Floats) -> BatchLoss:
    r"""Return the cross-entropy of labels under propensities, where each row counts as much as it is positive.

    .. math:: -\frac{1}{n} \sum_i \Pr(y_i = 1 | x_i, s_i) \left[s_i \ln e_i + (1 - s_i) \ln(1 - e_i)\right]

    Without the posterior as a weight, e would learn Pr(s = 1 | x).

    Parameters
    ----------
    scores, s, posterior : arrays of shape (n,)
    """
    losses = posterior * (np.logaddexp(0.0, scores) - s * scores)
    return BatchLoss(float(losses.mean()), posterior * (expit(scores) - s) / len(scores))


@dataclass(eq=False, repr=False, kw_only=True)
class LBE(NetworkClassifier):
    r"""Models of the class and of the propensity that take turns, on a single training set.

    The labels have :math:`\Pr(s = 1 | x) = f(x) e(x)`. After ``warm_up`` epochs of P against U, each epoch computes the
    posterior of the classes (:func:`pubench_sar.likelihood.class_posterior`), and takes a round of steps on the
    cross-entropy of f to it and on :func:`propensity_loss`. No prior is used. As with SAR-EM, the data do not identify
    f and e: what is found is near the start.

    Parameters
    ----------
    warm_up : int, default=20
        The first epochs, in which P and U weigh the same.
    layers : int, default=1
        1 makes both models linear, as in the paper's first form; more layers make both perceptrons.
    engine, device, l2, standardize, units, activation, learning_rate, batch_size, epochs, average_epochs, random_state
        See :class:`pubench_modern.classifier.NetworkClassifier`.

    Attributes
    ----------
    propensity_network_ : Network
    likelihood_curve_ : ndarray of shape (t,)
        The mean log-likelihood of the labels before each epoch.
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        name: rule
        for name, rule in NetworkClassifier.param_rules.items()
        if name not in ("prior", "scenario")
    } | {"warm_up": Whole(low=0)}

    # Fixed: no prior is used, and labels of a case-control sample have no propensity.
    prior: None = field(default=None, init=False)
    scenario: Scenario = field(default="single-training-set", init=False)
    warm_up: int = 20
    layers: int = 1
    l2: float = 0.001
    learning_rate: float = 0.01
    epochs: int = 100

    def _poor_score(self) -> bool:
        # In scikit-learn's checks all positive rows are labelled: nothing distinguishes the class from the propensity.
        return True

    def _find_prior(self, X: Rows, s: Labels) -> None:
        """Find none: the method uses no prior."""

    def _train(self, model: Model, sample: Sample, rng: np.random.Generator) -> list[float]:
        propensities = new_model(self._design(sample.X.shape[1]), sample.X, rng)
        s, curve = sample.s.astype(np.float64), []
        n_p = int(sample.s.sum())
        balanced = CrossEntropy(0.5, 0.5)
        rows = np.concatenate([np.flatnonzero(sample.s == 1), np.flatnonzero(sample.s == 0)])

        def warm(_: int) -> float:
            return run_batches(model, sample.X, _stratified(rows, n_p, self.batch_size, rng), of_labels)

        def of_labels(scores: Floats, _: Numbers, count: int) -> BatchLoss:
            return balanced(scores, count)

        def epoch(number: int) -> float:
            if number < self.warm_up:
                return warm(number)
            f, e = (expit(finite(one.scores(sample.X))) for one in (model, propensities))
            curve.append(log_likelihood(f, e, sample.s))
            posterior = class_posterior(f, e, sample.s)
            parts = list(_shuffled(len(s), self.batch_size, rng))
            found = run_batches(
                model, sample.X, parts, lambda scores, of, _: soft_cross_entropy(scores, posterior[of])
            )
            run_batches(
                propensities,
                sample.X,
                parts,
                lambda scores, of, _: propensity_loss(scores, s[of], posterior[of]),
            )
            return found

        losses = train(model, epoch, self._schedule())
        self.likelihood_curve_ = np.array(curve)
        self.propensity_network_ = propensities.trained()
        return losses

    def predict_propensity(self, X: Rows) -> Floats:
        """Return the estimated Pr(s = 1 | y = 1, x), shape (n,)."""
        X = validate_rows(self, X)

        def propensity(rows: Any) -> Floats:
            found: Floats = expit(np.asarray(self.propensity_network_.scores(self.scaling_.apply(rows))))
            return found

        return blockwise(propensity, X)


def _shuffled(n: int, size: int, rng: np.random.Generator) -> list[tuple[Numbers, int]]:
    order = rng.permutation(n)
    return [(part, 0) for part in np.array_split(order, max(1, -(-n // size)))]


def _stratified(rows: Numbers, n_p: int, size: int, rng: np.random.Generator) -> list[tuple[Numbers, int]]:
    count = min(max(1, -(-len(rows) // size)), n_p, len(rows) - n_p)
    P, U = (np.array_split(rng.permutation(part), count) for part in (rows[:n_p], rows[n_p:]))
    return [(np.concatenate([some_p, some_u]), len(some_p)) for some_p, some_u in zip(P, U, strict=True)]
