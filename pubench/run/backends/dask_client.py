"""The connection to a dask cluster: quiet, and with a local cluster where no address is given."""

from __future__ import annotations

import logging
from typing import Any

from pubench.run.backends.base import Execution

__all__ = ["connect"]

_LOGGERS = ("distributed", "distributed.client", "asyncio", "tornado.application")


def connect(execution: Execution) -> Any:
    """Return a ``distributed.Client``; raise OSError or ValueError where no scheduler answers."""
    import dask
    import distributed

    # What they report with tracebacks, the driver says in a sentence.
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    # edge: distributed ships no types
    client: Any = distributed.Client
    if execution.address:
        return client(execution.address)
    # A task that ends its worker is run again by the driver's rules; on a cluster of others theirs hold.
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        return client(n_workers=execution.jobs, threads_per_worker=1, dashboard_address="127.0.0.1:0")
