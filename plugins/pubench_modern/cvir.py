"""CVIR: the rows of U that look most positive are left out, then P is learned against the rest (Garg et al., 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pubench_priors.bbe import best_bin
from pubench_risk.training import Model

from pubench.base import Labels, Rows, Rule, Whole, held_rows
from pubench_modern.classifier import NetworkClassifier
from pubench_modern.loop import run_batches, train
from pubench_modern.objectives import CrossEntropy
from pubench_modern.rows import Sample, cycled

__all__ = ["CVIR", "keep_lowest"]

Floats = NDArray[np.float64]

_TED = "ted"
_HELD = 0.3
# A prior strictly between 0 and 1 whatever a round estimates.
_LEAST = 1e-3


def keep_lowest(scores: Floats, share: float) -> NDArray[np.intp]:
    """Return the numbers of the scores, shape (n,), without the given share of largest ones; at least one is kept."""
    count = max(1, len(scores) - round(share * len(scores)))
    return np.argsort(scores, kind="stable")[:count]


@dataclass(eq=False, repr=False, kw_only=True)
class CVIR(NetworkClassifier):
    r"""Conditional value ignoring risk, and the loop (TED)\ :sup:`n` that estimates the prior as well.

    After ``warm_up`` epochs of P against U, each epoch leaves out the rows of U with the largest scores, as many as U
    has positives, and lowers

    .. math:: \pi\, \overline{\ell(f)}_P + (1 - \pi)\, \overline{\ell(-f)}_{\mathrm{kept}}

    with the logistic loss :math:`\ell`. If nothing is left out, this is weighted P against U; if the ranking is
    perfect, it is learning from positives and negatives.

    Parameters
    ----------
    prior : float or str, default="estimate"
        ``"ted"`` holds out 30 % of P and U and estimates the share of positives in U again in every epoch, by the best
        bin of the held-out scores. It needs a region of pure positives; without one the prior is far too large.
    scenario, engine, device, l2, standardize, layers, units, activation, \
learning_rate, batch_size, epochs, average_epochs, random_state
        See :class:`pubench_modern.classifier.NetworkClassifier`.
    warm_up : int, default=10
        The first epochs, in which P and all of U weigh the same.

    Attributes
    ----------
    prior_curve_ : ndarray of shape (t,)
        The prior that each epoch used.
    """

    param_rules: ClassVar[dict[str, Rule]] = NetworkClassifier.param_rules | {"warm_up": Whole(low=0)}

    warm_up: int = 10

    def _find_prior(self, X: Rows, s: Labels) -> None:
        if self.prior != _TED:
            super()._find_prior(X, s)

    def _train(self, model: Model, sample: Sample, rng: np.random.Generator) -> list[float]:
        held = None
        if self.prior == _TED:
            sample, held = sample.split(held_rows(sample.s, _HELD, int(rng.integers(2**31))))
        P, U = np.flatnonzero(sample.s == 1), np.flatnonzero(sample.s == 0)
        priors: list[float] = []

        def epoch(number: int) -> float:
            # (TED)^n estimates the prior before every epoch, in the first one by the scores of an untrained network.
            prior = self._share(model, held) if held is not None else self.prior_
            priors.append(prior)
            if number < self.warm_up:
                loss, N = CrossEntropy(0.5, 0.5), U
            else:
                loss, N = CrossEntropy(prior, 1.0 - prior), self._kept(model, sample, U, prior)
            parts = cycled(P, N, self.batch_size, rng)
            return run_batches(model, sample.X, parts, lambda scores, _, n_p: loss(scores, n_p))

        losses = train(model, epoch, self._schedule())
        self.prior_curve_ = np.array(priors)
        if held is not None:
            self.prior_ = self._share(model, held)
            self.prior_interval_ = 0.0, 1.0
        return losses

    @staticmethod
    def _kept(model: Model, sample: Sample, U: NDArray[np.intp], prior: float) -> NDArray[np.intp]:
        return U[keep_lowest(model.scores(sample.X[U]), sample.share_of_positives(prior))]

    @staticmethod
    def _share(model: Model, held: Sample) -> float:
        """Return the prior that held-out scores show by the best bin."""
        scores = model.scores(held.X)
        share = best_bin(scores[held.s == 1], scores[held.s == 0])
        return float(np.clip(held.prior_of_share(share), _LEAST, 1.0 - _LEAST))
