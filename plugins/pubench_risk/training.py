"""Lowering a PU risk by minibatches: the loop, and the small seam behind which the model stands.

A model is anything that can take a step and score rows. It is handed the slopes of the risk as a function of the
scores, so that it may compute its own way from there to its parameters: by NumPy here, by another library's automatic
differentiation elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pubench import progress
from pubench.base import mixed_batches
from pubench_risk.losses import Objective

__all__ = ["Curves", "HeldOut", "Model", "Schedule", "blockwise", "scores_to_both_sides", "train"]

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

_BLOCK = 2048


class Model(Protocol):
    """What can be trained."""

    def step(self, X: Any, slopes: Callable[[Floats], Floats]) -> None:
        """Score a batch, shape (n, d), ask for the slopes of the risk in the scores, and take a step."""

    def scores(self, X: Any) -> Floats:
        """Return the scores of rows, shape (n,), as after training."""

    def state(self) -> NDArray[Any]:
        """Return a copy of all that training changes in the scores, as one vector: states are averaged."""

    def restore(self, state: NDArray[Any]) -> None:
        """Go back to a state, or to a mean of states."""

    def trained(self) -> Any:
        """Return the trained network: its ``scores(X)`` takes rows and returns an array of shape (n,)."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long, on how many rows at a time, over how many epochs states are averaged, and how many are kept."""

    epochs: int
    batch_size: int
    average_epochs: int = 1
    stages: int = 0

    @property
    def kept(self) -> frozenset[int]:
        """The epochs, counted from 0, after which the mean state is kept: evenly spaced, the last one included."""
        return frozenset(self.epochs * (k + 1) // self.stages - 1 for k in range(self.stages))


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Rows for early stopping: the risk of their scores, and how many epochs may pass without a new least one."""

    X: Any
    risk: Callable[[Floats], float]
    patience: int


@dataclass(frozen=True, slots=True)
class Curves:
    """What happened in each epoch.

    Attributes
    ----------
    risk : list of float
        The mean risk of the batches, each before its step.
    corrections : list of float
        The share of batches in which nnPU stepped back.
    held_out : list of float
        The risk of the held-out rows after the epoch.
    kept, states : list of int and list of arrays
        The epochs that a schedule keeps, counted from 1, and the model's mean states after them.
    networks : list of Network or ConvolutionalNetwork
        The networks of these states.
    """

    risk: list[float] = field(default_factory=list)
    corrections: list[float] = field(default_factory=list)
    held_out: list[float] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    states: list[NDArray[Any]] = field(default_factory=list)
    networks: list[Any] = field(default_factory=list)


def blockwise(score: Callable[[Any], Floats], X: Any, block: int = _BLOCK) -> Floats:
    """Return the scores of rows, shape (n,), some rows at a time: what lies between fits the processor's cache."""
    parts = [score(X[start : start + block]) for start in range(0, X.shape[0], block)]
    return np.concatenate(parts).astype(np.float64, copy=False)


def scores_to_both_sides(score: Callable[[Any], Floats], X: Any, block: int = _BLOCK) -> Floats:
    """Return the scores of the first rows, some at a time until both sides of 0 have one, else those of all rows."""
    parts: list[Floats] = []
    for start in range(0, X.shape[0], block):
        parts.append(score(X[start : start + block]))
        if min(part.min() for part in parts) < 0.0 <= max(part.max() for part in parts):
            break
    return np.concatenate(parts)


def train(
    model: Model,
    X: Any,
    s: NDArray[np.uint8],
    objective: Objective,
    schedule: Schedule,
    rng: np.random.Generator,
    held_out: HeldOut | None = None,
) -> Curves:
    r"""Train a model and leave it at the mean of its states; with held-out rows, at the epoch of their least risk.

    After epoch t the mean moves by :math:`(\theta_t - \bar\theta) / \min(t, k)`: the plain mean of the first k epochs,
    then one that forgets the oldest. Steps of Adam keep jumping around a minimum; their mean lies nearer to it.

    Parameters
    ----------
    model : Model
    X : array or CSR matrix of shape (n, d)
    s : uint8 array of shape (n,)
    objective : Objective
    schedule : Schedule
    rng : Generator
        Shuffles the rows.
    held_out : HeldOut, optional

    Returns
    -------
    Curves

    Raises
    ------
    FloatingPointError
        If scores leave the range of numbers.
    """
    curves, best, kept = Curves(), math.inf, model.state()
    mean = kept
    for epoch in range(schedule.epochs):
        _run_epoch(model, X, s, objective, mixed_batches(s, schedule.batch_size, rng), curves)
        now = model.state()
        share = 1.0 / min(epoch + 1, schedule.average_epochs)
        mean = (1.0 - share) * mean + share * now
        if epoch in schedule.kept:
            curves.kept.append(epoch + 1)
            curves.states.append(mean)
        if held_out is None:
            progress(epoch + 1, schedule.epochs, curves.risk[-1])
            continue
        model.restore(mean)
        curves.held_out.append(held_out.risk(_finite(model.scores(held_out.X))))
        model.restore(now)
        progress(epoch + 1, schedule.epochs, curves.held_out[-1])
        if curves.held_out[-1] < best:
            best, kept = curves.held_out[-1], mean
        elif epoch - int(np.argmin(curves.held_out)) >= held_out.patience:
            break
    model.restore(mean if held_out is None else kept)
    return curves


def _run_epoch(
    model: Model,
    X: Any,
    s: NDArray[np.uint8],
    objective: Objective,
    parts: Iterator[tuple[Rows, int]],
    curves: Curves,
) -> None:
    risks, corrections = [], []
    for rows, n_p in parts:

        def slopes(scores: Floats, n_p: int = n_p) -> Floats:
            seen = objective(_finite(scores), n_p)
            risks.append(objective.value((seen.positive, seen.negative)))
            corrections.append(seen.corrected)
            return seen.slopes

        model.step(X[rows], slopes)
    curves.risk.append(float(np.mean(risks)))
    curves.corrections.append(float(np.mean(corrections)))


def _finite(scores: Floats) -> Floats:
    if not np.isfinite(scores).all():
        raise FloatingPointError
    return scores
