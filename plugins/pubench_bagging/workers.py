"""Calls by threads or processes whose number changes no bit of what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from joblib import effective_n_jobs, parallel_config
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

__all__ = ["Backend", "in_order"]

Backend = Literal["processes", "threads"]

# How many calls travel together at most, and into how many parts each worker's share is cut, so that all end together.
_MOST_TOGETHER = 16
_PARTS = 8


def in_order(
    function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], n_jobs: int | None, backend: Backend
) -> Iterator[Any]:
    """Yield what ``function`` returns for each call, in the order of the calls.

    Each worker has one thread for linear algebra: how many share a product decides how its sums are rounded. Arrays of
    a megabyte and more reach processes as one memory map, and calls travel together, so that what they share, such as
    the rows, travels and is mapped once for all of them.

    Parameters
    ----------
    function : callable
    calls : sequence of tuples
        The arguments of each call.
    n_jobs : int or None
        As joblib's: None is 1 unless a ``joblib.parallel_config`` says otherwise, -1 is all processors.
    backend : {"processes", "threads"}
    """
    jobs = effective_n_jobs(n_jobs)
    with threadpool_limits(1):
        if jobs == 1:
            yield from (function(*arguments) for arguments in calls)
            return
        options = {"inner_max_num_threads": 1} if backend == "processes" else {}
        with parallel_config(backend="loky" if backend == "processes" else "threading", **options):
            parallel = Parallel(n_jobs=jobs, return_as="generator")
        size = min(_MOST_TOGETHER, max(1, len(calls) // (_PARTS * jobs)))
        parts = (calls[start : start + size] for start in range(0, len(calls), size))
        for results in parallel(delayed(_each)(function, part) for part in parts):
            yield from results


def _each(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
    return [function(*arguments) for arguments in calls]
