"""Robust-PU: U treated as negative, and weighted down where that looks wrong (Zhu et al., 2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pubench_risk.losses import Objective
from pubench_risk.training import Model

from pubench.base import Real, Rule, Whole, mixed_batches
from pubench_modern.loop import run_batches, train
from pubench_modern.nonnegative import NonNegative
from pubench_modern.objectives import BatchLoss, CrossEntropy
from pubench_modern.rows import Sample

__all__ = ["RobustPU", "easy_weights"]

Floats = NDArray[np.float64]


def easy_weights(margins: Floats, threshold: float) -> Floats:
    r"""Return weights in (0, 1] that fall with the logistic loss of margins, shape (n,).

    :math:`w = \exp(-\ell / \lambda^2)`: a small threshold :math:`\lambda` trusts only the easiest rows.
    """
    weights: Floats = np.exp(-np.logaddexp(0.0, -margins) / threshold**2)
    return weights


@dataclass(eq=False, repr=False, kw_only=True)
class RobustPU(NonNegative):
    r"""P against U, where each row weighs less the harder it is for the current model.

    After ``warm_up`` epochs of nnPU, every ``round_length`` epochs all rows are weighed again by
    :func:`easy_weights`, P as positives and U as negatives, with a threshold that rises from ``first_threshold`` to
    ``last_threshold``: easy rows come first. Between that, the model lowers

    .. math:: \pi\, \overline{w\, \ell(f)}_P + (1 - \pi)\, \overline{w\, \ell(-f)}_U,

    both as weighted means. This is the small form of the method: the prior takes the place of the validation set with
    true classes, by which the authors choose the epoch.

    Parameters
    ----------
    prior, scenario, loss, beta, gamma, engine, device, l2, standardize, layers, units, activation, \
learning_rate, batch_size, epochs, average_epochs, random_state
        See :class:`pubench_modern.nonnegative.NonNegative`; ``loss``, ``beta`` and ``gamma`` are of the warm-up.
    warm_up : int, default=30
        The first epochs, which are nnPU.
    round_length : int, default=5
        The number of epochs between two weighings.
    first_threshold, last_threshold : float, default=0.5 and 1.0
        The threshold of the first and of the last weighing; a small one trusts only the easiest rows.
    """

    param_rules: ClassVar[dict[str, Rule]] = NonNegative.param_rules | {
        "warm_up": Whole(low=0),
        "round_length": Whole(low=1),
        "first_threshold": Real(low=0.0, open_low=True),
        "last_threshold": Real(low=0.0, open_low=True),
    }

    warm_up: int = 30
    round_length: int = 5
    first_threshold: float = 0.5
    last_threshold: float = 1.0
    epochs: int = 80

    def _threshold(self, past: int) -> float:
        """Return the threshold of an epoch after the warm-up."""
        reached = min(1.0, past / max(1, self.epochs - self.warm_up - 1))
        return self.first_threshold + reached * (self.last_threshold - self.first_threshold)

    def _train(self, model: Model, sample: Sample, rng: np.random.Generator) -> list[float]:
        risk = Objective(self._masses(sample), self.loss, "nnpu", self.beta, self.gamma)
        weighted = CrossEntropy(self.prior_, 1.0 - self.prior_)
        weights, sign = np.ones(len(sample.s)), np.where(sample.s == 1, 1.0, -1.0)

        def of_risk(scores: Floats, _: NDArray[np.intp], n_p: int) -> BatchLoss:
            found = risk(scores, n_p)
            return BatchLoss(risk.value((found.positive, found.negative)), found.slopes)

        def of_weights(scores: Floats, rows: NDArray[np.intp], n_p: int) -> BatchLoss:
            return weighted(scores, n_p, weights[rows])

        def epoch(number: int) -> float:
            past = number - self.warm_up
            if past >= 0 and past % self.round_length == 0:
                weights[:] = easy_weights(sign * model.scores(sample.X), self._threshold(past))
            parts = mixed_batches(sample.s, self.batch_size, rng)
            return run_batches(model, sample.X, parts, of_weights if past >= 0 else of_risk)

        return train(model, epoch, self._schedule())
