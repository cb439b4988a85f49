"""Training a network on mixed batches of P and U, until the epochs, the patience or the time is over."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pubench.estimators.batches import mixed_batches
from pubench.estimators.deep.imports import nn, torch
from pubench.estimators.deep.inputs import Inputs
from pubench.estimators.deep.risks import Batch
from pubench.estimators.deep.stopping import HeldOut
from pubench.estimators.progress import progress
from pubench.estimators.rows import Labels, Rows
from pubench.risk import SignedWeights

__all__ = ["Curves", "Schedule", "Step", "TrainingRows", "network_scores", "train"]

_BLOCK = 512


class Step(Protocol):
    """One step of training."""

    def __call__(self, network: nn.Module, optimizer: torch.optim.Optimizer, batch: Batch) -> float:
        """Change the network by a batch, and return the loss."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long: epochs, rows in a batch, epochs without improvement, and a moment of :func:`time.monotonic`, if any."""

    epochs: int
    batch_size: int
    patience: int
    deadline: float | None


@dataclass(frozen=True, slots=True)
class Curves:
    """What happened in each epoch: the mean loss of its batches, and the value of the held-out rows after it."""

    loss: list[float] = field(default_factory=list)
    held_out: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class TrainingRows:
    """Training rows: X of shape (n, d), s, and the weights of all of them (None without a prior)."""

    X: Rows
    s: Labels
    weights: SignedWeights | None
    inputs: Inputs
    device: torch.device

    def batches(self, schedule: Schedule, epoch: int, rng: np.random.Generator) -> Iterator[Batch]:
        """Yield the batches of an epoch."""
        n_p, n_u = int(self.s.sum()), int(len(self.s) - self.s.sum())
        for rows, labelled in mixed_batches(self.s, schedule.batch_size, rng):
            X = self.inputs.tensor(self.X[rows]).to(self.device)
            weights = self.weights and _rescaled(self.weights, n_p / labelled, n_u / (len(rows) - labelled))
            yield Batch(X[:labelled], X[labelled:], weights, epoch, schedule.epochs)


def _rescaled(weights: SignedWeights, of_p: float, of_u: float) -> SignedWeights:
    return SignedWeights(weights.positive_P * of_p, weights.negative_P * of_p, weights.negative_U * of_u)


def train(
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    step: Step,
    rows: TrainingRows,
    schedule: Schedule,
    rng: np.random.Generator,
    held_out: HeldOut | None = None,
) -> Curves:
    """Train a network; with held-out rows it ends at the epoch of their best value.

    Raises
    ------
    FloatingPointError
        If the loss or a score is no longer finite.
    """
    curves, best, kept = Curves(), math.inf, None
    for epoch in range(1, schedule.epochs + 1):
        network.train()
        losses = [step(network, optimizer, batch) for batch in rows.batches(schedule, epoch, rng)]
        curves.loss.append(_finite(float(np.mean(losses))))
        value = curves.loss[-1]
        if held_out is not None:
            value = held_out.value(network_scores(network, held_out.X, rows.inputs, rows.device))
            curves.held_out.append(value)
            if value < best:
                best, kept = value, copy.deepcopy(network.state_dict())
        progress(epoch, schedule.epochs, value)
        waited = epoch - 1 - int(np.argmin(curves.held_out)) if curves.held_out else 0
        late = schedule.deadline is not None and time.monotonic() >= schedule.deadline
        if waited >= schedule.patience or late:
            break
    if kept is not None:
        network.load_state_dict(kept)
    return curves


def network_scores(network: nn.Module, X: Rows, inputs: Inputs, device: torch.device) -> NDArray[np.float64]:
    """Return the scores of rows, shape (n,), some rows at a time."""
    network.eval()
    with torch.no_grad():
        parts = [
            network(inputs.tensor(X[start : start + _BLOCK]).to(device)).reshape(-1).cpu().numpy()
            for start in range(0, X.shape[0], _BLOCK)
        ]
    scores = np.concatenate(parts).astype(np.float64)
    if not np.isfinite(scores).all():
        raise FloatingPointError
    return scores


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise FloatingPointError
    return value
