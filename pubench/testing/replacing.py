"""Names that a check replaces for a while, also where modules of a plugin imported them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType
from unittest import mock

__all__ = ["replaced"]


@contextlib.contextmanager
def replaced(
    changes: Mapping[object, object], modules: tuple[ModuleType, ...], package: str
) -> Iterator[None]:
    """Replace the keys of ``changes`` by their values in ``modules`` and in the modules of a package."""
    with contextlib.ExitStack() as stack:
        for module in (*modules, *_modules_of(package)):
            for name, value in list(vars(module).items()):
                if callable(value) and value.__hash__ is not None and value in changes:
                    stack.enter_context(mock.patch.object(module, name, changes[value]))
        yield


def _modules_of(package: str) -> list[ModuleType]:
    inside = f"{package}."
    return [
        module for name, module in list(sys.modules.items()) if module and (name + ".").startswith(inside)
    ]
