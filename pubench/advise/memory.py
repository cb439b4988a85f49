"""Refusing tables that do not fit into memory, before they are read."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pubench.errors import DataError

__all__ = ["free_memory", "refuse_if_large"]

_CGROUP = Path("/sys/fs/cgroup")


def free_memory() -> int:
    """Return the memory that this process can still use, in bytes: the machine's, or its own limit if lower."""
    import psutil

    free = [int(psutil.virtual_memory().available)]
    with suppress(OSError, ValueError):
        limit = int((_CGROUP / "memory.max").read_text(encoding="ascii"))
        free.append(limit - int((_CGROUP / "memory.current").read_text(encoding="ascii")))
    with suppress(ImportError):
        import resource

        limits = (resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_DATA, resource.RLIMIT_AS))
        free += [limit for limit in limits if limit != resource.RLIM_INFINITY]
    return max(min(free), 0)


def refuse_if_large(what: str, needed: int) -> None:
    """Raise DataError if a table takes more than a third of the free memory: text, table and rows must all fit."""
    free = free_memory()
    if needed > free / 3:
        raise DataError(
            f"{what} takes about {needed / 1e9:.3g} GB, more than a third of the {free / 1e9:.3g} GB of free memory; "
            "use a random sample of its rows (labelled and unlabelled ones alike) or fewer columns; `pubench predict` "
            "reads CSV and Parquet files of any size in parts"
        )
