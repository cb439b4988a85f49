"""Live progress of a run: a bar in a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Self

from pubench.cli.loading import Loading
from pubench.cli.signals import Signals
from pubench.cli.streams import show
from pubench.errors import be, counted
from pubench.plan.jobs import Cell, Job
from pubench.results.record import Record
from pubench.run.news import TrainingNews
from pubench.run.remaining import Countdown, Kind, Remaining, cost_of, kinds_of
from pubench.status import Status

__all__ = ["Bar", "Lines", "Silent", "TimeLeft", "make_progress", "making_report"]

EVERY_CELL = 200
"""Up to this number of cells each has a line; of more there is a line every ten seconds."""
LINE_SECONDS, BAR_SECONDS = 10.0, 0.05
LONG_REPORT = 1_000
"""From so many cells on the report takes a while."""
_OF_THE_REPORT = ("pubench.reporting", "scipy.stats", "matplotlib.figure")


def _import_for_report() -> None:
    for module in _OF_THE_REPORT:
        importlib.import_module(module)


class TimeLeft:
    """The time left by a clock; ``clock`` returns seconds."""

    def __init__(self, jobs: Sequence[Job], clock: Callable[[], float]) -> None:
        self._kinds: dict[str, Kind] = kinds_of(jobs)
        self._remaining = Remaining(self._kinds.values())
        self._clock, self._start = clock, clock()
        self._countdown: Countdown | None = None
        self._estimated = 0.0

    def finish(self, cell: Cell, record: Record) -> None:
        """Take a finished cell."""
        kind = self._kinds.get(cell.key)
        if kind is None:
            return
        self._remaining.finish(kind, cost_of(record))
        now = self._clock() - self._start
        if self._countdown is not None and now - self._estimated < BAR_SECONDS:
            return
        self._estimated, estimate = now, self._remaining.seconds(now)
        if estimate is not None:
            before = self._countdown
            self._countdown = Countdown(estimate, now) if before is None else before.corrected(estimate, now)

    @property
    def text(self) -> str:
        """The time left as hours, minutes and seconds; dashes while it is unknown."""
        if self._countdown is None:
            return "-:--:--"
        minutes, seconds = divmod(round(self._countdown.now(self._clock() - self._start)), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


class Silent:
    """Counts cells and prints nothing."""

    def __init__(
        self, signals: Signals, *, shown: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.total = self.finished = self.failed = self.before = 0
        self._signals, self._clock = signals, clock
        # Data are loaded before the first cell runs.
        self._loading = Loading(shown=shown)
        self._waits = 0

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

    def expect(self, jobs: Sequence[Job]) -> None:
        """Take the jobs that are to be run."""

    def tasks(self, running: int, workers: int, trials: int) -> None:
        """Import what the report will need while workers are busy, and not after the last task."""
        self._waits += 1
        # Before the first outcome workers make imports of their own, and should not wait for this process.
        if workers > 1 and self._waits == 2:
            # In a thread: the driver goes on handing out tasks.
            threading.Thread(target=_import_for_report, daemon=True).start()

    def training(self, cell: Cell, news: TrainingNews) -> None:
        """Take how far a fit is."""

    def done(self, cell: Cell, record: Record) -> None:
        """Count a cell that has ended."""
        self.finished += 1
        self.failed += record.status is not Status.OK
        self._signals.check()


class Lines(Silent):
    """One line for each cell; where there are many, one for each failure and one now and then."""

    _left: TimeLeft | None = None
    _shown = float("-inf")
    _trained = 0.0

    def begin(self, total: int, finished: int) -> None:
        """Print how many cells are already finished."""
        super().begin(total, finished)
        self._trained = self._clock()
        if finished:
            show(f"{finished} of {counted(total, 'cell')} {be(total)} already finished")

    def expect(self, jobs: Sequence[Job]) -> None:
        """Start to estimate the time left, where cells are many."""
        if self.total > EVERY_CELL:
            self._left = TimeLeft(jobs, self._clock)

    def done(self, cell: Cell, record: Record) -> None:
        """Print how a cell ended."""
        super().done(cell, record)
        if self._left is not None:
            self._left.finish(cell, record)
        if self._is_shown(record):
            error = f": {record.error.splitlines()[0]}" if record.error else ""
            left = f" ({self.failed} failed, {self._left.text} left)" if self._left is not None else ""
            show(f"[{self.finished}/{self.total}] {record.status} {_name(cell)}{error}{left}")

    def training(self, cell: Cell, news: TrainingNews) -> None:
        """Print now and then how far a fit is that takes long."""
        if self._clock() - self._trained >= LINE_SECONDS:
            self._trained = self._clock()
            show(f"[{self.finished}/{self.total}] training {_name(cell)}: {_how_far(news)}")

    def _is_shown(self, record: Record) -> bool:
        if record.status is not Status.OK or self.total <= EVERY_CELL or self.finished == self.total:
            return True
        if self._clock() - self._shown < LINE_SECONDS:
            return False
        self._shown = self._clock()
        return True


class Bar(Silent):
    """A bar with the numbers of cells, failures, running tasks, workers and trials, and the time left."""

    def __init__(self, signals: Signals, jobs: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        super().__init__(signals, shown=True)
        self._running, self._workers, self._trials, self._training = 0, jobs, 0, ""
        self._left: TimeLeft | None = None
        self._progress = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[state]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            # The time left is asked for at every refresh: it counts down while no cell ends.
            TextColumn("{task.fields[left]}"),
            console=Console(stderr=True),
        )
        self._shown = 0.0

    def begin(self, total: int, finished: int) -> None:
        """Show the bar."""
        super().begin(total, finished)
        self._progress.start()
        self._task = self._progress.add_task(
            "", total=total, completed=finished, state=self._state(), left=_Live(self)
        )

    def expect(self, jobs: Sequence[Job]) -> None:
        """Start to estimate the time left."""
        self._left = TimeLeft(jobs, self._clock)

    def tasks(self, running: int, workers: int, trials: int) -> None:
        """Show the numbers of tasks, workers and trials."""
        self._running, self._workers, self._trials = running, workers, trials
        self._update()
        super().tasks(running, workers, trials)

    def done(self, cell: Cell, record: Record) -> None:
        """Advance the bar; failures stay on the screen above it."""
        super().done(cell, record)
        if self._left is not None:
            self._left.finish(cell, record)
        if record.status is not Status.OK:
            from rich.markup import escape

            self._progress.console.print(escape(f"{record.status}: {_name(cell)}: {record.error or ''}"))
        self._update()

    def training(self, cell: Cell, news: TrainingNews) -> None:
        """Show how far the last fit is that was heard of."""
        self._training = f", {cell.algorithm} on {cell.dataset}: {_how_far(news)}"
        self._update()

    def close(self) -> None:
        """Stop updating the bar."""
        self._progress.stop()

    def left(self) -> str:
        """Return the time left in words."""
        if self.finished == self.total:
            return "0:00:00"
        return self._left.text if self._left is not None else "-:--:--"

    def _update(self) -> None:
        if self._clock() - self._shown > BAR_SECONDS or self.finished == self.total:
            self._shown = self._clock()
            self._progress.update(self._task, completed=self.finished, state=self._state())

    def _state(self) -> str:
        running = min(self._running, self._workers)
        waiting = f", {self._running - running} waiting" if self._running > running else ""
        trials = f", {counted(self._trials, 'trial')}" if self._trials else ""
        workers = f" on {self._workers} workers" if self._workers > 1 else ""
        return f"{self.failed} failed, {running} running{workers}{waiting}{trials}{self._training}"


class _Live:
    """A text that is made again whenever it is shown."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar

    def __format__(self, specification: str) -> str:
        return self._bar.left()


@contextlib.contextmanager
def making_report(cells: int, *, quiet: bool) -> Iterator[None]:
    """Say that the report is being made: in a terminal until it is there, elsewhere if it takes a while."""
    text = f"making the report of {counted(cells, 'cell')} ..."
    if quiet or sys.stderr is None:
        yield
    elif sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status(text):
            yield
    else:
        if cells >= LONG_REPORT:
            show(text)
        yield


def make_progress(signals: Signals, *, quiet: bool, jobs: int) -> Silent:
    """Return the progress display: none if quiet, a bar in a terminal, lines elsewhere."""
    if quiet:
        return Silent(signals)
    return Bar(signals, jobs) if sys.stderr is not None and sys.stderr.isatty() else Lines(signals)


def _how_far(news: TrainingNews) -> str:
    value = "" if news.value is None else f", value {news.value:.4g}"
    return f"step {news.step} of {news.total}{value}{' of a trial' if news.trial else ''}"


def _name(cell: Cell) -> str:
    parts = [cell.dataset, cell.labelling, cell.algorithm, cell.criterion, f"replicate {cell.replicate}"]
    return " | ".join(part for part in parts if part)
