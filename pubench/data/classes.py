"""Positive and negative classes: the plan resolves the names in a suite to the classes of a stored data set."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pubench.data.stored import StoredDataset
from pubench.errors import DataError, did_you_mean

__all__ = ["positive_sets", "select_classes"]


def positive_sets(stored: StoredDataset, positive: tuple[str, ...] | str) -> list[tuple[str, ...]]:
    """Return the positive classes of each problem that a suite's ``positive`` defines.

    A tuple lists the classes of one problem; ``"minority"`` is the rarest class (the first of equally rare ones);
    ``"one-versus-rest"`` defines a problem for each class.
    """
    if positive == "minority":
        return [(stored.classes[int(np.argmin(stored.counts))],)]
    if positive == "one-versus-rest":
        return [(name,) for name in stored.classes]
    return [tuple(positive)]


def select_classes(
    stored: StoredDataset, positive: tuple[str, ...], negative: tuple[str, ...] | None
) -> Mapping[int, int]:
    """Return class number -> 1 or 0 for the classes to keep, or raise DataError if a name is wrong."""
    known = {name: number for number, name in enumerate(stored.classes)}
    if len(known) == 1:
        raise DataError(f"data set '{stored.name}' has only one class, '{stored.classes[0]}'; it needs two")
    positive = tuple(_known_class(stored, name) for name in positive)
    negative = None if negative is None else tuple(_known_class(stored, name) for name in negative)
    if not positive:
        raise DataError(
            f"data set '{stored.name}' declares no positive class; set positive to some of {', '.join(known)}"
        )
    rest = [name for name in known if name not in positive] if negative is None else list(negative)
    both = set(positive) & set(rest)
    if both:
        raise DataError(
            f"data set '{stored.name}': class '{min(both)}' is both positive and negative; keep it in one of the two"
        )
    if not rest:
        raise DataError(f"data set '{stored.name}' would have only one class; remove a class from positive")
    return {known[name]: 0 for name in rest} | {known[name]: 1 for name in positive}


def _known_class(stored: StoredDataset, name: str) -> str:
    """Return the class with this name; a suite's true and false match classes such as "TRUE" in the data."""
    if name in stored.classes:
        return name
    similar = [known for known in stored.classes if known.lower() == name.lower()]
    if name in ("True", "False") and len(similar) == 1:
        return similar[0]
    raise DataError(f"data set '{stored.name}' has no class '{name}'{did_you_mean(name, stored.classes)}")
