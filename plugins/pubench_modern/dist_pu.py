"""Dist-PU: predictions whose distribution agrees with the labels' (Zhao et al., 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pubench_risk.training import Model
from scipy.special import expit

from pubench.base import Real, Rule, Whole, mixed_batches
from pubench_modern.classifier import NetworkClassifier
from pubench_modern.loop import finite, run_batches, train
from pubench_modern.objectives import DistributionAlignment, prediction_entropy, soft_cross_entropy
from pubench_modern.rows import Sample, stacked

__all__ = ["DistPU"]

Floats = NDArray[np.float64]

# Of the Beta distribution that mixing weights have, as in the paper.
_BETA = 6.0


@dataclass(eq=False, repr=False, kw_only=True)
class DistPU(NetworkClassifier):
    r"""A perceptron whose mean predictions are those of the label distribution.

    The loss is that of :class:`pubench_modern.objectives.DistributionAlignment`. With ``mixup`` above 0, epochs from
    ``mixup_start`` on add ``mixup`` times the cross-entropy between mixtures of two unlabelled rows and the same
    mixtures of their predictions, and with ``entropy`` above 0 that many times the entropy of predictions on U, which
    pushes them away from one half.

    Parameters
    ----------
    prior, scenario, engine, device, l2, standardize, layers, units, activation, \
learning_rate, batch_size, epochs, average_epochs, random_state
        See :class:`pubench_modern.classifier.NetworkClassifier`; ``epochs`` is 150 by default.
    mixup : float, default=0.0
        The weight of mixed rows. Rows of U are mixed with rows of U only: mixing in P shifts the share of positives.
    entropy : float, default=0.0
        The weight of the entropy of predictions on U.
    mixup_start : int, default=30
        The first epoch that has either.
    """

    param_rules: ClassVar[dict[str, Rule]] = NetworkClassifier.param_rules | {
        "mixup": Real(low=0.0),
        "entropy": Real(low=0.0),
        "mixup_start": Whole(low=0),
    }

    mixup: float = 0.0
    entropy: float = 0.0
    mixup_start: int = 30
    epochs: int = 150

    def _train(self, model: Model, sample: Sample, rng: np.random.Generator) -> list[float]:
        against, align = sample.against_population(), DistributionAlignment(self.prior_)

        def epoch(number: int) -> float:
            parts = mixed_batches(against.s, self.batch_size, rng)
            if number < self.mixup_start or not (self.mixup or self.entropy):
                return run_batches(model, against.X, parts, lambda scores, _, n_p: align(scores, n_p))
            return float(np.mean([self._mixed_step(model, against.X[rows], n_p, rng) for rows, n_p in parts]))

        return train(model, epoch, self._schedule())

    def _mixed_step(self, model: Model, X: Any, n_p: int, rng: np.random.Generator) -> float:
        n, align = X.shape[0], DistributionAlignment(self.prior_)
        other = rng.permutation(n - n_p)
        share = float(rng.beta(_BETA, _BETA))
        U = X[n_p:]
        mixed = share * U + (1.0 - share) * U[other]
        losses = []

        def slopes(scores: Floats) -> Floats:
            scores = finite(scores)
            base = align(scores[:n], n_p)
            sigma = expit(scores[n_p:n])
            mix = soft_cross_entropy(scores[n:], share * sigma + (1.0 - share) * sigma[other])
            found = np.concatenate([base.slopes, self.mixup * mix.slopes])
            doubt = prediction_entropy(scores[n_p:n])
            found[n_p:n] += self.entropy * doubt.slopes
            losses.append(base.value + self.mixup * mix.value + self.entropy * doubt.value)
            return found

        model.step(stacked([X, mixed.astype(np.float32)]), slopes)
        return losses[0]
