"""From parameters to a trained network: what is to be lowered, by which steps, and when to stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pubench.base import held_rows
from pubench.risk import pu_risk
from pubench.specs import Scenario
from pubench_risk.engines import Design, Engine, engine_settings, new_model
from pubench_risk.losses import Loss, Masses, Objective, Risk
from pubench_risk.network import Activation, Shape
from pubench_risk.training import Curves, HeldOut, Model, Schedule, train

__all__ = ["Recipe"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Those parameters of :class:`pubench_risk.classifier.PURiskClassifier` that training needs."""

    prior: float
    scenario: Scenario
    risk: Risk
    model: str
    loss: Loss
    engine: Engine
    device: str
    image_shape: Sequence[int]
    channels: int
    l2: float
    layers: int
    units: int
    activation: Activation
    batch_norm: bool
    dropout: float
    learning_rate: float
    batch_size: int
    epochs: int
    average_epochs: int
    beta: float
    gamma: float
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    stages: int

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Self:
        """Take what is needed from all parameters."""
        return cls(**{field.name: params[field.name] for field in fields(cls)})

    def shape(self, inputs: int) -> Shape:
        """Return the shape of the network: that of the perceptron, or one layer where the model is linear."""
        if self.model not in ("mlp", "cnn"):
            return Shape(inputs)
        return Shape(inputs, self.layers, self.units, self.activation, self.batch_norm, self.dropout)

    def design(self, inputs: int) -> Design:
        """Return the model to be trained."""
        return Design(
            shape=self.shape(inputs),
            learning_rate=self.learning_rate,
            l2=self.l2,
            engine=self.engine,
            device=self.device,
            image_shape=self.image_shape if self.model == "cnn" else (),
            channels=self.channels,
        )

    def trained(self, A: Any, s: NDArray[np.uint8], rng: np.random.Generator) -> tuple[Any, Curves]:
        """Train a network.

        Parameters
        ----------
        A : array or CSR matrix of shape (n, p)
            In single precision, as the network then is; images also as bytes.
        s : uint8 array of shape (n,)
        rng : Generator

        Returns
        -------
        network : Network or ConvolutionalNetwork
        curves : Curves
        """
        held_out = None
        if self.early_stopping:
            held = held_rows(s, self.validation_fraction, int(rng.integers(2**31)))
            held_out = HeldOut(A[held], self._held_out_risk(s[held]), self.n_iter_no_change)
            A, s = A[~held], s[~held]
        masses = Masses.of(s, self.prior, self.scenario)
        objective = Objective(masses, self.loss, self.risk, self.beta, self.gamma)
        schedule = Schedule(self.epochs, self.batch_size, self.average_epochs, self.stages)
        # NumPy draws from rng alone.
        seed = 0 if self.engine == "numpy" else int(rng.integers(2**31))
        try:
            with engine_settings(self.engine, seed, self.device):
                model = new_model(self.design(A.shape[1]), A, rng)
                curves = train(model, A, s, objective, schedule, rng, held_out)
                last = model.state()
                curves.networks.extend(_restored(model, state) for state in curves.states)
                model.restore(last)
        except FloatingPointError:
            raise ValueError(
                f"training overflowed; lower learning_rate = {self.learning_rate:g} or l2 = "
                f"{self.l2:g}, or scale the features down"
            ) from None
        return model.trained(), curves

    def _held_out_risk(self, s: NDArray[np.uint8]) -> Callable[[Floats], float]:
        # Of rows that were not fitted, the unbiased risk is right for nnPU, too.
        return lambda scores: pu_risk(scores, s, prior=self.prior, scenario=self.scenario, loss=self.loss)


def _restored(model: Model, state: NDArray[Any]) -> Any:
    model.restore(state)
    return model.trained()
