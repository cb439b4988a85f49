"""The process that runs metrics: ``python -m pubench.evaluator``, with true classes and without algorithms.

Metrics are plugins' functions: one that hangs or crashes must not take the worker with it, so they run here, each
request in a fork of its own. It imports little, so that it starts and forks quickly.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pubench.plugins.imports import import_all
from pubench.protocol import Predictions, ProtocolError, Request
from pubench.protocol.replies import Evaluated, Scoring, Stages
from pubench.protocol.requests import EvaluateRequest, StagesRequest
from pubench.sandbox.channel import Channel
from pubench.sandbox.linux import die_with_parent, protect_memory
from pubench.sandbox.serving import Service, serve
from pubench.scoring import finite, score_criteria, score_metric
from pubench.specs import Array
from pubench.status import Problem

__all__ = ["main"]


def main(arguments: Sequence[str]) -> None:
    """Serve requests: the arguments are a descriptor and the worker's process."""
    descriptor, worker = map(int, arguments)
    die_with_parent(worker)
    protect_memory()
    serve(Channel(descriptor), _Evaluator())


class _Evaluator(Service):
    """Runs metrics."""

    load = staticmethod(import_all)

    def answer(self, request: Request, arrays: tuple[Array, ...], channel: Channel) -> None:
        """Answer a request with values."""
        match request:
            case EvaluateRequest():
                channel.send(_evaluate(request, arrays[0], Predictions.from_arrays(arrays[1:]), channel))
            case StagesRequest():
                channel.send(_evaluate_stages(request, arrays[0], arrays[1], channel))
            case _:
                raise ProtocolError(f"{type(request).__name__} is not for the evaluator")


def _evaluate(
    request: EvaluateRequest, y: NDArray[np.uint8], predictions: Predictions, channel: Channel
) -> Evaluated:
    """Return each metric (None where it is undefined) and a note for each that raised."""
    values: dict[str, float | None] = {}
    notes: list[str] = []
    for metric in request.metrics:
        channel.send(Scoring(name=metric.name))
        score = score_metric(metric, y, predictions)
        if isinstance(score, Problem):
            notes.append(f"metric '{metric.name}' raised {score.error}")
        values[metric.name] = finite(score)
    for criterion in request.criteria:
        channel.send(Scoring(name=criterion.name))
        found, problems = score_criteria(
            [criterion], y, predictions, request.prior, request.scenario, where="test"
        )
        values |= found
        notes += problems
    return Evaluated(values=values, notes=tuple(notes))


def _evaluate_stages(
    request: StagesRequest, y: NDArray[np.uint8], scores: NDArray[np.float64], channel: Channel
) -> Stages:
    """Return each metric after each stage; those of probabilities are left out."""
    plain = tuple(metric for metric in request.metrics if metric.uses != "probability")
    asked = EvaluateRequest(metrics=plain)
    decisions = (scores >= 0).astype(np.uint8)
    stages = [
        _evaluate(asked, y, Predictions(*stage, None), channel).values
        for stage in zip(scores, decisions, strict=True)
    ]
    return Stages(values={metric.name: tuple(stage[metric.name] for stage in stages) for metric in plain})


if __name__ == "__main__":
    main(sys.argv[1:])
