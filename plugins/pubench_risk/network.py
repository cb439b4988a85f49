"""A multilayer perceptron with one output, in NumPy: forward, backward, nothing else.

All parameters lie in one vector, and so do their slopes: an optimiser is then a few passes over vectors, and a
snapshot is a copy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["Activation", "Network", "Shape"]

Array = NDArray[Any]
Activation = Literal["relu", "softsign"]

# Next to a variance; what torch and Chainer add.
_SMALL = 1e-5
# What the running mean and variance of batches keep of the past.
_MOMENTUM = 0.9
# The last layer starts this much smaller than the others: scores begin where the sigmoid loss still has a slope.
_LAST = 0.1


@dataclass(frozen=True, slots=True)
class Shape:
    """What a network is made of.

    Attributes
    ----------
    inputs : int
    layers : int
        Linear layers: one is a linear model, three have two hidden layers between them.
    units : int
        The width of hidden layers.
    activation : {"relu", "softsign"}
    batch_norm : bool
        Whether each hidden layer's outputs are normalised, over the batch, before the activation.
    dropout : float
        The share of the last hidden layer's outputs that a training step leaves out.
    """

    inputs: int
    layers: int = 1
    units: int = 0
    activation: Activation = "relu"
    batch_norm: bool = False
    dropout: float = 0.0

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of inputs, hidden units and outputs, layer by layer."""
        return (self.inputs, *[self.units] * (self.layers - 1), 1)


@dataclass(slots=True)
class _Layer:
    """Views into the network's vectors, and what a training pass leaves for the way back."""

    weights: Array
    bias: Array
    weights_slope: Array
    bias_slope: Array
    scale: Array | None = None
    scale_slope: Array | None = None
    mean: Any = None
    variance: Any = None
    before: Any = None
    after: Any = None
    normal: Any = None
    spread: Any = None


