"""What a method says while it trains, and who listens: nobody, unless a run does."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar

__all__ = ["Listener", "PrunedError", "listening", "progress"]

Listener = Callable[[int, int, float | None], None]
"""Takes a step, the number of steps, and the value after it."""

# Of this thread and no other, and only while a fit is listened to.
_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


class PrunedError(BaseException):
    """The search has given up this setting: training ends here.

    It is no ``Exception``, so that a method which handles errors of its own does not go on after it.
    """


def progress(step: int, total: int, value: float | None = None) -> None:
    """Say how far training is; call it after each epoch, round or stage.

    In a run, the terminal and the live page show it. A search with a pruner compares ``value`` with that of other
    settings at the same step, and may end the fit here. Outside a run nothing happens.

    Parameters
    ----------
    step : int
        The number of steps that are done, from 1.
    total : int
        The number of steps in all.
    value : float, optional
        How good the model is after this step: the lower, the better, such as a risk on held-out rows. It must not
        depend on the time or on the machine, or results do, too.

    Raises
    ------
    PrunedError
        If the search has given up this setting; let it pass.

    Examples
    --------
    >>> for epoch in range(1, 4):
    ...     pubench.progress(epoch, 3, value=1 / epoch)  # heard by a run; alone it does nothing
    ...
    """
    listener = _LISTENER.get()
    if listener is not None:
        listener(int(step), int(total), None if value is None else float(value))


@contextlib.contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let ``listener`` take what is said by :func:`progress` in this block."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)
