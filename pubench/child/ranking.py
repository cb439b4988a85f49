"""In the child: fits for advice on a person's own table, which rank rows or are kept."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pubench.child.fitting import decide
from pubench.child.learning import Learning
from pubench.estimators.out_of_fold import ranking_scores
from pubench.protocol.replies import Ranked, Stored

if TYPE_CHECKING:
    from pubench.protocol.requests import RankRequest, StoreRequest
    from pubench.sandbox.channel import Channel
    from pubench.specs import Array

__all__ = ["serve_rank", "serve_store"]


def serve_rank(request: RankRequest, arrays: Sequence[Array], channel: Channel) -> None:
    """Answer with scores and decisions of the test rows."""
    learning = Learning(request.setting, arrays)
    fitting = learning.rows.fitting()
    X_test = fitting.preprocess.transform(learning.rows.test_rows())
    started = time.perf_counter()
    model = learning.fit({}, fitting).estimator
    scores = ranking_scores(model, X_test)
    decisions = decide(model, X_test)
    channel.send(Ranked(seconds=time.perf_counter() - started), [np.ascontiguousarray(scores), decisions])


def serve_store(request: StoreRequest, arrays: Sequence[Array], channel: Channel) -> None:
    """Answer with the fitted model."""
    from pubench.estimators.stored_models import estimator_bytes

    learning = Learning(request.setting, arrays)
    model = learning.fit({}, learning.rows.fitting()).estimator
    channel.send(Stored(), [np.frombuffer(estimator_bytes(model), dtype=np.uint8)])
