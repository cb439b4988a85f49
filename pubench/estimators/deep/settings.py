"""Settings under which the same seed gives the same network: seeds, deterministic algorithms, few threads."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from pubench.estimators.deep.imports import torch

__all__ = ["reproducible"]


@contextlib.contextmanager
def reproducible(
    seed: int, device: torch.device | None = None, *, threads: int | None = None
) -> Iterator[None]:
    """Train inside this block: results then follow from the seed, on one kind of machine.

    PyTorch's generators, those of the device included, are seeded, and get their states back afterwards. Operations
    that have no deterministic algorithm raise an error. Operations use a fixed number of threads, one after the other.

    Parameters
    ----------
    seed : int
    device : torch.device, optional
        Where the network is; default: the CPU.
    threads : int, optional
        Threads of one operation; default: ``OMP_NUM_THREADS``, which pubench sets for each cell, or as PyTorch chose.
        Sums are added in another order by another number of threads.
    """
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    # cuBLAS is deterministic only with this, and reads it when it starts.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    # Once a process has started operations in parallel, their number is fixed.
    with contextlib.suppress(RuntimeError):
        torch.set_num_interop_threads(1)
    cuda = [device] if device is not None and device.type == "cuda" else []
    with torch.random.fork_rng(devices=cuda):
        torch.manual_seed(seed)
        torch.set_num_threads(threads or _threads(before[0]))
        torch.use_deterministic_algorithms(True)
        try:
            yield
        finally:
            torch.set_num_threads(before[0])
            torch.use_deterministic_algorithms(before[1])


def _threads(chosen: int) -> int:
    stated = os.environ.get("OMP_NUM_THREADS", "")
    return int(stated) if stated.isdigit() and int(stated) > 0 else chosen
