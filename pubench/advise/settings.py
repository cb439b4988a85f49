"""How to train a model on a person's table, and where that table comes from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pubench.advise.advice import Goal
from pubench.specs import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AUTO", "SINGLE", "Settings", "Source"]

AUTO, SINGLE = ("auto", "ensemble"), "single"
"""Names for all methods together, and for the one that is chosen among them."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to train.

    Attributes
    ----------
    scenario : {"case-control", "single-training-set"}
    goal : {"ranking", "decision", "probability"}
    method : str
        ``"auto"``, ``"ensemble"`` (the same), ``"single"``, or the name of a method.
    prior : float or None
        Pr(y = 1); None to estimate it.
    budget : float or None
        Seconds for the prior and the comparison of methods; None for all of it.
    seed : int
    """

    scenario: Scenario
    goal: Goal = "ranking"
    method: str = "auto"
    prior: float | None = None
    budget: float | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Source:
    """A table by its name and the digest of its content."""

    name: str
    digest: str

    @classmethod
    def of_file(cls, path: Path) -> Source:
        """Return the name and digest of a file."""
        with path.open("rb") as file:
            return cls(path.name, hashlib.file_digest(file, "sha256").hexdigest())

    @classmethod
    def of_frame(cls, frame: pd.DataFrame) -> Source:
        """Return the digest of a table in memory."""
        import pandas as pd

        hashes = pd.util.hash_pandas_object(frame.astype(str), index=False).to_numpy()
        return cls("a DataFrame", hashlib.sha256(hashes.tobytes()).hexdigest())
