"""Live progress of a run: a bar in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from pubench.cli.loading import Loading
from pubench.cli.signals import Signals
from pubench.cli.streams import show
from pubench.plan.jobs import Cell
from pubench.results.record import Record
from pubench.status import Status

__all__ = ["Bar", "Lines", "Silent", "make_progress"]


class Silent:
    """Counts cells and prints nothing."""

    def __init__(self, signals: Signals, *, shown: bool = False) -> None:
        self.total = self.finished = self.failed = self.before = 0
        self._signals = signals
        # Data are loaded before the first cell runs.
        self._loading = Loading(shown=shown)

    def __enter__(self) -> Self:
        self._loading.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loading.close()
        self.close()

    def close(self) -> None:
        """Stop showing anything."""

    def note(self, text: str) -> None:
        """Print a note that the user should see even if nothing else is shown."""
        show(f"pubench: {text}")

    def begin(self, total: int, finished: int) -> None:
        """Set the number of cells, and how many are already finished."""
        self._loading.close()
        self.total, self.finished, self.before = total, finished, finished

    def done(self, cell: Cell, record: Record) -> None:
        """Count a cell that has ended."""
        self.finished += 1
        self.failed += record.status is not Status.OK
        self._signals.check()


class Lines(Silent):
    """One line for each cell."""

    def begin(self, total: int, finished: int) -> None:
        """Print how many cells are already finished."""
        super().begin(total, finished)
        if finished:
            show(f"{finished} of {total} cells are already finished")

    def done(self, cell: Cell, record: Record) -> None:
        """Print how a cell ended."""
        super().done(cell, record)
        error = f": {record.error.splitlines()[0]}" if record.error else ""
        show(f"[{self.finished}/{self.total}] {record.status} {_name(cell)}{error}")


class Bar(Silent):
    """A bar with the numbers of finished, failed and running cells, and the time left."""

    def __init__(self, signals: Signals, jobs: int) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        super().__init__(signals, shown=True)
        self._jobs = jobs
        self._progress = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[state]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._shown = 0.0

    def begin(self, total: int, finished: int) -> None:
        """Show the bar."""
        super().begin(total, finished)
        self._progress.start()
        self._task = self._progress.add_task("", total=total, completed=finished, state=self._state())

    def done(self, cell: Cell, record: Record) -> None:
        """Advance the bar; failures stay on the screen above it."""
        super().done(cell, record)
        if record.status is not Status.OK:
            from rich.markup import escape

            self._progress.console.print(escape(f"{record.status}: {_name(cell)}: {record.error or ''}"))
        if time.monotonic() - self._shown > 0.05 or self.finished == self.total:
            self._shown = time.monotonic()
            self._progress.update(self._task, completed=self.finished, state=self._state())

    def close(self) -> None:
        """Stop updating the bar."""
        self._progress.stop()

    def _state(self) -> str:
        return f"{self.failed} failed, {min(self._jobs, self.total - self.finished)} running"


def make_progress(signals: Signals, *, quiet: bool, jobs: int) -> Silent:
    """Return the progress display: none if quiet, a bar in a terminal, lines elsewhere."""
    if quiet:
        return Silent(signals)
    return Bar(signals, jobs) if sys.stderr is not None and sys.stderr.isatty() else Lines(signals)


def _name(cell: Cell) -> str:
    parts = [cell.dataset, cell.labelling, cell.algorithm, cell.criterion, f"replicate {cell.replicate}"]
    return " | ".join(part for part in parts if part)
