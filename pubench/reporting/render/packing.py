"""The rows behind a page, compressed so that the HTML file can contain them."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence

import numpy as np

from pubench.results.table import Row

__all__ = ["packed"]

_SHOWN = (
    "status",
    "params",
    "search",
    "error",
    "collapsed",
    "notes",
    "fit_seconds",
    "tune_seconds",
    "peak_memory_mb",
)


def packed(metrics: Sequence[str], rows: Sequence[Row]) -> str:
    """Return the rows as compressed JSON in base64; rows refer to texts by their number."""
    known = [name for name in _SHOWN if any(row.get(name) is not None for row in rows)]
    columns = ["dataset", "labelling", "criterion", "algorithm", "replicate", *metrics, *known]
    texts: dict[str, int] = {}

    def coded(value: object) -> object:
        if isinstance(value, str):
            return f"#{texts.setdefault(value, len(texts))}"
        if isinstance(value, float):
            return float(f"{value:.4g}") if np.isfinite(value) else str(value)
        return value

    lines = [[coded(row.get(name)) for name in columns] for row in rows]
    data = {"columns": columns, "metrics": list(metrics), "rows": lines, "texts": list(texts)}
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, default=str)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")
