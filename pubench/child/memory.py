"""Peak memory of this process since it was last asked."""

from __future__ import annotations

import resource
import sys

__all__ = ["peak_mb", "reset_peak"]


def reset_peak() -> None:
    """Forget the peak so far, where the system allows it (Linux)."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return


def peak_mb() -> float:
    """Return the peak resident memory in MB since :func:`reset_peak`, or since the start where that is all there is."""
    try:
        with open("/proc/self/status") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024
