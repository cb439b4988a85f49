r"""What computes: NumPy, or PyTorch; and how a loss over P and U plugs into either.

**A loss is a function of scores.** :func:`pubench_risk.training.train` draws batches with the labelled rows first, asks
the model for their scores, and hands the slopes of the loss in these scores back:

.. math:: \partial L / \partial f_i, \quad i = 1, ..., n, \qquad f_1, ..., f_{n_p} \text{ of P, the others of U.}

How the slopes get from the scores to the parameters is the engine's business: NumPy goes through its own layers,
PyTorch through automatic differentiation, on any device. So whoever writes a new loss writes it once, in NumPy, as
:class:`pubench_risk.losses.Objective` does (``objective(scores, n_p) -> Evaluation``), and has both engines::

    with engine_settings(engine, seed, device):
        model = new_model(design, X, rng)              # design.engine is "numpy" or "torch"
        curves = train(model, X, s, objective, schedule, rng)
    network = model.trained()                           # network.scores(X): NumPy in, NumPy out
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pubench_risk.network import Network, Shape
from pubench_risk.perceptron import Perceptron
from pubench_risk.training import Model

__all__ = ["Design", "Engine", "engine_settings", "new_model"]

Engine = Literal["numpy", "torch"]

# Means below this are left over from centring in single precision.
_CENTRED = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A model to be trained: its shape, Adam's rate, the penalty on weights, and what computes it where.

    Attributes
    ----------
    shape : Shape
        Of a perceptron; of a CNN the width of its linear layer, batch normalisation and dropout are taken.
    image_shape : sequence of int
        Empty for a perceptron; for a CNN, which only PyTorch has, (height, width) or (height, width, channels).
    channels : int
        The filters of a CNN's first convolutions.
    """

    shape: Shape
    learning_rate: float
    l2: float
    engine: Engine = "numpy"
    device: str = "cpu"
    image_shape: Sequence[int] = ()
    channels: int = 16


def engine_settings(engine: Engine, seed: int, device: str = "cpu") -> AbstractContextManager[None]:
    """Return the block in which to train: PyTorch is seeded, deterministic and within its threads there."""
    if engine == "numpy":
        return contextlib.nullcontext()
    from pubench.estimators.deep import find_device, reproducible

    return reproducible(seed, find_device(device))


def new_model(design: Design, A: Any, rng: np.random.Generator) -> Model:
    """Return a model with random parameters for rows of shape (n, p).

    A perceptron begins with the same parameters in both engines.
    """
    if len(design.image_shape):
        from pubench_risk.torch_engine import convolutional_model

        return convolutional_model(design, A)
    network = Network.drawn(design.shape, rng)
    centre = np.asarray(A.mean(axis=0)).ravel()
    if np.abs(centre).max() > _CENTRED:  # sparse rows, or rows that are not to be standardised
        network.start_at(centre)
    if design.engine == "numpy":
        return Perceptron(network, design.learning_rate, design.l2, rng)
    from pubench_risk.torch_engine import perceptron_model

    return perceptron_model(network, design)
