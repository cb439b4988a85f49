"""The child process seen from outside: starting it, its limits, the wire to it, and why it died."""

from pubench.sandbox.process import Sandbox, SandboxError

__all__ = ["Sandbox", "SandboxError"]
