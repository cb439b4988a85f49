"""The base of labelling mechanisms, which ``assign`` calls to weight the positives that it may label."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pubench.data.values import Matrix
    from pubench.specs import JSONValue

__all__ = ["Mechanism"]


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
    def log_weights(
        self, features: Callable[[], Matrix], y: NDArray[np.uint8], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return the logarithm of each positive's weight: how likely it is to be labelled, up to a factor.

        Parameters
        ----------
        features : callable
            Returns the rows to label, shape (n, d). A mechanism that ignores features does not call it.
        y : uint8 array of shape (n,)
            True classes, 1 = positive.
        rng : Generator

        Returns
        -------
        array of shape (number of positives,)
        """

    def parameters(self) -> dict[str, JSONValue]:
        """Return the parameters, each prefixed with the name of the mechanism."""
        return {f"{self.name}_{key}": value for key, value in asdict(self).items()}
