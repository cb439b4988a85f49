"""From the values of methods on folds to a choice, and how much it may cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench._ranking import auc_and_ap
from pubench.advise.gathering import Comparison
from pubench.advise.methods import DECIDERS, PREFERRED
from pubench.specs import Scenario

if TYPE_CHECKING:
    from pubench.estimators.prior_statement import PriorStatement

__all__ = [
    "MARGIN",
    "ExpectedLoss",
    "decision_share",
    "ensemble_values",
    "expected_loss",
    "one_se",
    "softmax_weights",
    "standard_error",
    "within",
]

MARGIN = 0.02
_DRAWS, _LEVEL = 4000, 0.9
_HELD_TO_FITTED = 0.25
"""Of five folds one is held out."""
_MOST_SHARE = 0.8
"""Beyond it a difference between P and U says almost nothing about AUC."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ExpectedLoss:
    """How much AUC a choice is expected to lose against the best method tried, and its bound."""

    mean: float
    bound: float
    level: float = _LEVEL


def standard_error(values: Floats) -> float:
    r"""Return :math:`SE = \frac1m \sum_j sd_j / \sqrt{J}` of m methods on J folds, values of shape (m, J)."""
    if values.shape[1] < 2:
        return 0.0
    return float(np.mean(values.std(axis=1, ddof=1)) / np.sqrt(values.shape[1]))


def softmax_weights(values: Floats) -> Floats:
    r"""Return the weight of each method in the ensemble, shape (m,).

    .. math:: w_j \propto \exp\bigl((a_j - \max_k a_k) / SE\bigr),

    where :math:`a_j` is the mean over folds. Methods that cannot be distinguished share the weight; one that is worse
    by several standard errors has almost none.

    Parameters
    ----------
    values : ndarray of shape (m, J)
        Of m methods on J folds; larger is better.
    """
    means, error = values.mean(axis=1), standard_error(values)
    if error == 0:
        best = means == means.max()
        return np.asarray(best / best.sum())
    raised = np.exp((means - means.max()) / error)
    return np.asarray(raised / raised.sum())


def one_se(values: Floats, names: Sequence[str], preferred: Sequence[str] = PREFERRED) -> str:
    """Return the name of one method: of those within one standard error of the best mean, the preferred one.

    Parameters
    ----------
    values : ndarray of shape (m, J)
    names : sequence of str
        Of the m methods.
    preferred : sequence of str
        The first of these that is near enough is taken; if none is, the best method.
    """
    means = values.mean(axis=1)
    near = {
        name for name, mean in zip(names, means, strict=True) if mean >= means.max() - standard_error(values)
    }
    return next((name for name in preferred if name in near), names[int(means.argmax())])


def ensemble_values(comparison: Comparison, weights: Floats, s: NDArray[np.uint8]) -> Floats:
    """Return the AUC of P against U of the weighted rank shares on each fold, shape (J,).

    Parameters
    ----------
    comparison : Comparison
    weights : ndarray of shape (m,)
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    """
    values = []
    for shares, folds in zip(comparison.shares, comparison.folds, strict=True):
        for fold in range(int(folds.max()) + 1):
            held = folds == fold
            if not np.isnan(shares[0, held]).any():
                values.append(auc_and_ap(weights @ shares[:, held], s[held])[0])
    return np.array(values)


def within(
    values: Floats, chosen: Floats, *, share: float = 0.0, margin: float = MARGIN, seed: int = 0
) -> float:
    """Return how sure it is that a choice loses at most ``margin`` of AUC against the best method tried.

    Parameters
    ----------
    values : ndarray of shape (m, J)
        Of the methods tried, on J folds.
    chosen : ndarray of shape (J,)
        Of what was chosen, on the same folds.
    share : float
        The share q of positives in U: differences of AUC are those of P against U, divided by 1 - q.
    margin : float
    seed : int
        Of the draws.
    """
    return float(np.mean(_losses(values, chosen, share, seed) <= margin))


def expected_loss(values: Floats, chosen: Floats, *, share: float = 0.0, seed: int = 0) -> ExpectedLoss:
    """Return what AUC a choice is expected to lose against the best method tried, and what it loses at most.

    Parameters
    ----------
    values, chosen, share, seed
        See :func:`within`.
    """
    losses = np.maximum(_losses(values, chosen, share, seed), 0.0)
    return ExpectedLoss(float(losses.mean()), float(np.quantile(losses, _LEVEL)))


def _losses(values: Floats, chosen: Floats, share: float, seed: int) -> Floats:
    r"""Return the loss of a choice for each of many draws of the true means, shape (draws,).

    Means are drawn from a normal distribution with the covariance of the folds times :math:`1/J + n_2/n_1`, where
    :math:`n_2/n_1` is the ratio of rows held out to rows fitted (Nadeau and Bengio, 2003): folds share most of their
    rows, so that a bootstrap of folds is too sure of itself.
    """
    every = np.vstack([values, chosen])
    folds = every.shape[1]
    means = every.mean(axis=1)
    unit = (every - means[:, None]) / np.sqrt(max(folds - 1, 1))
    drawn = np.random.default_rng(seed).standard_normal((_DRAWS, folds))
    sampled = means + np.sqrt(1 / folds + _HELD_TO_FITTED) * drawn @ unit.T
    losses: Floats = sampled[:, :-1].max(axis=1) - sampled[:, -1]
    return losses / (1.0 - min(share, _MOST_SHARE))


def decision_share(
    comparison: Comparison,
    weights: Floats,
    s: NDArray[np.uint8],
    *,
    prior: PriorStatement,
    scenario: Scenario,
) -> float:
    """Return the share of the population that the ensemble should call positive.

    The point estimate of the prior is the weakest part of a decision. :data:`DECIDERS` decide without it: the share
    that they call positive is taken, moved into the plausible range of the prior if it lies outside. If none of them
    was compared, it is the prior.

    Parameters
    ----------
    comparison : Comparison
    weights : ndarray of shape (m,)
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    prior : PriorStatement
    scenario : {"case-control", "single-training-set"}
    """
    deciders = [number for number, name in enumerate(comparison.names) if name in DECIDERS]
    if not deciders:
        return prior.value
    population = np.full(len(s), True) if scenario == "single-training-set" else s == 0
    shares = comparison.decisions[deciders][:, population].mean(axis=1)
    # A decider without any weight still decides: that the share is right matters more than the ranking.
    found = float(np.average(shares, weights=weights[deciders] + np.finfo(float).tiny))
    return min(max(found, prior.low), prior.high)
