"""What the speed benchmarks share: a PU problem, CPU time, peak memory, growth, and a line of text for each."""

from __future__ import annotations

import ctypes
import multiprocessing
import re
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification


@dataclass(frozen=True)
class Problem:
    """Case-control data: the first ``n_labelled`` rows are P, drawn apart from U; y is the truth of all rows."""

    X: NDArray[np.float64]
    s: NDArray[np.int64]
    y: NDArray[np.int64]
    prior: float


def problem(n: int, d: int, *, labelled: float = 0.1, seed: int = 0) -> Problem:
    """Return n rows of d columns, half of U positive, a share of the rows labelled."""
    n_labelled = int(labelled * n)
    X, y = make_classification(
        2 * n,
        d,
        n_informative=max(2, d // 5),
        n_redundant=d // 5,
        flip_y=0.02,
        class_sep=0.8,
        random_state=seed,
    )
    positives = np.flatnonzero(y == 1)[:n_labelled]
    others = np.setdiff1d(np.arange(2 * n), positives)[: n - n_labelled]
    rows = np.concatenate([positives, others])
    s = (np.arange(n) < n_labelled).astype(np.int64)
    return Problem(np.ascontiguousarray(X[rows]), s, y[rows], float(y[others].mean()))


def cpu_ratio(ours: Callable[[], Any], peer: Callable[[], Any], *, repeats: int = 3) -> tuple[float, float]:
    """Return the CPU seconds of both: medians over turns taken in alternation, so that noise meets both alike."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for kept, action in zip(times, (ours, peer), strict=True):
            kept.append(_timed(action, time.process_time))
    return statistics.median(times[0]), statistics.median(times[1])


def wall_seconds(action: Callable[[], Any], *, repeats: int = 3) -> float:
    """Return the least wall time of some turns."""
    return min(_timed(action, time.perf_counter) for _ in range(repeats))


def _timed(action: Callable[[], Any], clock: Callable[[], float]) -> float:
    start = clock()
    action()
    return clock() - start


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the slope of log seconds over log size: 1 is linear growth."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def peak_megabytes(action: Callable[..., Any], *arguments: Any) -> float:
    """Return how far a call raises the peak memory of a fresh process that already holds its arguments."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("spawn").Process(target=_peak, args=(sender, action, arguments))
    child.start()
    sender.close()
    while not receiver.poll(1.0):
        if not child.is_alive():
            raise RuntimeError("the process that was to be measured has died")
    peak = float(receiver.recv())
    child.join()
    return peak


def _peak(sender: Any, action: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    # A small call first: what imports and thread pools take is not the method's.
    action(*arguments, warm_up=True)
    _forget_peak()
    before = _peak_kilobytes()
    action(*arguments, warm_up=False)
    sender.send((_peak_kilobytes() - before) / 1024)


def _forget_peak() -> None:
    # Receiving the arguments took twice their memory: a peak, and freed memory kept at hand, that would hide as much
    # of the method's.
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak_kilobytes() -> int:
    # Not getrusage: its figure starts at the peak of the parent. This one is Linux's.
    (size,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(size)


def line(what: str, value: float, limit: float | None = None, *, at_least: bool = False) -> str:
    """Return one figure as text, with its limit and whether it holds."""
    text = f"{what:<72} {value:8.3f}"
    if limit is None:
        return text
    holds = value >= limit if at_least else value <= limit
    return f"{text}  {'at least' if at_least else 'at most'} {limit:g}: {'ok' if holds else 'MISSED'}"


@dataclass(frozen=True)
class Ratio:
    """The ratio of two CPU times: the median over pairs taken in alternation, the least and the largest of them."""

    median: float
    low: float
    high: float


def paired_ratio(ours: Callable[[], Any], peer: Callable[[], Any], *, pairs: int = 5) -> Ratio:
    """Return the ratio of CPU times, pair by pair: what slows the machine for a while slows both of a pair."""
    found = sorted(_timed(ours, time.process_time) / _timed(peer, time.process_time) for _ in range(pairs))
    return Ratio(statistics.median(found), found[0], found[-1])


def cpu_seconds(action: Callable[[], Any], *, repeats: int = 5) -> Ratio:
    """Return the CPU seconds of an action in the same form: over one second."""
    found = sorted(_timed(action, time.process_time) for _ in range(repeats))
    return Ratio(statistics.median(found), found[0], found[-1])
