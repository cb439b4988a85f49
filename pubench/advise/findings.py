"""What an audit finds: each finding says what was seen, what it may mean, and a safe remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

__all__ = ["LEVELS", "Finding", "Level", "Subject", "Suspect"]

Level = Literal["serious", "check", "note"]
"""Results would mean nothing; a person should look; worth knowing."""
LEVELS: tuple[Level, ...] = get_args(Level)
Subject = Literal["leak", "label", "positive", "copy", "id", "labelling", "prior", "signal"]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A row that a person should look at.

    Attributes
    ----------
    row : int
        Its place in the table; the first row after the header is 1.
    ids : tuple of str
        Its cells in the id columns; a blank cell is empty.
    probability : float or None
        Of being positive, by a model that did not see the row; None if it is not the reason.
    """

    row: int
    ids: tuple[str, ...] = ()
    probability: float | None = None

    def __str__(self) -> str:
        ids = ", ".join(filter(None, self.ids))
        name = f"row {self.row}" + (f" ({ids})" if ids else "")
        return name if self.probability is None else f"{name}: {self.probability:.2f}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found.

    Attributes
    ----------
    subject : str
        What it is about: a leak, labels that look wrong, unlabelled rows that look positive, copies, ids, how rows were
        labelled, the prior, or whether there is any signal.
    level : {"serious", "check", "note"}
    sentence : str
        What was seen.
    remedy : str
        What to do; empty if there is nothing to do.
    columns : tuple of str
    rows : tuple of Suspect
        The rows to look at first; there may be more.
    count : int
        How many rows there are in all.
    """

    subject: Subject
    level: Level
    sentence: str
    remedy: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[Suspect, ...] = ()
    count: int = 0
