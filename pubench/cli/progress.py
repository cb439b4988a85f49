"""Live progress of a run: a bar in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
import warnings
from types import TracebackType
from typing import Self

import click

from pubench.cli.loading import Loading
from pubench.plan.jobs import Cell
from pubench.results.record import Record
from pubench.status import Status

__all__ = ["Bar", "Lines", "Silent", "make_progress"]


class Silent:
    """Counts cells and prints nothing."""

    def __init__(self, *, shown: bool = False) -> None:
        self.total = self.finished = self.failed = 0
        self.stopping = False
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
        click.echo(f"pubench: {text}", err=True)

    def begin(self, total: int, finished: int) -> None:
        """Set the number of cells, and how many are already finished."""
        self._loading.close()
        self.total, self.finished = total, finished

    def done(self, cell: Cell, record: Record) -> None:
        """Count a cell that has ended."""
        self.finished += 1
        self.failed += record.status is not Status.OK
        if self.stopping:
            raise KeyboardInterrupt

    def stop(self, number: int, frame: object) -> None:
        """Handle a signal by stopping: now or, if Python ignores the exception (in ``__del__``), after this cell."""
        self.stopping = True
        # Messages of libraries about the interruption do not help the user. Their threads may fail on
        # tasks that are gone before this thread runs again, so silence them here, not where the interrupt is caught.
        sys.unraisablehook = lambda _: None
        threading.excepthook = lambda _: None
        warnings.simplefilter("ignore")
        raise KeyboardInterrupt


class Lines(Silent):
    """One line for each cell."""

    def begin(self, total: int, finished: int) -> None:
        """Print how many cells are already finished."""
        super().begin(total, finished)
        if finished:
            click.echo(f"{finished} of {total} cells are already finished", err=True)

    def done(self, cell: Cell, record: Record) -> None:
        """Print how a cell ended."""
        super().done(cell, record)
        error = f": {record.error.splitlines()[0]}" if record.error else ""
        click.echo(f"[{self.finished}/{self.total}] {record.status} {_name(cell)}{error}", err=True)


class Bar(Silent):
    """A bar with the numbers of finished, failed and running cells, and the time left."""

    def __init__(self, jobs: int) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        super().__init__(shown=True)
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


def make_progress(*, quiet: bool, jobs: int) -> Silent:
    """Return the progress display: none if quiet, a bar in a terminal, lines elsewhere."""
    if quiet:
        return Silent()
    return Bar(jobs) if sys.stderr.isatty() else Lines()


def _name(cell: Cell) -> str:
    parts = [cell.dataset, cell.labelling, cell.algorithm, cell.criterion, f"replicate {cell.replicate}"]
    return " | ".join(part for part in parts if part)
