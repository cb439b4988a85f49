"""In the child: ask a prior estimator about a labelled data set. No true label comes along."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from pubench.child.fitting import protect, take_rows
from pubench.data.preprocess import Preprocess, fit_preprocess
from pubench.data.stored import read_features
from pubench.plugins.imports import load_files, resolve
from pubench.priors import checked
from pubench.sandbox.messages import Message

if TYPE_CHECKING:
    from pubench.child.channel import Channel

__all__ = ["serve_prior"]


def serve_prior(message: Message, channel: Channel) -> None:
    """Answer a request with the estimate and the seconds it took; what the estimator raises is told by the caller."""
    request, (rows, s) = message.header, message.arrays
    load_files(request["files"])
    data = request["data"]
    X = take_rows(read_features(data["folder"], data["sparse"], data["n_features"]), rows)
    categorical = {int(column): int(codes) for column, codes in data["categorical"]}
    prepared = fit_preprocess(
        Preprocess(**request["preprocess"]), X, categorical, missing=bool(data["missing"])
    )
    X = protect(prepared.transform(X))
    function = resolve(request["function"])
    started = time.perf_counter()
    answer = function(X, s, scenario=request["scenario"], random_state=request["seed"], **request["params"])
    found = checked(answer, request["name"])
    channel.send({"kind": "prior", "seconds": time.perf_counter() - started} | asdict(found))
