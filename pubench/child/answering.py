"""In the child: who answers which request, and what is imported once for all tasks."""

from __future__ import annotations

from typing import NoReturn, assert_never

from pubench.child.confinement import Confinement, confine
from pubench.child.shared_memory import Snapshot, empty_shared_memory, look_at_shared_memory
from pubench.plugins.imports import import_all
from pubench.protocol import ProtocolError, Request
from pubench.protocol.requests import (
    DescribePlugin,
    Enter,
    EvaluateRequest,
    FitRequest,
    Fork,
    Limit,
    Listen,
    LoadRequest,
    OracleValues,
    Prepare,
    PriorRequest,
    RankRequest,
    Reap,
    StagesRequest,
    StoreRequest,
    TrialRequest,
    WarmUp,
)
from pubench.sandbox.channel import Channel
from pubench.sandbox.serving import Service, serve
from pubench.specs import Array

__all__ = ["serve_requests"]


_SHARED_MEMORY_MB = 1024


def serve_requests(descriptor: int) -> NoReturn:
    """Serve requests on a descriptor."""
    serve(Channel(descriptor), _Child())


class _Child(Service):
    """Loads data sets, or runs algorithms once it is confined, and removes the shared memory that they leave."""

    load = staticmethod(import_all)

    def __init__(self) -> None:
        self._confinement: Confinement | None = None
        self._before = Snapshot()

    def hide(self, places: tuple[str, ...]) -> None:
        """Hide the places of the truth."""
        self._confinement = confine(places, shared_memory_mb=_SHARED_MEMORY_MB)

    def before_fork(self) -> None:
        """Look at what is there before a task."""
        if self._confinement is not None:
            self._before = look_at_shared_memory(self._confinement)

    def after_fork(self) -> None:
        """Remove what a task left."""
        if self._confinement is not None:
            empty_shared_memory(self._confinement, self._before)

    def answer(self, request: Request, arrays: tuple[Array, ...], channel: Channel) -> None:
        """Answer a request; each kind imports only what it needs."""
        match request:
            case TrialRequest():
                from pubench.child.trial import serve_trial

                serve_trial(request, arrays, channel)
            case FitRequest():
                from pubench.child.final_fit import serve_fit

                serve_fit(request, arrays, channel)
            case RankRequest():
                from pubench.child.ranking import serve_rank

                serve_rank(request, arrays, channel)
            case StoreRequest():
                from pubench.child.ranking import serve_store

                serve_store(request, arrays, channel)
            case PriorRequest():
                from pubench.child.prior import serve_prior

                serve_prior(request, arrays, channel)
            case LoadRequest():
                from pubench.child.load import serve_load

                serve_load(request, channel)
            case DescribePlugin():
                from pubench.child.description import serve_description

                serve_description(request, channel)
            case WarmUp():
                from pubench.child.warm_up import warm_up

                # The first task must find what all others find.
                self.before_fork()
                warm_up(request)
                self.after_fork()
            case (
                OracleValues()
                | EvaluateRequest()
                | StagesRequest()
                | Enter()
                | Fork()
                | Limit()
                | Reap()
                | Listen()
                | Prepare()
            ):
                raise ProtocolError(f"{type(request).__name__} is not for the child")
            case _:
                assert_never(request)
