"""What a spec needs of its environment: other packages, and what its constructor asks pubench for."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from pubench.errors import PubenchError
from pubench.plugins.imports import resolve
from pubench.specs import INFERRED, RECEIVABLE, ROW_WISE, Algorithm

__all__ = ["can_infer_now", "check_requirements", "inferred_receives", "unmet"]


def check_requirements(texts: Sequence[str]) -> None:
    """Raise PubenchError if a requirement is not written as ``pip`` expects it."""
    from packaging.requirements import InvalidRequirement, Requirement

    for text in texts:
        try:
            Requirement(text)
        except InvalidRequirement as error:
            raise PubenchError(f"requires = {text!r}: {str(error).splitlines()[0]}") from None


def unmet(texts: Sequence[str]) -> str:
    """Return the first requirement that this environment does not meet, with the remedy; empty if all are met."""
    if not texts:
        return ""
    from packaging.requirements import Requirement

    for text in texts:
        wanted = Requirement(text)
        if wanted.marker is not None and not wanted.marker.evaluate():
            continue
        remedy = f"run: pip install '{text}'"
        try:
            found = version(wanted.name)
        except PackageNotFoundError:
            return f"needs {text}, which is not installed; {remedy}"
        if not wanted.specifier.contains(found, prereleases=True):
            return f"needs {text}, but {wanted.name} {found} is installed; {remedy}"
    return ""


def can_infer_now(spec: Algorithm) -> bool:
    """Whether the estimator of a spec that does not state ``receives`` is imported already."""
    return spec.receives == INFERRED and spec.estimator.partition(":")[0] in sys.modules


def inferred_receives(spec: Algorithm) -> tuple[str, ...]:
    """Return what the constructor of an algorithm asks for; nothing where it cannot be imported."""
    if unmet(spec.requires):
        return ()
    try:
        known = inspect.signature(resolve(spec.estimator)).parameters
    except Exception:
        # The cells say why it cannot be imported, each in its row.
        return ()
    names = (name for name in RECEIVABLE if name not in ROW_WISE)
    return tuple(name for name in names if name in known and name not in spec.params)
