"""Estimators inside estimators, written as JSON: pipelines and column transformers of import strings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pubench.base import Rows
from pubench.errors import PubenchError
from pubench.plugins.imports import resolve

__all__ = ["Columns", "build"]

_REFERENCE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_CATEGORICAL, _NUMERIC, _CLASS = "@categorical", "@numeric", "class"


@dataclass(frozen=True, slots=True)
class Columns:
    """Chooses columns of a matrix: those that hold codes, or all others."""

    categorical: tuple[int, ...]
    others: bool = False

    def __call__(self, X: Rows) -> list[int]:
        """Return the numbers of the chosen columns of X."""
        return [number for number in range(X.shape[1]) if (number in self.categorical) != self.others]


def build(value: object, columns: Columns) -> object:
    """Return the object that a parameter of a wrapped class stands for.

    ``"package.module:Class"`` is an estimator of that class with its defaults, and a mapping with the key ``class`` one
    with parameters. A list of names with their parts, as in ``steps`` of a pipeline or ``transformers`` of a column
    transformer, becomes a list of tuples. ``"@categorical"`` and ``"@numeric"`` choose the columns that hold codes and
    all others. Anything else stays as it is.

    Parameters
    ----------
    value : object
    columns : Columns
        The columns that hold codes.
    """
    if isinstance(value, str):
        return _text(value, columns)
    if isinstance(value, dict):
        inner = {name: build(part, columns) for name, part in value.items() if name != _CLASS}
        return _instance(str(value[_CLASS]), inner) if _CLASS in value else inner
    if isinstance(value, list | tuple):
        parts = [build(part, columns) for part in value]
        return [tuple(part) if isinstance(part, list) and _is_step(part) else part for part in parts]
    return value


def _text(value: str, columns: Columns) -> object:
    if value in (_CATEGORICAL, _NUMERIC):
        return Columns(columns.categorical, others=value == _NUMERIC)
    return resolve(value)() if _REFERENCE.fullmatch(value) else value


def _instance(reference: str, inner: dict[str, object]) -> object:
    try:
        return resolve(reference)(**inner)
    except TypeError as error:
        raise PubenchError(f"'{reference}' cannot be made of {sorted(inner)}: {error}") from None


def _is_step(part: list[object]) -> bool:
    """Whether a list is a name with an estimator: a step of a pipeline or a column transformer."""
    if len(part) < 2 or not isinstance(part[0], str):
        return False
    return hasattr(part[1], "fit") or part[1] in ("passthrough", "drop")
