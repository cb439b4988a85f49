"""Fitted estimators as bytes and back, by skops: only instances of a closed set of classes are made."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from functools import cache

import skops.io
from skops.io.exceptions import UntrustedTypesFoundException

from pubench.errors import PubenchError
from pubench.estimators.rows import Estimator
from pubench.plugins.discovery import discover

__all__ = ["UntrustedModelError", "load_estimator", "save_estimator"]

_PARTS = {
    ("sklearn", "Tree"),
    ("sklearn", "TreePredictor"),
    ("lightgbm", "Booster"),
    ("collections", "OrderedDict"),
}
"""Parts of fitted models outside skops' own list, by package and class: arrays and numbers, no functions."""


class UntrustedModelError(PubenchError):
    """An estimator that holds something else than instances of trusted classes."""


def save_estimator(fitted: Estimator, name: str) -> bytes:
    """Return a fitted estimator as bytes.

    Raises
    ------
    UntrustedModelError
        If it holds a type that :func:`load_estimator` would refuse.
    """
    content: bytes = skops.io.dumps(fitted)
    refused = _refused(content)
    if refused:
        raise UntrustedModelError(
            f"method '{name}' cannot be saved: it holds {', '.join(refused)}, which is neither an estimator nor a "
            "dataclass of an installed plugin; choose another method"
        )
    return content


def load_estimator(content: bytes, where: str) -> Estimator:
    """Return a fitted estimator from its bytes.

    Raises
    ------
    UntrustedModelError
        If the bytes are something else, or hold a type that is not trusted.
    """
    try:
        refused = _refused(content)
        if not refused:
            return skops.io.loads(content, trusted=skops.io.get_untrusted_types(data=content))
    except UntrustedTypesFoundException as error:
        refused = [str(error)]
    except Exception as error:
        # Bytes from elsewhere can break a reader in any way.
        raise UntrustedModelError(
            f"{where} cannot be read ({type(error).__name__}: {error}); fit the model again with this version"
        ) from None
    raise UntrustedModelError(
        f"{where} holds {', '.join(refused)}, which no installed method is made of; it was not loaded"
    )


def _refused(content: bytes) -> list[str]:
    """Return the types in saved bytes that are not trusted."""
    return [name for name in skops.io.get_untrusted_types(data=content) if not _is_trusted(name)]


def _is_trusted(name: str) -> bool:
    """Whether a type is one of the known parts, or a plain class of pubench or of an installed plugin.

    A plain class is an estimator or a dataclass: making an instance and giving it its attributes runs no other code.
    Functions, methods and all other types are refused.
    """
    module, _, attribute = name.rpartition(".")
    package = module.partition(".")[0]
    if (package, attribute) in _PARTS:
        return True
    # A package may do something when one of its scripts is imported.
    if package not in _packages() or "__" in name:
        return False
    from sklearn.base import BaseEstimator

    found = getattr(importlib.import_module(module), attribute, None)
    return inspect.isclass(found) and (issubclass(found, BaseEstimator) or dataclasses.is_dataclass(found))


@cache
def _packages() -> frozenset[str]:
    """Return the packages of the estimators that are registered, and pubench itself."""
    registry = discover()
    names = (entry.spec.estimator for entry in map(registry.algorithm, registry.all("algorithms")))
    return frozenset({"pubench", *(name.partition(":")[0].partition(".")[0] for name in names)})
