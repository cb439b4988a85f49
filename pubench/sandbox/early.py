"""What a run starts before anything else: the process that imports scikit-learn, which takes longest."""

from __future__ import annotations

from pubench.sandbox.fork_server import ServerKind
from pubench.sandbox.pool import Processes

__all__ = ["ALGORITHMS", "begin_imports"]

ALGORITHMS = ServerKind("pubench.child", ("pubench.base", "pubench.child.final_fit", "pubench.child.trial"))
"""The fork server of the processes that run algorithms."""


def begin_imports() -> None:
    """Start the fork server of algorithms, unless this process has one; nothing waits for it."""
    # Nothing to hide yet: each run hides its places in the processes that it forks.
    Processes(ALGORITHMS, hidden=tuple).begin()
