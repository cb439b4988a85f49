"""Variants of nnPU: another prior in training, or another cut of its scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pubench_risk.losses import LOSSES, Loss, Masses, Objective
from pubench_risk.training import Model, train

from pubench.base import OneOf, Real, Rule
from pubench_modern.classifier import NetworkClassifier
from pubench_modern.rows import Sample

__all__ = ["ImbalancedNNPU", "NonNegative", "SelectionBiasPU"]

Floats = NDArray[np.float64]


@dataclass(eq=False, repr=False, kw_only=True)
class NonNegative(NetworkClassifier):
    """nnPU as a base: a subclass changes the total weights of P and U in the risk, or the cut.

    Parameters
    ----------
    prior, scenario, engine, device, l2, standardize, layers, units, activation, \
learning_rate, batch_size, epochs, average_epochs, random_state
        See :class:`pubench_modern.classifier.NetworkClassifier`.
    loss : {"sigmoid", "logistic", "quadratic", "double-hinge"}, default="logistic"
        The loss of a score; the sigmoid loss is bounded, the others are convex.
    beta, gamma : float, default=0.0 and 1.0
        How far the risk on negatives may fall below 0, and the relative length of steps back.
    """

    param_rules: ClassVar[dict[str, Rule]] = NetworkClassifier.param_rules | {
        "loss": OneOf(LOSSES),
        "beta": Real(low=0.0),
        "gamma": Real(0.0, 1.0),
    }

    loss: Loss = "logistic"
    beta: float = 0.0
    gamma: float = 1.0
    learning_rate: float = 3e-3
    epochs: int = 100
    average_epochs: int = 20

    def _masses(self, sample: Sample) -> Masses:
        return Masses.of(sample.s, self.prior_, self.scenario_)

    def _train(self, model: Model, sample: Sample, rng: np.random.Generator) -> list[float]:
        objective = Objective(self._masses(sample), self.loss, "nnpu", self.beta, self.gamma)
        curves = train(model, sample.X, sample.s, objective, self._schedule(), rng)
        self.correction_curve_ = np.array(curves.corrections)
        return curves.risk


class SelectionBiasPU(NonNegative):
    r"""PUSB: nnPU's ranking, cut where the share of positives is the prior (Kato et al., 2019).

    If the chance to be labelled rises with :math:`\Pr(y = 1 | x)`, a PU learner still ranks rows in the right order,
    although its scores are not the log odds. So the cut is the :math:`1 - \pi` quantile of the scores of the rows that
    stand for the population: U in case-control data, P and U in a single training set.

    Parameters
    ----------
    prior, scenario, loss, beta, gamma, engine, device, l2, standardize, layers, units, activation, \
learning_rate, batch_size, epochs, average_epochs, random_state
        See :class:`pubench_modern.nonnegative.NonNegative`.
    """

    def _decide(self, population: Sample) -> float:
        return self._prior_cut(population)


@dataclass(eq=False, repr=False, kw_only=True)
class ImbalancedNNPU(NonNegative):
    r"""nnPU for rare positives: the risk of a population whose prior is ``balance`` (Su et al., 2021).

    .. math:: \pi' \hat R_P^+ + \frac{1 - \pi'}{1 - \pi} \left[\hat R_U^- - \pi \hat R_P^-\right]_+

    Decisions are those of the balanced population: more rows are positive than the prior says. With
    :math:`\pi' = \pi` this is nnPU.

    Parameters
    ----------
    prior, scenario, loss, beta, gamma, engine, device, l2, standardize, layers, units, activation, \
learning_rate, batch_size, epochs, average_epochs, random_state
        See :class:`pubench_modern.nonnegative.NonNegative`; ``loss`` is "sigmoid" by default.
    balance : float, default=0.5
        The prior of the balanced population.
    """

    param_rules: ClassVar[dict[str, Rule]] = NonNegative.param_rules | {
        "balance": Real(0.0, 1.0, open_low=True, open_high=True)
    }

    balance: float = 0.5
    loss: Loss = "sigmoid"

    def _masses(self, sample: Sample) -> Masses:
        plain = super()._masses(sample)
        times = (1.0 - self.balance) / (1.0 - self.prior_)
        return Masses(self.balance, times * plain.negative, times * plain.unlabelled)
