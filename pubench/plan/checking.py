"""Checks that import the algorithms: too slow for every run, right for ``pubench suite check``."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from pubench.errors import did_you_mean
from pubench.plugins.imports import resolve
from pubench.plugins.registry import Registry
from pubench.suite import Suite

__all__ = ["parameter_problems"]


def parameter_problems(suite: Suite, registry: Registry) -> Iterator[str]:
    """Yield a sentence for each parameter that an algorithm does not know, and for each that cannot be imported."""
    for number, entry in enumerate(suite.algorithms):
        spec = registry.algorithm(entry.use).spec
        try:
            known = inspect.signature(resolve(spec.estimator)).parameters
        except Exception as error:
            yield f"algorithms[{number}]: '{entry.use}' cannot be used: {type(error).__name__}: {error}"
            continue
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
            continue
        for key, names in (("params", entry.params), ("search", entry.search or {})):
            for name in names:
                if name not in known:
                    hint = did_you_mean(name, known)
                    yield f"algorithms[{number}].{key}.{name}: '{entry.use}' has no such parameter{hint}"
