"""Calls by threads or processes whose number changes no bit of what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from joblib import effective_n_jobs, parallel_config
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

__all__ = ["Backend", "in_order"]

Backend = Literal["processes", "threads"]


def in_order(
    function: Callable[..., Any], calls: Iterable[tuple[Any, ...]], n_jobs: int | None, backend: Backend
) -> Iterator[Any]:
    """Yield what ``function`` returns for each call, in the order of the calls.

    Each worker has one thread for linear algebra: how many share a product decides how its sums are rounded. Arrays of
    a megabyte and more reach processes as one memory map.

    Parameters
    ----------
    function : callable
    calls : iterable of tuples
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
        yield from parallel(delayed(function)(*arguments) for arguments in calls)
