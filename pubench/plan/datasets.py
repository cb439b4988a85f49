"""A suite's data set entry, resolved: stored arrays, chosen classes, digest, and what the data cannot serve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import msgspec

from pubench.data.classes import positive_sets, select_classes
from pubench.data.labelling import Labelling, check_counts
from pubench.data.loading import load_stored
from pubench.data.stored import StoredDataset, has_categories, read_categories
from pubench.data.truth import read_given, read_split, read_target
from pubench.errors import DataError
from pubench.plan.jobs import DataPlan
from pubench.plan.keys import dataset_digests, failed_dataset_digest
from pubench.plan.labelled_rows import copies_note
from pubench.plan.parts import PlannedPart, part_of_dataset
from pubench.plugins.imports import resolve
from pubench.plugins.registry import Registry
from pubench.protocol.parts import Preprocess
from pubench.specs import Dataset, JSONValue, Params
from pubench.suite.entries import DatasetEntry

__all__ = ["ResolvedDataset", "expanded", "given_label_counts", "load_entry", "resolve_dataset", "with_paths"]


@dataclass(frozen=True, slots=True)
class ResolvedDataset:
    """A data set entry, stored; ``plan`` is the reason in words when it could not be loaded.

    An entry may make several problems: ``entry`` is its label, ``label`` the problem's.
    """

    label: str
    plan: DataPlan | str
    digest: str
    rows_digest: str
    counts: tuple[int, int] = (0, 0)
    entry: str = ""
    labellings: tuple[str, ...] = ()
    part: PlannedPart | None = None

    @property
    def pu(self) -> bool:
        """Whether these are real PU data: nobody knows the true classes of their training rows."""
        return isinstance(self.plan, DataPlan) and self.plan.stored.pu

    @property
    def judged(self) -> bool:
        """Whether test rows have true classes."""
        return not isinstance(self.plan, DataPlan) or self.plan.stored.judged

    def is_given(self, labelling: Labelling) -> bool:
        """Whether the suite wants this labelling of the data."""
        return not self.labellings or labelling.label in self.labellings

    def unfit(self, labelling: Labelling) -> str:
        """Say why the labelling does not go with the data; nothing if it does."""
        if isinstance(self.plan, str) or labelling.is_given == self.pu:
            return ""
        if self.pu:
            return f"{self.label} comes with its own labels; use positives = 'given'"
        return f"{self.label} comes without labels of its own; give positives or a frequency"

    def prepared(self, preprocess: Params) -> ResolvedDataset:
        """Return the data as an algorithm sees them that sets some keys of the preprocessing itself."""
        if isinstance(self.plan, str) or not preprocess:
            return self
        plan = self.plan
        own = msgspec.convert({**asdict(plan.preprocess), **preprocess}, Preprocess)
        digest, _ = dataset_digests(plan.stored, plan.classes, plan.sample, own, plan.given)
        return replace(self, plan=replace(plan, own_preprocess=own), digest=digest)

    def refused_by(
        self,
        who: str,
        accepts: tuple[str, ...],
        preprocess: Preprocess | None = None,
        *,
        images: bool = False,
    ) -> str:
        """Say why somebody who accepts only so much cannot take the rows; nothing if they can."""
        if isinstance(self.plan, str):
            return ""
        stored, preprocess = self.plan.stored, preprocess or self.plan.preprocess
        if images and not stored.image_shape:
            return f"{who} needs images ({self.label} has none)"
        if stored.sparse and "sparse" not in accepts:
            return f"{who} cannot take sparse data ({self.label})"
        holes = stored.missing if preprocess.impute == "none" else 0
        if stored.categorical and preprocess.categorical == "codes":
            if "categorical" not in accepts:
                return f"{who} cannot take categorical codes ({self.label}); set preprocess.categorical"
            holes += stored.missing_codes
        if holes and "missing" not in accepts:
            return f"{who} cannot take missing values ({self.label} has {holes}); set [preprocess]"
        return ""

    def check(self, labelling: Labelling) -> None:
        """Raise DataError if the labelling asks for what the data do not have."""
        if isinstance(self.plan, str) or not self.is_given(labelling) or self.unfit(labelling):
            return
        given = None
        if self.plan.given is not None:
            if labelling.test != "given":
                raise DataError(
                    f"data set '{self.label}': its test rows are those with known classes; set test = \"given\""
                )
        elif labelling.test == "given":
            if not self.plan.stored.has_split:
                raise DataError(
                    f"data set '{self.label}' has no split of its own; set test to a share such as 0.3"
                )
            given = _given_counts(self.plan)
        try:
            check_counts(*self.counts, labelling, given=given)
            labelling.mechanism.check_columns(self.plan.stored.n_features)
        except DataError as error:
            raise DataError(f"data set '{self.label}': {error}") from None


def expanded(entry: DatasetEntry, registry: Registry) -> list[DatasetEntry]:
    """Return the entry itself or, where it stands for many data sets, an entry for each of them."""
    spec = registry.dataset(entry.use).spec
    if not spec.expand:
        return [entry]
    try:
        members: Mapping[str, Params] = resolve(spec.expand)(**entry.params)
    except TypeError as error:
        raise DataError(f"data set '{entry.label}': {error}") from None
    if list(members) == [""]:
        return [entry]
    return [
        entry.model_copy(update={"name": f"{entry.label}: {label}", "params": params})
        for label, params in members.items()
    ]


def resolve_dataset(
    entry: DatasetEntry, registry: Registry, base: Path, files: Sequence[str], seconds: float = 3600
) -> list[ResolvedDataset]:
    """Prepare an entry's data sets and choose their classes: one part for each problem that it makes of them.

    A loader failure affects only its cells.
    """
    parts = [
        part for one in expanded(entry, registry) for part in _parts(one, registry, base, files, seconds)
    ]
    registered = registry.dataset(entry.use)
    return [
        replace(
            one,
            entry=entry.label,
            labellings=entry.labellings,
            part=part_of_dataset(one.label, registered, one.digest),
        )
        for one in parts
    ]


def _parts(
    entry: DatasetEntry, registry: Registry, base: Path, files: Sequence[str], seconds: float
) -> list[ResolvedDataset]:
    spec = registry.dataset(entry.use).spec
    try:
        stored = load_entry(entry, registry, base, files, seconds)
    except DataError as error:
        failed = failed_dataset_digest(entry.use, entry.params, str(error))
        return [ResolvedDataset(entry.label, str(error), failed, failed)]
    if stored.pu:
        if entry.positive or entry.negative:
            raise DataError(f"data set '{entry.label}' has labels, not classes; remove positive and negative")
        if stored.given:
            return _given_parts(entry, spec, stored)
        return [_part(entry, spec, stored, ("1",), entry.label)]
    problems = positive_sets(stored, entry.positive or spec.positive)
    labels = [
        f"{entry.label}: {'+'.join(positive)}" if len(problems) > 1 else entry.label for positive in problems
    ]
    return [
        _part(entry, spec, stored, positive, label) for positive, label in zip(problems, labels, strict=True)
    ]


def _given_parts(entry: DatasetEntry, spec: Dataset, stored: StoredDataset) -> list[ResolvedDataset]:
    """Return a part for each problem of a family: they share the stored rows, and differ in labels and test rows."""
    if entry.sample is not None:
        raise DataError(f"data set '{entry.label}' comes with its test rows; remove sample")
    classes, preprocess, categories = {0: 0, 1: 1}, _preprocess(entry, spec), _categories(stored)
    parts = []
    for number, name in enumerate(stored.given):
        label = f"{entry.label}: {name}" if name else entry.label
        counts = given_label_counts(stored, number)
        plan = DataPlan(stored, classes, None, preprocess, given=number, categories=categories)
        digests = dataset_digests(stored, classes, None, preprocess, number)
        parts.append(ResolvedDataset(label, plan, *digests, counts))
    return parts


def given_label_counts(stored: StoredDataset, number: int) -> tuple[int, int]:
    """Return the labelled and the unlabelled training rows of a problem."""
    s, y_test = read_given(stored.truth)[number]
    trained = s[y_test < 0]
    return int((trained == 1).sum()), int((trained == 0).sum())


def _part(
    entry: DatasetEntry, spec: Dataset, stored: StoredDataset, positive: tuple[str, ...], label: str
) -> ResolvedDataset:
    classes = select_classes(stored, positive, entry.negative or None)
    counts = _counts(stored, classes)
    sample = _sample(entry, counts, label)
    if sample is not None:
        counts = sample
    preprocess = _preprocess(entry, spec)
    notes = _notes(entry, stored, label)
    plan = DataPlan(stored, classes, sample, preprocess, notes, categories=_categories(stored))
    return ResolvedDataset(label, plan, *dataset_digests(stored, classes, sample, preprocess), counts)


def _categories(stored: StoredDataset) -> dict[int, tuple[str, ...]]:
    """Return the names of the codes of each categorical column; without them, no result is lost but a name."""
    return read_categories(stored) if has_categories(stored) else {}


def _preprocess(entry: DatasetEntry, spec: Dataset) -> Preprocess:
    """Return what the suite sets, and the data set's own defaults for the rest."""
    try:
        return msgspec.convert({**spec.preprocess, **entry.preprocess}, Preprocess)
    except msgspec.ValidationError as error:
        raise DataError(f"data set '{entry.label}': preprocess: {error}") from None


