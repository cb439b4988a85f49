"""The memory of a child process, measured from outside."""

from __future__ import annotations

import os

__all__ = ["anonymous_mb", "resident_mb"]

_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20


def resident_mb(pid: int) -> float:
    """Return a process's resident memory in MB, mapped files included; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * _PAGE_MB
    except OSError:
        return _resident_mb_by_psutil(pid)


def anonymous_mb(pid: int) -> float:
    """Return the memory that no file backs, private or shared, in MB; slower to read."""
    try:
        with open(f"/proc/{pid}/status") as file:
            own = [int(line.split()[1]) for line in file if line.startswith(("RssAnon:", "RssShmem:"))]
            return sum(own) / 1024
    except OSError:
        return _resident_mb_by_psutil(pid)


def _resident_mb_by_psutil(pid: int) -> float:
    import psutil

    try:
        return float(psutil.Process(pid).memory_info().rss) / 2**20
    except psutil.Error:
        return 0.0
