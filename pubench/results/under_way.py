"""What is being trained in a run that goes on: a small file for the live page, removed when the run ends."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from pubench.data.cache import write_atomically
from pubench.plan.jobs import Cell
from pubench.protocol import to_json

__all__ = ["FILE", "Training", "UnderWay", "read_under_way"]

FILE = "training.json"
_SECONDS, _MOST = 1.0, 20


class Training(NamedTuple):
    """How far a fit of a cell is: the cell in words, the steps done, all steps, and the value after them."""

    cell: str
    step: int
    total: int
    value: float | None = None


class UnderWay:
    """Writes what is being trained into a run folder, at most once a second."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._clock, self._written = folder / FILE, clock, float("-inf")
        self._latest: dict[str, Training] = {}

    def note(self, cell: Cell, step: int, total: int, value: float | None) -> None:
        """Take how far a cell is; one that has reached its last step makes room."""
        self._latest.pop(cell.key, None)
        if step < total:
            self._latest[cell.key] = Training(_name(cell), step, total, value)
        if self._clock() - self._written >= _SECONDS:
            self._written = self._clock()
            # Only who watches would miss it.
            with contextlib.suppress(OSError):
                write_atomically(self._path, to_json(list(self._latest.values())[-_MOST:]).decode())

    def clear(self) -> None:
        """Remove the file: nothing is being trained any more."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)


def read_under_way(folder: Path) -> list[Training]:
    """Return what was being trained when the file was last written; nothing if there is none."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=list[Training])
    except (OSError, ValueError):
        return []


def _name(cell: Cell) -> str:
    parts = (cell.dataset, cell.labelling, cell.algorithm, cell.criterion, f"replicate {cell.replicate}")
    return ", ".join(part for part in parts if part)
