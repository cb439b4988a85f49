"""The parts of a plan that others made: their versions say why cells run again, their papers whom to cite."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from pubench.plugins.registry import Registered
from pubench.specs import Algorithm, Criterion, Dataset, PriorEstimator

__all__ = ["PartKind", "PlannedPart", "part_of_dataset", "part_of_spec"]

C = TypeVar("C", bound=Algorithm | Criterion | PriorEstimator)
PartKind = Literal["algorithm", "criterion", "prior estimator", "data set"]


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """An algorithm, criterion, prior estimator or data set of a run, by its label in tables.

    ``version`` decides whether stored results are still valid; for data it is a digest of the rows as they are used.
    ``provider`` is the distribution that registers it, or a file. ``paper`` and ``bibtex`` say whom to cite.
    """

    kind: PartKind
    label: str
    version: str
    provider: str = ""
    paper: str = ""
    bibtex: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """What the part is called: one of a plan has each place."""
        return self.kind, self.label

    def change(self, now: PlannedPart) -> str:
        """Say what differs in the part of a later plan; empty if nothing does."""
        if self.version == now.version:
            return ""
        if self.kind == "data set":
            return f"the rows of {self.kind} '{self.label}', or their preprocessing, changed"
        (before, _, edited), (after, _, edited_now) = (one.version.partition("+") for one in (self, now))
        if Path(now.provider).suffix != ".py":
            if before != after:
                return f"{self.kind} '{self.label}' was version {before} and is version {after}"
            if not (edited and edited_now):
                kinds = ("an editable or edited", "a plain")
                old, new = kinds if edited else reversed(kinds)
                return f"{self.kind} '{self.label}' was run from {old} installation and is now run from {new} one"
        return f"the source of {self.kind} '{self.label}' ({now.provider}) changed"


def part_of_spec(kind: PartKind, label: str, registered: Registered[C]) -> PlannedPart:
    """Return the part that a registered spec is in a plan."""
    spec, origin = registered.spec, registered.origin
    provider = origin.file or str(origin)
    return PlannedPart(kind, label, registered.version, provider, spec.paper, spec.bibtex)


def part_of_dataset(label: str, registered: Registered[Dataset], digest: str) -> PlannedPart:
    """Return the part that a data set is in a plan."""
    spec, origin = registered.spec, registered.origin
    return PlannedPart("data set", label, digest, origin.file or str(origin), spec.citation, spec.bibtex)
