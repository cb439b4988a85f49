"""What methods say while they train, on its way from a worker process to the driver: seen now, or not at all.

News are for people who watch a run. No result depends on them: they are dropped where nobody reads them in time.
"""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from pubench.protocol import from_json, to_json
from pubench.protocol.replies import TrainingStep
from pubench.run.tasks import FitTask, TrialTask

__all__ = ["Hear", "Mailbox", "TrainingNews", "news_of", "news_text", "read_news", "sender"]

_LARGEST, _MOST = 4096, 1000


class TrainingNews(msgspec.Struct, frozen=True, kw_only=True):
    """How far a fit is: the key of its cell, whether it is a trial of a search, and its step."""

    key: str
    trial: bool
    step: int
    total: int
    value: float | None = None


Hear = Callable[[TrainingNews], None]
_DECODER = msgspec.json.Decoder(TrainingNews)


def news_of(task: TrialTask | FitTask, step: TrainingStep) -> TrainingNews:
    """Return the news of a task; cells that share a search are known by the first of them."""
    key, trial = task.job.cells[0].key, isinstance(task, TrialTask)
    return TrainingNews(key=key, trial=trial, step=step.step, total=step.total, value=step.value)


def news_text(news: TrainingNews) -> bytes:
    """Return news as they travel."""
    return to_json(news)


def read_news(text: bytes) -> TrainingNews | None:
    """Return news that have travelled; None for what cannot be read."""
    with contextlib.suppress(ValueError):
        return from_json(_DECODER, text)
    return None


class Mailbox:
    """The driver's end: a socket in a folder of this user, on which news arrive as datagrams."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="pubench-")
        self.address = str(Path(self._folder.name) / "news")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.bind(self.address)

    def collect(self) -> Iterator[TrainingNews]:
        """Yield what has arrived; what cannot be read is dropped."""
        for _ in range(_MOST):
            try:
                data = self._socket.recv(_LARGEST)
            except OSError:
                return
            if (news := read_news(data)) is not None:
                yield news

    def close(self) -> None:
        """Remove the socket."""
        self._socket.close()
        self._folder.cleanup()


def sender(address: str) -> Hear:
    """Return a worker's end: news go to a mailbox, as long as there is room."""
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    channel.setblocking(False)
    os.set_inheritable(channel.fileno(), False)

    def send(news: TrainingNews) -> None:
        with contextlib.suppress(OSError):
            channel.sendto(news_text(news), address)

    return send
