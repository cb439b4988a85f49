"""In the child: ask a prior estimator about a labelled data set. No true label comes along."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pubench.child.fitting import protect, seed_global_generators, take_rows
from pubench.data.preprocess import fit_preprocess
from pubench.data.stored import read_features
from pubench.plugins.imports import resolve
from pubench.priors import checked
from pubench.protocol.replies import PriorFound
from pubench.protocol.requests import PriorRequest

if TYPE_CHECKING:
    from pubench.sandbox.channel import Channel
    from pubench.specs import Array

__all__ = ["serve_prior"]


def serve_prior(request: PriorRequest, arrays: Sequence[Array], channel: Channel) -> None:
    """Answer a request with the estimate and the seconds it took."""
    rows, s = arrays
    X = take_rows(read_features(request.data), rows)
    missing = bool(request.data.missing)
    fitted = fit_preprocess(request.preprocess, X, dict(request.data.categorical), missing=missing)
    X = protect(fitted.transform(X))
    function = resolve(request.function)
    seed_global_generators(request.seed)
    started = time.perf_counter()
    answer = function(X, s, scenario=request.scenario, random_state=request.seed, **request.params)
    estimate = checked(answer, request.name)
    channel.send(
        PriorFound(
            value=estimate.value,
            low=estimate.low,
            high=estimate.high,
            level=estimate.level,
            doubts=estimate.doubts,
            seconds=time.perf_counter() - started,
            upper=estimate.upper,
        )
    )
