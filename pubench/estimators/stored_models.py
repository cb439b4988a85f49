"""Fitted estimators as bytes and back, by skops: only instances of a closed set of classes are made."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import io
import json
import zipfile
from functools import cache

import numpy as np
import skops.io
from skops.io.exceptions import UntrustedTypesFoundException

from pubench.errors import PubenchError
from pubench.estimators.rows import Estimator
from pubench.plugins.discovery import discover
from pubench.specs import JSONValue

__all__ = ["NO_DATE", "UntrustedModelError", "estimator_bytes", "load_estimator", "save_estimator"]

NO_DATE = (1980, 1, 1, 0, 0, 0)
"""The oldest date that a zip archive can hold: the time of writing is no part of a model."""
_SCHEMA = "schema.json"
_HEADER = 1000

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
    """Return a fitted estimator as bytes that :func:`load_estimator` takes.

    Raises
    ------
    UntrustedModelError
        If it holds a type that :func:`load_estimator` would refuse.
    """
    content = estimator_bytes(fitted)
    refused = _refused(content)
    if refused:
        raise UntrustedModelError(
            f"method '{name}' cannot be saved: it holds {', '.join(refused)}, which is neither an estimator nor a "
            "dataclass of an installed plugin; choose another method"
        )
    return content


def estimator_bytes(fitted: Estimator) -> bytes:
    """Return a fitted estimator as bytes, which depend on nothing but the estimator.

    Objects are numbered as they come, where skops has their addresses in memory.
    """
    numbers: dict[int, int] = {}
    files: dict[str, str] = {}

    def plain(value: JSONValue) -> JSONValue:
        if isinstance(value, list):
            return [plain(one) for one in value]
        if not isinstance(value, dict):
            return value
        made = {key: plain(one) for key, one in value.items()}
        own, file = made.get("__id__"), made.get("file")
        if isinstance(own, int):
            made["__id__"] = numbers.setdefault(own, len(numbers) + 1)
        if isinstance(file, str) and file in found:
            made["file"] = files.setdefault(file, f"{len(files) + 1}.{file.rpartition('.')[2]}")
        return made

    with zipfile.ZipFile(io.BytesIO(skops.io.dumps(fitted))) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    schema = plain(json.loads(found[_SCHEMA]))
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for old, new in files.items():
            archive.writestr(zipfile.ZipInfo(new, NO_DATE), _without_gaps(found[old]))
        archive.writestr(zipfile.ZipInfo(_SCHEMA, NO_DATE), json.dumps(schema, separators=(",", ":")))
    return written.getvalue()


def _without_gaps(content: bytes) -> bytes:
    """Return an array with zeros between its fields, where memory holds whatever was there before."""
    if b"'|V" not in content[:_HEADER]:
        return content
    array = np.load(io.BytesIO(content), allow_pickle=False)
    clean = np.zeros(array.shape, array.dtype)
    for name in array.dtype.names or ():
        clean[name] = array[name]
    # numpy.save copies fields one by one, through memory that is not clean.
    cleaned: bytes = content[: len(content) - array.nbytes] + clean.tobytes()
    return cleaned


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
