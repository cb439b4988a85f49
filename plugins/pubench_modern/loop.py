"""Training by epochs: the mean of the last states, and what a batch's step is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pubench_risk.training import Model, Schedule

from pubench import progress
from pubench_modern.objectives import BatchLoss

__all__ = ["finite", "run_batches", "train"]

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


def train(
    model: Model,
    epoch: Callable[[int], float],
    schedule: Schedule,
    after: Callable[[NDArray[Any]], None] | None = None,
) -> list[float]:
    """Run epochs and leave the model at the running mean of its states; return the loss of each epoch.

    Parameters
    ----------
    model : Model
    epoch : callable
        Is given the number of the epoch, runs it, and returns its mean loss.
    schedule : Schedule
    after : callable, optional
        Is given the mean after each epoch, with the model at it.
    """
    losses, mean = [], model.state()
    for number in range(schedule.epochs):
        losses.append(epoch(number))
        share = 1.0 / min(number + 1, schedule.average_epochs)
        now = model.state()
        mean = (1.0 - share) * mean + share * now
        if after is not None:
            model.restore(mean)
            after(mean)
            model.restore(now)
        progress(number + 1, schedule.epochs, losses[-1])
    model.restore(mean)
    return losses


def run_batches(
    model: Model,
    X: Any,
    parts: Iterable[tuple[Rows, int]],
    loss: Callable[[Floats, Rows, int], BatchLoss],
) -> float:
    """Take a step for each batch, and return the mean of their losses.

    Parameters
    ----------
    model : Model
    X : array or CSR matrix of shape (n, d)
    parts : iterable
        Of row numbers, the labelled ones first, and how many of these there are.
    loss : callable
        Is given scores, the numbers of their rows, and how many are labelled.
    """
    losses = []
    for rows, n_p in parts:

        def slopes(scores: Floats, rows: Rows = rows, n_p: int = n_p) -> Floats:
            found = loss(finite(scores), rows, n_p)
            losses.append(found.value)
            return found.slopes

        model.step(X[rows], slopes)
    return float(np.mean(losses))


def finite(scores: Floats) -> Floats:
    """Return the scores in double precision, or raise FloatingPointError if they left the range of numbers."""
    if not np.isfinite(scores).all():
        raise FloatingPointError
    return scores.astype(np.float64, copy=False)
