"""Where tasks run: a new backend is a file in this folder and a line of ``BACKENDS`` in its ``base``."""

from __future__ import annotations

from collections.abc import Callable

from pubench.errors import PubenchError
from pubench.plugins.imports import resolve
from pubench.run.backends.base import BACKENDS, Backend, Execution, Finished

__all__ = ["Backend", "Execution", "Finished", "make_backend"]


def make_backend(execution: Execution, note: Callable[[str], None]) -> Backend:
    """Return the backend that an execution names, connected; it says what the user should know with ``note``.

    Raises
    ------
    PubenchError
        If it needs a package that is not installed.
    """
    try:
        backend: Backend = resolve(BACKENDS[execution.backend])(execution, note)
    except ImportError as error:
        raise PubenchError(
            f"backend '{execution.backend}' needs the package '{error.name}'; install it and try again"
        ) from None
    return backend
