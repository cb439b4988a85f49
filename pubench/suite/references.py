"""Checks across a suite's tables: labels are distinct, and labels that other tables refer to exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from pubench.errors import did_you_mean
from pubench.suite.base import Key, KeyProblem
from pubench.suite.columns import TIMED, on_training
from pubench.suite.entries import is_valid
from pubench.suite.labellings import read_labelling
from pubench.suite.reporting import ReportConfig

__all__ = [
    "duplicate_labels",
    "misplaced_claims",
    "misplaced_numbers",
    "unknown_control",
    "unknown_labels",
    "unknown_members",
]

# Where tables refer to labels: the table, whether it is a list of tables, the key, and the table that has the labels.
_REFERENCES = (
    ("datasets", True, "labellings", "labellings"),
    ("algorithms", True, "datasets", "datasets"),
    ("smoke", False, "datasets", "datasets"),
    ("smoke", False, "labellings", "labellings"),
    ("smoke", False, "algorithms", "algorithms"),
    ("smoke", False, "sample", "datasets"),
    ("smoke", False, "params", "algorithms"),
)

# The keys that identify a published number.
PLACE = ("metric", "dataset", "labelling", "criterion", "algorithm")

# A table as TOML holds it, before validation.
RawTable = Mapping[str, object]


def duplicate_labels(given: RawTable) -> Iterator[KeyProblem]:
    """Yield the entries whose label another entry has, except algorithms that share no data set."""
    for key in ("datasets", "labellings", "algorithms"):
        entries, labels = _items(given.get(key)), _labels(given, key)
        for i, label in enumerate(labels):
            rivals = [j for j in range(i) if labels[j] == label and not _disjoint(entries[i], entries[j])]
            if label is not None and rivals:
                first = f"{key}[{rivals[0]}]"
                yield KeyProblem(
                    (key, i), f'label {label!r} is taken by {first}; add name = "..." to distinguish the two'
                )


def unknown_labels(given: RawTable) -> Iterator[KeyProblem]:
    """Yield the references to labels that no entry has."""
    for table, is_list, key, owner in _REFERENCES:
        known = [label for label in _labels(given, owner) if label is not None]
        for place, entry in _places(given, table, is_list):
            labels = entry.get(key)
            for label in labels if isinstance(labels, list | tuple | dict) else ():
                if isinstance(label, str) and label not in known:
                    yield KeyProblem(
                        (*place, key), f"{label!r} is not a label under {owner}{did_you_mean(label, known)}"
                    )


def unknown_members(given: RawTable) -> Iterator[KeyProblem]:
    """Yield the members of the report's groups, and the data sets to map, that no data set is."""
    report, known = given.get("report"), [label for label in _labels(given, "datasets") if label is not None]
    if not isinstance(report, dict) or not known:
        return
    groups, maps = report.get("groups"), report.get("maps")
    named = [("groups", *pair) for pair in groups.items()] if isinstance(groups, dict) else []
    named += [("maps", label, [label]) for label in maps] if isinstance(maps, dict) else []
    for key, name, labels in named:
        for label in _texts(labels):
            # Problems of one entry append to its label.
            if not label.startswith(tuple(known)):
                yield KeyProblem(
                    ("report", key, name),
                    f"{label!r} is not a label under datasets{did_you_mean(label, known)}",
                )


def unknown_control(given: RawTable) -> Iterator[KeyProblem]:
    """Yield a control of the report that no algorithm is."""
    report, known = (
        given.get("report"),
        [label for label in _labels(given, "algorithms") if label is not None],
    )
    control = report.get("control") if isinstance(report, dict) else None
    # Factors of a prior append to a label.
    if isinstance(control, str) and known and not control.startswith(tuple(known)):
        yield KeyProblem(
            ("report", "control"), f"is not a label under algorithms{did_you_mean(control, known)}"
        )


def misplaced_numbers(given: RawTable) -> Iterator[KeyProblem]:
    """Yield published numbers without a place in the report, repeated ones, and ``separate`` entries without any."""
    paper, report, algorithms = (given.get(key) for key in ("paper", "report", "algorithms"))
    if not isinstance(paper, dict) or not isinstance(algorithms, list):
        return
    known = {key: _labels(given, f"{key}s") for key in ("dataset", "labelling", "algorithm")}
    unknown = list(_unplaced(paper, known | {"metric": [*_columns(report)]}))
    # An entry with an unknown name matches nothing: report it once.
    yield from unknown or _repeated(_items(paper.get("numbers")), _items(paper.get("separate")))


