"""From the values of methods on folds to a choice, and how much it may cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench._ranking import auc_and_ap
from pubench.advise.gathering import Comparison
from pubench.advise.methods import PREFERRED

__all__ = [
    "MARGIN",
    "ExpectedLoss",
    "ensemble_values",
    "expected_loss",
    "one_se",
    "softmax_weights",
    "standard_error",
    "within",
]

MARGIN = 0.02
_DRAWS, _LEVEL = 4000, 0.9
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ExpectedLoss:
    """How much AUC of P against U a choice is expected to lose against the best method tried, and its bound."""

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


def within(values: Floats, chosen: Floats, *, margin: float = MARGIN, seed: int = 0) -> float:
    """Return how sure it is that a choice loses at most ``margin`` against the best method tried.

    Parameters
    ----------
    values : ndarray of shape (m, J)
        Of the methods tried, on J folds.
    chosen : ndarray of shape (J,)
        Of what was chosen, on the same folds.
    margin : float
    seed : int
        Of the bootstrap.
    """
    return float(np.mean(_losses(values, chosen, seed) <= margin))


def expected_loss(values: Floats, chosen: Floats, *, seed: int = 0) -> ExpectedLoss:
    """Return what a choice is expected to lose against the best method tried, and what it loses at most.

    Parameters
    ----------
    values, chosen, seed
        See :func:`within`.
    """
    losses = np.maximum(_losses(values, chosen, seed), 0.0)
    return ExpectedLoss(float(losses.mean()), float(np.quantile(losses, _LEVEL)))


def _losses(values: Floats, chosen: Floats, seed: int) -> Floats:
    """Return the loss of a choice in each bootstrap sample of the folds, shape (draws,)."""
    folds = values.shape[1]
    drawn = np.random.default_rng(seed).multinomial(folds, np.full(folds, 1 / folds), size=_DRAWS) / folds
    losses: Floats = (drawn @ values.T).max(axis=1) - drawn @ chosen
    return losses
