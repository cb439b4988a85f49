"""A suite's data set entry, resolved: prepared arrays, chosen classes, digest, and what the data cannot serve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pubench.cache import digest
from pubench.errors import DataError
from pubench.jobs import DataPlan
from pubench.labelling import Labelling, check_counts
from pubench.prepare import prepare
from pubench.prepared import Prepared, select_classes
from pubench.preprocess import Preprocess
from pubench.registry import Registry
from pubench.specs import Dataset
from pubench.suite import DatasetEntry
from pubench.truth import read_split, read_target

__all__ = ["DatasetPart", "dataset_part", "prepare_entry", "with_paths"]


@dataclass(frozen=True, slots=True)
class DatasetPart:
    """A data set entry, prepared; ``plan`` is the reason in words when it could not be loaded."""

    label: str
    plan: DataPlan | str
    digest: str
    rows_digest: str
    counts: tuple[int, int] = (0, 0)

    @property
    def pu(self) -> bool:
        """Whether these are real PU data, whose true classes nobody knows."""
        return isinstance(self.plan, DataPlan) and self.plan.prepared.pu

    def unfit(self, labelling: Labelling) -> str:
        """Say why the labelling does not go with the data; nothing if it does."""
        if isinstance(self.plan, str) or labelling.is_given == self.pu:
            return ""
        if self.pu:
            return f"{self.label} comes with its own labels; use positives = 'given'"
        return f"{self.label} comes without labels of its own; give positives or a frequency"

    def check(self, labelling: Labelling) -> None:
        """Raise DataError if the labelling asks for what the data do not have."""
        if isinstance(self.plan, str) or self.unfit(labelling):
            return
        given = None
        if labelling.test == "given":
            if not self.plan.prepared.has_split:
                raise DataError(
                    f"data set '{self.label}' has no split of its own; set test to a share such as 0.3"
                )
            given = _given_counts(self.plan)
        try:
            check_counts(*self.counts, labelling, given=given)
        except DataError as error:
            raise DataError(f"data set '{self.label}': {error}") from None


def dataset_part(entry: DatasetEntry, registry: Registry, base: Path, files: Sequence[str]) -> DatasetPart:
    """Prepare a data set and choose its classes. A loader that fails dooms its own cells only."""
    registered = registry.dataset(entry.use)
    try:
        prepared = prepare_entry(entry, registry, base, files)
    except DataError as error:
        doomed = digest([entry.use, dict(entry.params), str(error)])
        return DatasetPart(entry.label, str(error), doomed, doomed)
    positive = entry.positive or registered.spec.positive
    if prepared.pu:
        if entry.positive or entry.negative:
            raise DataError(f"data set '{entry.label}' has labels, not classes; remove positive and negative")
        positive = ("1",)
    classes = select_classes(prepared, positive, entry.negative or None)
    counts = _counts(prepared, classes)
    sample = None
    if entry.sample is not None:
        sample = (entry.sample.positive or counts[1], entry.sample.negative or counts[0])
        for wanted, there, side in ((sample[0], counts[1], "positive"), (sample[1], counts[0], "negative")):
            if wanted > there:
                raise DataError(
                    f"sample.{side} = {wanted}: data set '{entry.label}' has {there} {side} rows; ask for fewer"
                )
        counts = (sample[1], sample[0])
    names = {prepared.classes[number]: side for number, side in classes.items()}
    rows = [prepared.fingerprint, names, sample]
    preprocess = Preprocess(**{**registered.spec.preprocess, **entry.preprocess})
    plan = DataPlan(prepared, classes, sample, preprocess)
    return DatasetPart(
        entry.label, plan, digest([*rows, asdict(preprocess)]), digest(rows), (counts[1], counts[0])
    )


def prepare_entry(entry: DatasetEntry, registry: Registry, base: Path, files: Sequence[str]) -> Prepared:
    """Return the data set of an entry from the cache, loading it if it is not there."""
    registered = registry.dataset(entry.use)
    return prepare(registered, with_paths(registered.spec, entry.params, base), files=files)


def with_paths(spec: Dataset, params: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """Return the parameters with files relative to the suite made absolute."""
    files = {name: str(base / params[name]) for name in spec.paths if isinstance(params.get(name), str)}
    return {**params, **files}


def _given_counts(plan: DataPlan) -> tuple[int, int] | None:
    """Return the positive and negative rows of the data's own training part; unknown where rows are drawn."""
    if plan.sample is not None:
        return None
    target, trains = read_target(plan.prepared.truth), read_split(plan.prepared.truth) == "train"
    counts = [0, 0]
    for number, side in plan.classes.items():
        counts[side] += int((trains & (target == number)).sum())
    return counts[1], counts[0]


def _counts(prepared: Prepared, classes: Mapping[int, int]) -> tuple[int, int]:
    """Return the number of negative and of positive rows."""
    sides = [0, 0]
    for number, side in classes.items():
        sides[side] += prepared.counts[number]
    if 0 in sides:
        raise DataError(f"data set '{prepared.name}' has one class only")
    return sides[0], sides[1]
