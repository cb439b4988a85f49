"""Names of report columns besides metrics: criteria on training rows, and times."""

from __future__ import annotations

__all__ = ["TIMED", "is_on_training", "is_percentage", "on_training"]

_TRAINING = "training-"
TIMED = {"fit-seconds": "fit_seconds"}
"""The metric name of a published time -> the column of result rows with our time."""


def on_training(criterion: str) -> str:
    """Return the name of the column with a criterion evaluated on the training rows."""
    return f"{_TRAINING}{criterion}"


def is_on_training(name: str) -> bool:
    """Whether a column has a criterion evaluated on the training rows."""
    return name.startswith(_TRAINING)


def is_percentage(name: str) -> bool:
    """Whether a paper that prints percentages prints this column as one; times and training criteria are not."""
    return name not in TIMED and not is_on_training(name)