def misplaced_claims(given: RawTable) -> Iterator[KeyProblem]:
    """Yield the claims about data sets, labellings, algorithms or metrics that the suite's tables do not have."""
    paper, report = given.get("paper"), given.get("report")
    if not isinstance(paper, dict) or not isinstance(given.get("algorithms"), list):
        return
    known = {key: _labels(given, key) for key in ("datasets", "labellings", "algorithms")}
    for i, entry in enumerate(_items(paper.get("claims"))):
        for key, labels in (known | {"metric": [*_columns(report)]}).items():
            names = [label for label in labels if label is not None]
            value = entry.get(key) if isinstance(entry, dict) else None
            for name in [value] if isinstance(value, str) else _texts(value):
                # Problems of one entry, and factors of a prior, append to its label.
                if not name.startswith(tuple(names)):
                    text = f"{name!r} is not in this suite's tables{did_you_mean(name, names)}"
                    yield KeyProblem(("paper", "claims", i, key), text)


def _unplaced(paper: RawTable, known: Mapping[str, list[str | None]]) -> Iterator[KeyProblem]:
    for table, (key, labels) in product(("numbers", "separate"), known.items()):
        names = [label for label in labels if label is not None]
        for i, entry in enumerate(_items(paper.get(table))):
            name = entry.get(key) if isinstance(entry, dict) else None
            # Problems of one entry, and factors of a prior, append to its label.
            if isinstance(name, str) and not name.startswith(tuple(names)):
                yield KeyProblem(
                    ("paper", table, i, key),
                    f"is not among the {key}s of this suite's tables{did_you_mean(name, names)}",
                )


def _repeated(numbers: list[object], separate: list[object]) -> Iterator[KeyProblem]:
    """Yield numbers that are listed twice, and ``separate`` entries that match no number."""
    places = [tuple(number.get(key) for key in PLACE) for number in numbers if isinstance(number, dict)]
    for i, place in enumerate(places):
        if place in places[:i]:
            yield KeyProblem(
                ("paper", "numbers", i), f"repeats numbers[{places.index(place)}]; remove one of the two"
            )
    for i, entry in enumerate(separate):
        wanted = [entry.get(key) for key in PLACE] if isinstance(entry, dict) else []
        if not any(all(w in (None, p) for w, p in zip(wanted, place, strict=False)) for place in places):
            yield KeyProblem(("paper", "separate", i), "matches none of the numbers; fix it or remove it")


def _columns(report: object) -> Iterator[str]:
    """Yield the columns that a published number may belong to: those of the report's tables, and times."""
    table = report if isinstance(report, dict) else {}
    metrics = table.get("metrics")
    yield from _texts(metrics) if isinstance(metrics, list) else ReportConfig().metrics
    yield from (on_training(name) for name in _texts(table.get("training")))
    yield from TIMED


def _disjoint(first: object, second: object) -> bool:
    """Whether two algorithms both list their data sets, and share none."""
    lists = [entry.get("datasets") if isinstance(entry, dict) else None for entry in (first, second)]
    sets = [set(_texts(names)) for names in lists if isinstance(names, list) and names]
    return len(sets) == 2 and sets[0].isdisjoint(sets[1])


def _texts(value: object) -> Iterable[str]:
    return [item for item in _items(value) if isinstance(item, str)]


def _places(given: RawTable, table: str, is_list: bool) -> Iterator[tuple[Key, RawTable]]:
    value = given.get(table)
    if is_list:
        yield from (((table, i), entry) for i, entry in enumerate(_items(value)) if isinstance(entry, dict))
    elif isinstance(value, dict):
        yield (table,), value


def _items(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def _labels(given: RawTable, key: str) -> list[str | None]:
    label_of = _labelling_label if key == "labellings" else _entry_label
    return [label_of(entry) for entry in _items(given.get(key))]


def _entry_label(entry: object) -> str | None:
    label = (
        entry.get("name") or entry.get("use") if isinstance(entry, dict) else getattr(entry, "label", None)
    )
    return label if isinstance(label, str) else None


def _labelling_label(entry: object) -> str | None:
    return read_labelling(entry).label if is_valid(read_labelling, entry) else None
