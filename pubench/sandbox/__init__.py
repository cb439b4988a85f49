"""The processes that run plugins, seen from outside: starting them, their limits, the wire, and why one died."""

from pubench.sandbox.pool import Processes, TaskLimits, start_loader
from pubench.sandbox.process import Sandbox, SandboxError

__all__ = ["Processes", "Sandbox", "SandboxError", "TaskLimits", "start_loader"]
