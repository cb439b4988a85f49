"""An actor of ray that keeps what methods say while they train, until the driver asks."""

from __future__ import annotations

import contextlib
from collections import deque
from typing import Any

from pubench.run.news import Hear, TrainingNews, news_text

__all__ = ["RayMailbox", "sender_to"]

_MOST_NEWS = 1000


class _Kept:
    """What was said and not yet collected; the oldest make room."""

    def __init__(self) -> None:
        self._said: deque[bytes] = deque(maxlen=_MOST_NEWS)

    def put(self, text: bytes) -> None:
        """Keep news."""
        self._said.append(text)

    def collect(self) -> list[bytes]:
        """Return what was kept, and forget it."""
        said = list(self._said)
        self._said.clear()
        return said


class RayMailbox:
    """The driver's end: there is always one question under way, and nobody waits for its answer."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self.actor: Any = ray.remote(num_cpus=0)(_Kept).remote()
        self._question: object = self.actor.collect.remote()

    def collect(self) -> list[bytes]:
        """Return what the actor has answered, and ask again; the actor may be lost."""
        if self._question is None:
            return []
        with contextlib.suppress(self._ray.exceptions.RayError):
            if not self._ray.wait([self._question], timeout=0)[0]:
                return []
            said: list[bytes] = self._ray.get(self._question)
            self._question = self.actor.collect.remote()
            return said
        self._question = None
        return []


def sender_to(actor: Any) -> Hear:
    """Return a worker's end."""

    def send(news: TrainingNews) -> None:
        actor.put.remote(news_text(news))

    return send