def _notes(entry: DatasetEntry, stored: StoredDataset, label: str) -> tuple[str, ...]:
    """Say so if several classes are equally rare, where the rarest one is wanted, or labelled rows are copies."""
    if stored.pu:
        return copies_note(stored, label)
    rarest = [name for name, n in zip(stored.classes, stored.counts, strict=True) if n == min(stored.counts)]
    if entry.positive != "minority" or len(rarest) == 1:
        return ()
    names = ", ".join(f"'{name}'" for name in rarest[1:])
    return (f"{label}: positive = \"minority\" took class '{rarest[0]}', as rare as {names}",)


def _sample(entry: DatasetEntry, counts: tuple[int, int], label: str) -> tuple[int, int] | None:
    """Return how many positive and negative rows are drawn, None where all are used."""
    if entry.sample is None:
        return None
    wanted = (entry.sample.positive or counts[0], entry.sample.negative or counts[1])
    for number, there, side in zip(wanted, counts, ("positive", "negative"), strict=True):
        if number > there:
            raise DataError(
                f"sample.{side} = {number}: data set '{label}' has {there} {side} rows; ask for fewer"
            )
    return wanted


def load_entry(
    entry: DatasetEntry, registry: Registry, base: Path, files: Sequence[str], seconds: float = 3600
) -> StoredDataset:
    """Return the data set of an entry from the cache, loading it if it is not there."""
    registered = registry.dataset(entry.use)
    return load_stored(
        registered, with_paths(registered.spec, entry.params, base), files=files, seconds=seconds
    )


def with_paths(spec: Dataset, params: Params, base: Path) -> dict[str, JSONValue]:
    """Return the parameters with files relative to the suite made absolute."""
    given = {name: params.get(name) for name in spec.paths}
    files = {name: str(base / path) for name, path in given.items() if isinstance(path, str)}
    return {**params, **files}


def _given_counts(plan: DataPlan) -> tuple[int, int] | None:
    """Return the positive and negative rows of the data's own training part; unknown where rows are drawn."""
    if plan.sample is not None:
        return None
    target, trains = read_target(plan.stored.truth), read_split(plan.stored.truth) == "train"
    counts = [0, 0]
    for number, side in plan.classes.items():
        counts[side] += int((trains & (target == number)).sum())
    return counts[1], counts[0]


def _counts(stored: StoredDataset, classes: Mapping[int, int]) -> tuple[int, int]:
    """Return the number of positive and of negative rows."""
    sides = [0, 0]
    for number, side in classes.items():
        sides[side] += stored.counts[number]
    if 0 in sides:
        raise DataError(f"data set '{stored.name}' has one class only")
    return sides[1], sides[0]
