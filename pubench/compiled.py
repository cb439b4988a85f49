"""Sources found without their compiled parts: the sentence that says so, and what to do."""

from __future__ import annotations

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

__all__ = ["require_compiled"]


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
