"""Invented results of every method on every data set, under every labelling and criterion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from helpers.results import result_rows

LABELLINGS = ("single-training-set c=0.5", "case-control n_p=20")


def crossed_rows(
    methods: int | Sequence[str],
    datasets: int | Sequence[str],
    labellings: Sequence[str] = LABELLINGS[:1],
    criteria: Sequence[str | None] = ("puf",),
    *,
    replicates: int = 3,
    references: Sequence[str] = (),
    scale: float = 1.0,
    failing: float = 0.0,
) -> list[dict[str, Any]]:
    """Return rows; numbers stand for invented names, ``failing`` is the share of rows that failed."""
    names = tuple(f"method-{j}" for j in range(methods)) if isinstance(methods, int) else tuple(methods)
    labels = [f"data-{i}" for i in range(datasets)] if isinstance(datasets, int) else list(datasets)
    rng, rows = np.random.default_rng(0), []
    for labelling in labellings:
        for criterion in criteria:
            scores = scale * (0.7 + 0.2 * rng.random((len(labels), 1)) + 0.05 * rng.random((1, len(names))))
            scores = scores + scale * 0.01 * rng.random((len(labels), len(names)))
            rows += result_rows(scores, names, replicates, labelling=labelling, criterion=criterion)
    for row in rows:
        row["dataset"] = labels[int(row["dataset"].removeprefix("data_"))]
        row["reference"] = row["algorithm"] in references
        if rng.random() < failing:
            row |= {"status": "failed", "acc": None}
    return rows
