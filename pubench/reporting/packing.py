"""The rows behind a page, small enough to go along with it, and what its run was made with."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pubench.stats.scores import Row

__all__ = ["Made", "made_by", "packed"]

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
_MACHINE = {"cpu": "", "cores": " cores", "memory_mb": " MB"}


def packed(metrics: Sequence[str], rows: Sequence[Row]) -> str:
    """Return the rows as compressed JSON: texts once, in lists that rows point into."""
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


class Made(NamedTuple):
    """The command that made a run, and what it was made with, as names and texts."""

    command: str
    lines: tuple[tuple[str, str], ...]


def made_by(entry: Mapping[str, Any]) -> Made:
    """Read an entry of ``provenance.json``."""
    command = " ".join(["pubench", *map(str, entry.get("command", [])[1:])])
    packages = ", ".join(f"{name} {version}" for name, version in entry.get("packages", {}).items())
    plugins = ", ".join(
        f"{plugin.get('plugin')} ({plugin.get('distribution')} {plugin.get('version')})"
        for plugin in entry.get("plugins", [])
    )
    shown = {
        "Started": entry.get("started"),
        "Python": entry.get("python"),
        "Platform": entry.get("platform"),
        "Processor": ", ".join(f"{entry[key]}{unit}" for key, unit in _MACHINE.items() if entry.get(key)),
        "Packages": packages,
        "Plugins": plugins,
    }
    return Made(command, tuple((name, str(value)) for name, value in shown.items() if value))
