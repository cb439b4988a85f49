"""The NumPy model that is trained: a network and Adam."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench_risk.network import Network
from pubench_risk.training import blockwise

__all__ = ["Perceptron"]

Floats = NDArray[np.float64]

_FIRST, _SECOND, _SMALL = 0.9, 0.999, 1e-8


class Perceptron:
    r"""A network that takes Adam's steps (Kingma and Ba, 2015) on a risk plus :math:`\frac{l2}{2} \|W\|^2`.

    Parameters
    ----------
    network : Network
    learning_rate : float
    l2 : float
        The penalty on weights; its slope is added to that of the risk, as in the nnPU paper's weight decay.
    rng : Generator
        Drops units.
    """

    def __init__(self, network: Network, learning_rate: float, l2: float, rng: np.random.Generator) -> None:
        self.network, self._rate, self._l2, self._rng = network, learning_rate, l2, rng
        self._first = np.zeros_like(network.theta)
        self._second = np.zeros_like(network.theta)
        self._work = np.zeros_like(network.theta)
        self._steps = 0

    def step(self, X: Any, slopes: Callable[[Floats], Floats]) -> None:
        """Take a step; see :class:`pubench_risk.training.Model`."""
        self.network.backward(slopes(self.network.forward(X, self._rng)))
        if self._l2:
            self.network.add_penalty(self._l2)
        self._follow(self.network.slope)

    def _follow(self, slope: NDArray[Any]) -> None:
        self._steps += 1
        first, second, work = self._first, self._second, self._work
        first *= _FIRST
        first += np.multiply(slope, 1.0 - _FIRST, out=work)
        second *= _SECOND
        np.square(slope, out=work)
        work *= 1.0 - _SECOND
        second += work
        # Both running means start at 0: what they lack yet is a factor, here moved into the rate and the small number.
        bias = math.sqrt(1.0 - _SECOND**self._steps)
        np.sqrt(second, out=work)
        work += _SMALL * bias
        np.divide(first, work, out=work)
        work *= self._rate * bias / (1.0 - _FIRST**self._steps)
        self.network.theta -= work

    def scores(self, X: Any) -> Floats:
        """Return the scores of rows, shape (n,)."""
        return blockwise(self.network.scores, X)

    def state(self) -> NDArray[Any]:
        """Return a copy of the parameters and running statistics."""
        return np.concatenate([self.network.theta, self.network.statistics.ravel()])

    def trained(self) -> Network:
        """Return the network in double precision; it was trained in single precision."""
        return self.network.as_type(np.float64)

    def restore(self, state: NDArray[Any]) -> None:
        """Go back to a state."""
        count = len(self.network.theta)
        self.network.theta[:] = state[:count]
        self.network.statistics[:] = state[count:].reshape(self.network.statistics.shape)
