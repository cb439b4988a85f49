"""Names of what reports show beside metrics: criteria on training rows, and times."""

from __future__ import annotations

__all__ = ["TIMED", "is_percentage", "on_training"]

_TRAINING = "training-"
TIMED = {"fit-seconds": "fit_seconds"}
"""What a paper's numbers call a time -> the column of rows that holds ours."""


def on_training(criterion: str) -> str:
    """Return the name of a criterion's column where it judges models by their own training rows."""
    return f"{_TRAINING}{criterion}"


def is_percentage(name: str) -> bool:
    """Whether papers that print percentages print this so: times, and what training rows say, are not."""
    return name not in TIMED and not name.startswith(_TRAINING)
