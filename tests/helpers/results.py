"""Rows of results as runs have them, made up."""

from __future__ import annotations

from typing import Any

import numpy as np


def result_rows(
    scores: np.ndarray, names: tuple[str, ...], replicates: int = 1, **keys: Any
) -> list[dict[str, Any]]:
    """Return a row for each data set, algorithm and replicate; a score that is NaN makes a failed cell."""
    rng = np.random.default_rng(0)
    plain = {"labelling": "l", "criterion": "puf", "error": None, "n_p": 10, "n_u": 60, "n_test": 30}
    rows = []
    for i, line in enumerate(scores):
        for name, score in zip(names, line.tolist(), strict=True):
            for replicate in range(replicates):
                value = score + (rng.normal(0, 0.01) if replicates > 1 else 0.0)
                found = (
                    {"status": "ok", "acc": value} if score == score else {"status": "failed", "acc": None}
                )
                place = {"dataset": f"data_{i}", "algorithm": name, "replicate": replicate}
                rows.append(plain | place | found | keys)
    return rows
