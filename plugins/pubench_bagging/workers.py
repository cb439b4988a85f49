"""Parallel calls in threads or processes; results do not depend on their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from joblib import effective_n_jobs, parallel_config
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

__all__ = ["Backend", "in_order"]

Backend = Literal["processes", "threads"]

# The maximal number of calls in a batch, and the number of batches for each worker, so that all finish together.
_MOST_TOGETHER = 16
_PARTS = 8


def in_order(
    function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], n_jobs: int | None, backend: Backend
) -> Iterator[Any]:
    """Yield the results of ``function`` for each call, in the order of the calls.

    Each worker uses one thread for linear algebra, since the number of threads decides how sums are rounded. Arrays of
    a megabyte and more reach processes as one memory map. Calls are sent in batches, so that shared arguments, such as
    the rows, are sent and mapped once per batch.

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
