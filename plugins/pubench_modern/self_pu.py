"""Self-PU: nnPU that comes to trust its most confident predictions (Chen et al., 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pubench_risk.losses import Objective
from pubench_risk.training import Model
from scipy.special import expit

from pubench.base import Real, Rule, Whole, mixed_batches
from pubench_modern.loop import run_batches, train
from pubench_modern.nonnegative import NonNegative
from pubench_modern.objectives import BatchLoss
from pubench_modern.rows import Sample

__all__ = ["SelfPU", "trusted_labels"]

Floats = NDArray[np.float64]


def trusted_labels(scores: Floats, share: float, positives: float) -> Floats:
    """Return 1 for the most positive rows, -1 for the most negative ones, and 0 for those that are not trusted.

    Parameters
    ----------
    scores : array of shape (n,)
    share : float
        The share of rows that are trusted.
    positives : float
        The share of positives among the trusted rows.
    """
    order, labels = np.argsort(scores, kind="stable"), np.zeros(len(scores))
    above, below = (int(share * part * len(scores)) for part in (positives, 1.0 - positives))
    labels[order[:below]] = -1.0
    labels[order[len(scores) - above :]] = 1.0
    return labels


@dataclass(eq=False, repr=False, kw_only=True)
class SelfPU(NonNegative):
    r"""nnPU with self-paced trusted rows and a teacher that averages the student.

    After ``warm_up`` epochs of nnPU, a share of U that rises to ``trusted`` is labelled by its scores: the largest
    ones positive, the smallest ones negative, in the proportion that the prior implies. Their logistic loss, and
    ``consistency`` times the squared difference between the predictions on U and those of the teacher (the running mean
    of the parameters, which is also the final model), are added to nnPU's risk. This is the small form of the method:
    there is one student, and the weights of trusted rows are not learned by a validation set (self-calibration), which
    would need true classes. With ``trusted = 0`` and ``consistency = 0`` it is nnPU.

    Parameters
    ----------
    prior, scenario, loss, beta, gamma, engine, device, l2, standardize, layers, units, activation, \
learning_rate, batch_size, epochs, average_epochs, random_state
        See :class:`pubench_modern.nonnegative.NonNegative`.
    trusted : float, default=0.4
        The share of U that is trusted in the last epoch.
    consistency : float, default=0.3
        The weight of the difference to the teacher.
    warm_up : int, default=10
        The first epochs, which are nnPU.
    """

    param_rules: ClassVar[dict[str, Rule]] = NonNegative.param_rules | {
        "trusted": Real(0.0, 1.0),
        "consistency": Real(low=0.0),
        "warm_up": Whole(low=0),
    }

    trusted: float = 0.4
    consistency: float = 0.3
    warm_up: int = 10

    def _train(self, model: Model, sample: Sample, rng: np.random.Generator) -> list[float]:
        objective = Objective(self._masses(sample), self.loss, "nnpu", self.beta, self.gamma)
        positives, teacher = sample.share_of_positives(self.prior_), np.zeros(len(sample.s))

        def epoch(number: int) -> float:
            past = number - self.warm_up
            share = self.trusted * min(1.0, (past + 1) / max(1, self.epochs - self.warm_up))
            labels = np.zeros(len(sample.s))
            if past >= 0:
                labels[sample.s == 0] = trusted_labels(teacher[sample.s == 0], share, positives)

            def loss(scores: Floats, rows: NDArray[np.intp], n_p: int) -> BatchLoss:
                risk = objective(scores, n_p)
                value, slopes = objective.value((risk.positive, risk.negative)), risk.slopes
                if past < 0:
                    return BatchLoss(value, slopes)
                return _and_more(value, slopes, scores, labels[rows], teacher[rows], n_p, self.consistency)

            return run_batches(model, sample.X, mixed_batches(sample.s, self.batch_size, rng), loss)

        def after(_: NDArray[np.float64]) -> None:
            teacher[:] = model.scores(sample.X)

        return train(model, epoch, self._schedule(), after)


def _and_more(
    value: float,
    slopes: Floats,
    scores: Floats,
    labels: Floats,
    teacher: Floats,
    n_p: int,
    consistency: float,
) -> BatchLoss:
    """Add the logistic loss of trusted rows and the difference to the teacher, both as shares of the batch's U."""
    n_u = len(scores) - n_p
    margins = labels * scores
    value += float((np.logaddexp(0.0, -margins) * np.abs(labels)).sum()) / n_u
    slopes = slopes - labels * expit(-margins) / n_u
    sigma = expit(scores[n_p:])
    gap = sigma - expit(teacher[n_p:])
    slopes[n_p:] += 2.0 * consistency * gap * sigma * (1.0 - sigma) / n_u
    return BatchLoss(value + consistency * float(np.square(gap).mean()), slopes)
