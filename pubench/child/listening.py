"""In the child: what a method says while it trains goes to the worker, and may end a trial."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pubench.child.pruning import gives_up, is_looked_at
from pubench.estimators.progress import PrunedError, listening
from pubench.protocol.parts import Curve, Pruning
from pubench.protocol.replies import TrainingStep

if TYPE_CHECKING:
    from pubench.sandbox.channel import Channel

__all__ = ["TrainingListener"]

_SECONDS = 0.2
"""The least time between two messages: a fast method must not spend its time on them."""


class TrainingListener:
    """Listens to the fits of a task, one after the other.

    Parameters
    ----------
    channel : Channel
    pruning : Pruning, optional
        The rule of the search, where it has one.
    """

    def __init__(self, channel: Channel, pruning: Pruning | None = None) -> None:
        self._channel, self._pruning, self._said = channel, pruning, -math.inf
        self._curves: list[list[tuple[int, float]]] = []

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The values that counted, fit by fit."""
        return tuple(map(tuple, self._curves))

    @contextlib.contextmanager
    def fit(self) -> Iterator[None]:
        """Listen to a fit."""
        self._curves.append([])
        with listening(self._hear):
            yield

    def _hear(self, step: int, total: int, value: float | None) -> None:
        value = value if value is not None and math.isfinite(value) else None
        now = time.monotonic()
        if now - self._said >= _SECONDS or step >= total:
            self._said = now
            # A forked copy of this process has no channel.
            with contextlib.suppress(OSError):
                self._channel.send(TrainingStep(step=step, total=total, value=value))
        if self._pruning is not None and value is not None and is_looked_at(step, total):
            self._judge(self._pruning, step, total, value)

    def _judge(self, pruning: Pruning, step: int, total: int, value: float) -> None:
        curve = self._curves[-1]
        if curve and curve[-1][0] >= step:
            # A method of several networks counts again from 1: the first one decides.
            return
        curve.append((step, value))
        if gives_up(pruning, len(self._curves) - 1, tuple(curve), total):
            raise PrunedError(f"given up at step {step} of {total}")
