"""VPU: variational PU learning, without the class prior (Chen et al., 2020)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pubench_risk.training import Model
from scipy.special import expit, log_expit

from pubench.base import Labels, OneOf, Real, Rows, Rule, held_rows, mixed_batches
from pubench_modern.classifier import NetworkClassifier
from pubench_modern.loop import finite, train
from pubench_modern.objectives import BatchLoss, Variational
from pubench_modern.rows import Sample, stacked

__all__ = ["VPU", "mixed_consistency"]

Floats = NDArray[np.float64]

# Of the Beta distribution that mixing weights have, as in the paper.
_BETA = 0.3
# Far below what a network predicts, and far enough from 0 for its logarithm and for quotients by it.
_LEAST = 1e-300


def mixed_consistency(of_u: Floats, of_mixed: Floats, share: float) -> tuple[BatchLoss, Floats]:
    r"""Return the penalty on mixed rows as a loss of their scores, and its slopes in the scores of U.

    A mixture of a labelled row, with weight ``share``, and an unlabelled one should have
    :math:`\tilde\Phi = \mathrm{share} + (1 - \mathrm{share}) \Phi(x_u)`; the penalty is the mean of
    :math:`(\log \tilde\Phi - \log \Phi(\tilde x))^2`.

    Parameters
    ----------
    of_u, of_mixed : arrays of shape (m,)
        Scores of unlabelled rows, and of their mixtures with labelled rows.
    share : float
    """
    phi = expit(of_u)
    target = np.maximum(share + (1.0 - share) * phi, _LEAST)
    gap = np.log(target) - log_expit(of_mixed)
    on_mixed = -2.0 * gap * expit(-of_mixed) / len(gap)
    on_u = 2.0 * gap / target * (1.0 - share) * phi * (1.0 - phi) / len(gap)
    return BatchLoss(float(np.square(gap).mean()), on_mixed), on_u


@dataclass(eq=False, repr=False, kw_only=True)
class VPU(NetworkClassifier):
    r"""A perceptron :math:`\Phi = \sigma(f)` that lowers the variational loss, which needs no prior.

    The loss is that of :class:`pubench_modern.objectives.Variational` plus ``mixup`` times the penalty of
    :func:`mixed_consistency`. A share of P and U is held out; the epoch of their least variational loss is kept, since
    the loss of fitted rows falls as long as P is learned by heart.

    :math:`\Phi` is proportional to :math:`\Pr(y = 1 | x)`, with maximum 1: a cut at one half presumes rows that are
    certainly positive. ``cut="prior"`` calls as many rows positive as the prior says.

    Parameters
    ----------
    prior : float or str, default="estimate"
        For ``cut="prior"`` only.
    scenario, engine, device, l2, standardize, layers, units, activation, \
learning_rate, batch_size, epochs, average_epochs, random_state
        See :class:`pubench_modern.classifier.NetworkClassifier`.
    cut : {"half", "prior"}, default="half"
        Where rows become positive: where :math:`\Phi` is one half, or at the prior.
    mixup : float, default=3.0
        The weight of the penalty on mixed rows; the paper has 0.03 for images.
    validation_fraction : float, default=0.2
        The share of P and of U that is held out.
    """

    param_rules: ClassVar[dict[str, Rule]] = NetworkClassifier.param_rules | {
        "cut": OneOf(("half", "prior")),
        "mixup": Real(low=0.0),
        "validation_fraction": Real(0.0, 1.0, open_low=True, open_high=True),
    }

    cut: Literal["half", "prior"] = "half"
    mixup: float = 3.0
    validation_fraction: float = 0.2

    def _find_prior(self, X: Rows, s: Labels) -> None:
        if self.cut == "prior":
            super()._find_prior(X, s)

    def _decide(self, population: Sample) -> float:
        return self._prior_cut(population) if self.cut == "prior" else 0.0

    def _train(self, model: Model, sample: Sample, rng: np.random.Generator) -> list[float]:
        if min(np.bincount(sample.s, minlength=2)) < 2:
            raise ValueError("VPU holds rows out, and needs at least two labelled and two unlabelled rows")
        held = held_rows(sample.s, self.validation_fraction, int(rng.integers(2**31)))
        fitted, left_out = (part.against_population() for part in sample.split(held))
        self.validation_curve_, best, kept = np.array([]), math.inf, model.state()

        def epoch(number: int) -> float:
            parts = mixed_batches(fitted.s, self.batch_size, rng)
            return float(np.mean([self._step(model, fitted.X[rows], n_p, rng) for rows, n_p in parts]))

        def after(mean: NDArray[Any]) -> None:
            nonlocal best, kept
            risk = Variational()(*self._ordered(model, left_out)).value
            self.validation_curve_ = np.append(self.validation_curve_, risk)
            if risk < best:
                best, kept = risk, mean

        losses = train(model, epoch, self._schedule(), after)
        model.restore(kept)
        return losses

    @staticmethod
    def _ordered(model: Model, sample: Sample) -> tuple[Floats, int]:
        scores = finite(model.scores(sample.X))
        return np.concatenate([scores[sample.s == 1], scores[sample.s == 0]]), int(sample.s.sum())

    def _step(self, model: Model, X: Any, n_p: int, rng: np.random.Generator) -> float:
        n, share = X.shape[0], float(rng.beta(_BETA, _BETA))
        partner = rng.integers(n_p, size=n - n_p)
        mixed = share * X[partner] + (1.0 - share) * X[n_p:]
        losses = []

        def slopes(scores: Floats) -> Floats:
            scores = finite(scores)
            base = Variational()(scores[:n], n_p)
            penalty, on_u = mixed_consistency(scores[n_p:n], scores[n:], share)
            found = np.concatenate([base.slopes, self.mixup * penalty.slopes])
            found[n_p:n] += self.mixup * on_u
            losses.append(base.value + self.mixup * penalty.value)
            return found

        model.step(stacked([X, mixed.astype(np.float32)]), slopes)
        return losses[0]
