"""Where tasks run: a new backend is a file in this folder and a line of ``BACKENDS`` in its ``base``."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from pathlib import Path

from pubench.errors import PubenchError
from pubench.plugins.discovery import Contents
from pubench.plugins.imports import resolve
from pubench.run.backends.base import BACKENDS, CLUSTERS, Backend, Execution, Finished
from pubench.run.description import describe_plugin

__all__ = ["Backend", "Execution", "Finished", "Workers", "make_backend"]


class Workers:
    """The backend of one run: started when it is first needed, or before, and closed in the end.

    A run that ends with an exception does not wait for tasks under way.
    """

    def __init__(self, execution: Execution, note: Callable[[str], None]) -> None:
        self.execution = execution
        self._note = note
        self._backend: Backend | None = None

    def start(self) -> Backend:
        """Return the backend, connected."""
        if self._backend is None:
            self._backend = make_backend(self.execution, self._note)
        return self._backend

    def start_early(self, *, tuning: bool) -> None:
        """Start the backend before there is a task, and import the search engine while nothing waits for it."""
        self.start()
        if tuning:
            threading.Thread(target=importlib.import_module, args=("optuna",), daemon=True).start()

    def describe(self, plugin: Path) -> Contents | None:
        """Return what is in a plugin file without loading it here, where processes of this machine can find out."""
        if self._backend is None or self.execution.backend in CLUSTERS:
            return None
        return describe_plugin(plugin)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._backend is not None:
            self._backend.close(at_once=kind is not None)


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
