"""The base of labelling mechanisms, which ``assign`` calls to draw the positives that carry a label."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from pubench.data.labelling.mechanisms.drawing import Draw, systematic_draw, weighted_draw

if TYPE_CHECKING:
    from pubench.data.values import Matrix
    from pubench.specs import JSONValue

__all__ = ["Mechanism", "WeightedMechanism"]


@dataclass(frozen=True, slots=True)
class Mechanism(ABC):
    """A labelling mechanism.

    The fields of a subclass are its parameters. A suite sets them in a table that has the mechanism's name; the
    metadata of a field are the arguments of pydantic's ``Field`` for that key, at least its ``description``.

    Attributes
    ----------
    name : str
        What suites call the mechanism.
    summary : str
        One clause for the reference of suite keys.
    """

    name: ClassVar[str]
    summary: ClassVar[str]

    @abstractmethod
    def propensities(
        self,
        features: Callable[[], Matrix],
        y: NDArray[np.uint8],
        frequency: float,
        rng: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Return the propensity e(x) = Pr(s = 1 | y = 1, x) of every row, with the given mean over the positives.

        Parameters
        ----------
        features : callable
            Returns the rows, shape (n, d). A mechanism that ignores features does not call it.
        y : uint8 array of shape (n,)
            True classes, 1 = positive.
        frequency : float in (0, 1)
            The mean propensity of the positives.
        rng : Generator

        Returns
        -------
        array of shape (n,)
            Numbers in (0, 1).
        """

    def draw(
        self, features: Callable[[], Matrix], y: NDArray[np.uint8], count: int, rng: np.random.Generator
    ) -> Draw:
        """Label ``count`` positives, each with its propensity; with replacement if there are fewer positives."""
        n_positive = int(np.count_nonzero(y))
        # If every positive is labelled, or some more than once, the propensities at one half are the weights.
        frequency = count / n_positive if count < n_positive else 0.5
        propensity = self.propensities(features, y, frequency, rng)
        return systematic_draw(propensity, y, count, rng)

    def check_columns(self, number: int) -> None:  # noqa: B027 (most mechanisms name no column)
        """Raise DataError if a parameter names a column that rows of this many columns do not have."""

    def parameters(self) -> dict[str, JSONValue]:
        """Return the parameters, each prefixed with the name of the mechanism."""
        return {f"{self.name}_{key}": value for key, value in asdict(self).items()}

    @property
    def label(self) -> str:
        """The name in the labels of tables, with the strength if the mechanism has one."""
        strength = self.parameters().get(f"{self.name}_strength")
        return self.name if strength is None else f"{self.name} {strength:g}"


class WeightedMechanism(Mechanism):
    """A mechanism that gives each row a weight: positives are drawn one after another in proportion to it."""

    __slots__ = ()

    @abstractmethod
    def log_weights(
        self, features: Callable[[], Matrix], y: NDArray[np.uint8], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return the logarithm of each row's weight, shape (n,)."""

    def propensities(
        self,
        features: Callable[[], Matrix],
        y: NDArray[np.uint8],
        frequency: float,
        rng: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Return the probability of being among the rows drawn; see :func:`weighted_draw`."""
        count = max(1, round(frequency * int(np.count_nonzero(y))))
        return self.draw(features, y, count, rng).propensity

    def draw(
        self, features: Callable[[], Matrix], y: NDArray[np.uint8], count: int, rng: np.random.Generator
    ) -> Draw:
        """Draw ``count`` positives by their weights; with replacement if there are fewer positives."""
        return weighted_draw(self.log_weights(features, y, rng), y, count, rng)
