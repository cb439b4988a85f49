"""The processes by which joblib's loky and multiprocessing clean up after an interrupted run."""

from __future__ import annotations

import os

__all__ = ["start_trackers"]


def start_trackers() -> None:
    """Start the processes that remove what interrupted runs leave in the system, and let them do it silently.

    Starting them lets Ctrl-C through, so it must not happen while interrupts are held back.
    """
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as loky_tracker

    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [before, "ignore:resource_tracker"]))
    try:
        resource_tracker.ensure_running()
        loky_tracker.ensure_running()
    finally:
        del os.environ["PYTHONWARNINGS"]
        if before is not None:
            os.environ["PYTHONWARNINGS"] = before
