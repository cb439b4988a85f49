"""In the child: what PU criteria say of a fitted model on the rows that it was trained on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pubench.criteria import Validation
from pubench.plugins.imports import resolve

__all__ = ["Views", "judge_training"]

Views = Mapping[bool, Validation]
"""What criteria may see, by whether they need a prior: those that do not are shown none."""


def judge_training(
    criteria: Sequence[Mapping[str, Any]], look: Callable[[], Views], prior_error: Exception | None
) -> dict[str, Any]:
    """Return each criterion's value on training rows, None where it has none, and notes that say why.

    Parameters
    ----------
    criteria : sequence of mappings
        With name, function, params and needs_prior, as a request has them.
    look : callable
        Asks the model for its training rows; without criteria it is not called.
    prior_error : Exception or None
        Why there is no prior.

    Returns
    -------
    dict
        ``training``, from names to values, and ``training_notes``.
    """
    values: dict[str, float | None] = {criterion["name"]: None for criterion in criteria}
    notes: list[str] = []
    views: Views = {}
    for criterion in criteria:
        try:
            if criterion["needs_prior"] and prior_error is not None:
                raise prior_error
            views = views or look()
            value = resolve(criterion["function"])(views[criterion["needs_prior"]], **criterion["params"])
            values[criterion["name"]] = float(value) if math.isfinite(value) else None
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            notes.append(f"criterion '{criterion['name']}' on training rows: {said}")
    return {"training": values, "training_notes": notes}