class Network:
    """Scores of rows, and the slopes of the parameters given those of the scores.

    Parameters
    ----------
    shape : Shape
    theta : array of shape (p,)
        All parameters.
    statistics : array of shape (2, m)
        Running means and variances of batch normalisation.

    Attributes
    ----------
    slope : array of shape (p,)
        The slopes of the parameters after :meth:`backward`.
    """

    def __init__(self, shape: Shape, theta: Array, statistics: Array) -> None:
        self.shape, self.theta, self.statistics = shape, theta, statistics
        self.slope = np.zeros_like(theta)
        self._layers = self._laid_out()
        self._kept: Array | None = None

    @classmethod
    def drawn(cls, shape: Shape, rng: np.random.Generator, dtype: DTypeLike = np.float32) -> Self:
        """Return a network with random weights; one without hidden layers may as well start at 0."""
        normalised = shape.units * (shape.layers - 1) if shape.batch_norm else 0
        sizes = shape.sizes
        count = normalised + sum(a * b + b for a, b in pairwise(sizes))
        statistics = np.repeat(np.array([[0.0], [1.0]], dtype), normalised, axis=1)
        network = cls(shape, np.zeros(count, dtype), statistics)
        if shape.layers > 1:
            network._draw_weights(rng)
        return network

    def __reduce__(self) -> tuple[Any, ...]:
        # Without what a training pass left behind.
        return type(self), (self.shape, self.theta, self.statistics)

    def as_type(self, dtype: DTypeLike) -> Self:
        """Return a copy in another precision."""
        return type(self)(self.shape, self.theta.astype(dtype), self.statistics.astype(dtype))

    def _laid_out(self) -> list[_Layer]:
        layers, start, sizes = [], 0, self.shape.sizes

        def views(*shape: int) -> tuple[Array, Array]:
            nonlocal start
            part = slice(start, start + math.prod(shape))
            start = part.stop
            return self.theta[part].reshape(shape), self.slope[part].reshape(shape)

        for i, (inputs, outputs) in enumerate(pairwise(sizes)):
            weights, bias = views(inputs, outputs), views(outputs)
            layer = _Layer(weights[0], bias[0], weights[1], bias[1])
            if self.shape.batch_norm and i < self.shape.layers - 1:
                layer.scale, layer.scale_slope = views(outputs)
                layer.mean, layer.variance = self.statistics[:, i * outputs : (i + 1) * outputs]
            layers.append(layer)
        return layers

    def _draw_weights(self, rng: np.random.Generator) -> None:
        gain = 2.0 if self.shape.activation == "relu" else 1.0
        for layer in self._layers:
            fan_in = layer.weights.shape[0]
            last = layer is self._layers[-1]
            spread = _LAST * math.sqrt(1.0 / fan_in) if last else math.sqrt(gain / fan_in)
            layer.weights[:] = spread * rng.standard_normal(layer.weights.shape)
            if layer.scale is not None:
                layer.scale[:] = 1.0

    def start_at(self, centre: Array) -> None:
        """Let the first of several layers answer 0 to a row, shape (inputs,): the centre of rows that are not centred.

        Far from it all rows look alike to a new network: a few large steps then call them all negative for good.
        """
        if self.shape.layers > 1:
            first = self._layers[0]
            first.bias[:] = -(centre @ first.weights)

    def scores(self, X: Any) -> Array:
        """Return the scores of rows, shape (n,), as after training: nothing dropped, running statistics."""
        H = X
        for layer in self._layers[:-1]:
            Z = H @ layer.weights
            if layer.scale is not None:
                Z -= layer.mean
                Z *= layer.scale / np.sqrt(layer.variance + _SMALL)
            Z += layer.bias
            H = self._activated(Z)
        return self._output(H)

    def forward(self, X: Any, rng: np.random.Generator) -> Array:
        """Return the scores of a batch, shape (n,), keeping what :meth:`backward` needs; rng drops units."""
        H = X
        for layer in self._layers[:-1]:
            layer.before = H
            Z = H @ layer.weights
            if layer.scale is not None:
                Z = self._normalised(layer, Z)
            Z += layer.bias
            layer.after = H = self._activated(Z)
        if self.shape.dropout and self.shape.layers > 1:
            keep = 1.0 - self.shape.dropout
            self._kept = (rng.random(H.shape, dtype=np.float32) < keep) / H.dtype.type(keep)
            H = H * self._kept
        self._layers[-1].before = H
        return self._output(H)

    def backward(self, slopes: Array) -> None:
        """Set ``slope``, given the slopes of a loss in the scores of the last :meth:`forward`, shape (n,)."""
        last = self._layers[-1]
        delta = slopes.astype(self.theta.dtype, copy=False)[:, None]
        last.weights_slope[:] = last.before.T @ delta
        last.bias_slope[:] = delta.sum()
        if len(self._layers) == 1:
            return
        # The one output needs no sum: BLAS takes twice as long for these products.
        delta = delta * last.weights.T
        for layer in reversed(self._layers[:-1]):
            if self._kept is not None:
                delta *= self._kept
                self._kept = None
            self._through_activation(delta, layer.after)
            layer.bias_slope[:] = delta.sum(axis=0)
            if layer.scale is not None:
                delta = _through_normalisation(layer, delta)
            layer.weights_slope[:] = layer.before.T @ delta
            if layer is not self._layers[0]:
                delta = delta @ layer.weights.T

    @property
    def layers(self) -> Sequence[_Layer]:
        """The layers: views of the parameters, to be read or set."""
        return self._layers

    def add_penalty(self, l2: float) -> None:
        """Add the slope of l2 / 2 times the sum of squared weights; biases and scales are not penalised."""
        for layer in self._layers:
            layer.weights_slope += self.theta.dtype.type(l2) * layer.weights

    def last(self) -> tuple[Array, float]:
        """Return the weights and the bias of the last layer: all there is to a linear model."""
        return self._layers[-1].weights[:, 0], float(self._layers[-1].bias[0])

    def _output(self, H: Any) -> Array:
        last = self._layers[-1]
        scores: Array = (H @ last.weights)[:, 0] + last.bias[0]
        return scores

    def _activated(self, Z: Array) -> Array:
        if self.shape.activation == "relu":
            return np.maximum(Z, 0.0, out=Z)
        Z /= 1.0 + np.abs(Z)
        return Z

    def _through_activation(self, delta: Array, after: Array) -> None:
        if self.shape.activation == "relu":
            delta *= after > 0.0
        else:
            delta *= np.square(1.0 - np.abs(after))

    def _normalised(self, layer: _Layer, Z: Array) -> Array:
        assert layer.scale is not None
        mean, variance = Z.mean(axis=0), Z.var(axis=0)
        layer.mean += (1.0 - _MOMENTUM) * (mean - layer.mean)
        layer.variance += (1.0 - _MOMENTUM) * (variance - layer.variance)
        layer.spread = np.sqrt(variance + _SMALL)
        layer.normal = (Z - mean) / layer.spread
        normal: Array = layer.normal * layer.scale
        return normal


def _through_normalisation(layer: _Layer, delta: Array) -> Array:
    assert layer.scale is not None
    assert layer.scale_slope is not None
    layer.scale_slope[:] = (delta * layer.normal).sum(axis=0)
    delta = delta * layer.scale
    delta -= delta.mean(axis=0) + layer.normal * (delta * layer.normal).mean(axis=0)
    delta /= layer.spread
    return delta
