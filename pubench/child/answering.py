"""In the child: who answers which request, and what is imported once for all tasks."""

from __future__ import annotations

from typing import NoReturn, assert_never

from pubench.child.confinement import Confinement
from pubench.child.shared_memory import Snapshot, empty_shared_memory, look_at_shared_memory
from pubench.plugins.imports import import_all
from pubench.protocol import ProtocolError, Request
from pubench.protocol.requests import (
    EvaluateRequest,
    FitRequest,
    Fork,
    Limit,
    LoadRequest,
    OracleValues,
    Prepare,
    PriorRequest,
    Reap,
    StagesRequest,
    TrialRequest,
    WarmUp,
)
from pubench.sandbox.channel import Channel
from pubench.sandbox.serving import Service, serve
from pubench.specs import Array

__all__ = ["serve_requests"]


def serve_requests(descriptor: int, confinement: Confinement | None) -> NoReturn:
    """Serve requests on a descriptor; only a confined process runs algorithms."""
    channel = Channel(descriptor)
    if confinement is None:
        serve(channel, _Child())
    _import_what_algorithms_need()
    serve(channel, _ConfinedChild(confinement))


class _Child(Service):
    """Loads data sets."""

    load = staticmethod(import_all)

    def answer(self, request: Request, arrays: tuple[Array, ...], channel: Channel) -> None:
        """Answer a request; each kind imports only what it needs."""
        match request:
            case TrialRequest():
                from pubench.child.trial import serve_trial

                serve_trial(request, arrays, channel)
            case FitRequest():
                from pubench.child.final_fit import serve_fit

                serve_fit(request, arrays, channel)
            case PriorRequest():
                from pubench.child.prior import serve_prior

                serve_prior(request, arrays, channel)
            case LoadRequest():
                from pubench.child.load import serve_load

                serve_load(request, channel)
            case WarmUp():
                from pubench.child.warm_up import warm_up

                warm_up(request)
            case OracleValues() | EvaluateRequest() | StagesRequest() | Fork() | Limit() | Reap() | Prepare():
                raise ProtocolError(f"{type(request).__name__} is not for the child")
            case _:
                assert_never(request)


class _ConfinedChild(_Child):
    """Runs algorithms, and removes the shared memory that they leave."""

    def __init__(self, confinement: Confinement) -> None:
        self._confinement, self._before = confinement, Snapshot()

    def before_fork(self) -> None:
        """Look at what is there before a task."""
        self._before = look_at_shared_memory(self._confinement)

    def after_fork(self) -> None:
        """Remove what a task left."""
        empty_shared_memory(self._confinement, self._before)


def _import_what_algorithms_need() -> None:
    """Import once, in the process that all others are forked from, what every task needs."""
    import pubench.base
    import pubench.child.final_fit
    import pubench.child.trial  # noqa: F401
