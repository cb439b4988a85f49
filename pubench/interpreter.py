"""The interpreter: whether compiled modules are there, and its collector of reference cycles."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

__all__ = ["collector_paused", "require_compiled"]


def require_compiled(module: str) -> None:
    """Refuse a compiled module of which only the Cython source is there.

    That happens in a clone after ``pip install .``: Python looks into the current folder first and finds the sources
    there instead of the installed package.

    Parameters
    ----------
    module : str
        The full name of the module, in a package that is being imported or has been.

    Raises
    ------
    ImportError
        If the source lies in the folder of its package, and what is compiled from it does not.
    """
    package, _, name = module.rpartition(".")
    for folder in map(Path, getattr(sys.modules.get(package), "__path__", ())):
        source = folder / f"{name}.pyx"
        if source.exists() and not any(source.with_suffix(end).exists() for end in EXTENSION_SUFFIXES):
            raise ImportError(
                f"{module} is not compiled in {folder}: Python found the sources of {package} there, not the "
                "installed package; start Python in another folder, or compile the sources with "
                f"`pip install --editable {_project(folder)}`"
            )


def _project(folder: Path) -> Path:
    """Return the nearest folder above that can be installed."""
    above = (parent for parent in folder.parents if (parent / "pyproject.toml").exists())
    return next(above, folder.parent)


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector of reference cycles while many values are made: it would visit all of them repeatedly."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
