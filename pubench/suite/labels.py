"""Whether labels, by which one table of a suite names entries of another, are distinct and exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from pubench.errors import did_you_mean
from pubench.suite.base import Problem
from pubench.suite.columns import TIMED, on_training
from pubench.suite.entries import is_valid, read_labelling
from pubench.suite.reporting import ReportConfig

__all__ = ["shared_labels", "strange_labels", "strange_numbers"]

# Where labels are named: the table, whether it is a list of tables, the key, and whose labels these are.
_NAMED = (
    ("datasets", True, "labellings", "labellings"),
    ("algorithms", True, "datasets", "datasets"),
    ("smoke", False, "datasets", "datasets"),
    ("smoke", False, "labellings", "labellings"),
    ("smoke", False, "algorithms", "algorithms"),
    ("smoke", False, "sample", "datasets"),
    ("smoke", False, "params", "algorithms"),
)

# What a paper's number is of.
PLACE = ("metric", "dataset", "labelling", "criterion", "algorithm")


def shared_labels(given: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the entries whose label another one has, but for algorithms that share no data set."""
    for key in ("datasets", "labellings", "algorithms"):
        entries, labels = _tables(given.get(key)), _labels(given, key)
        for i, label in enumerate(labels):
            rivals = [j for j in range(i) if labels[j] == label and not _apart(entries[i], entries[j])]
            if isinstance(label, str) and rivals:
                first = f"{key}[{rivals[0]}]"
                yield Problem(
                    (key, i), f'label {label!r} is taken by {first}; add name = "..." to tell the two apart'
                )


def strange_labels(given: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the labels that tables name and no entry has."""
    for table, many, key, whose in _NAMED:
        for place, one in _places(given, table, many):
            named = one.get(key)
            known = [label for label in _labels(given, whose) if isinstance(label, str)]
            for label in named if isinstance(named, list | tuple | dict) else ():
                if isinstance(label, str) and label not in known:
                    yield Problem(
                        (*place, key), f"{label!r} is no label under {whose}{did_you_mean(label, known)}"
                    )


def strange_numbers(given: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a paper's numbers without a place in the report's tables, those told twice, and what is apart of none."""
    paper, report, algorithms = (given.get(key) for key in ("paper", "report", "algorithms"))
    if not isinstance(paper, dict) or not isinstance(algorithms, list):
        return
    known = {key: _labels(given, f"{key}s") for key in ("dataset", "labelling", "algorithm")}
    unknown = list(_unplaced(paper, known | {"metric": _columns(report)}))
    # What has a wrong name fits nothing: once is enough.
    yield from unknown or _idle(*(_tables(paper.get(table)) for table in ("numbers", "apart")))


def _unplaced(paper: Mapping[str, Any], known: Mapping[str, list[Any]]) -> Iterator[Problem]:
    for table, (key, names) in product(("numbers", "apart"), known.items()):
        for i, entry in enumerate(_tables(paper.get(table))):
            name = entry.get(key) if isinstance(entry, dict) else None
            if isinstance(name, str) and not _has_place(name, names):
                texts = [text for text in names if isinstance(text, str)]
                yield Problem(
                    ("paper", table, i, key),
                    f"is no {key} of this suite's tables{did_you_mean(name, texts)}",
                )


def _has_place(name: str, labels: Iterable[Any]) -> bool:
    """Whether a name is a label, or begins as one: problems of one entry, and factors of a prior, add to its label."""
    return any(isinstance(label, str) and name.startswith(label) for label in labels)


def _idle(numbers: list[Any], apart: list[Any]) -> Iterator[Problem]:
    """Yield numbers that were told before, and entries that set no number apart."""
    places = [tuple(number.get(key) for key in PLACE) for number in numbers if isinstance(number, dict)]
    for i, place in enumerate(places):
        if place in places[:i]:
            yield Problem(
                ("paper", "numbers", i), f"repeats numbers[{places.index(place)}]; remove one of the two"
            )
    for i, entry in enumerate(apart):
        wanted = [entry.get(key) for key in PLACE] if isinstance(entry, dict) else []
        if not any(all(w in (None, p) for w, p in zip(wanted, place, strict=False)) for place in places):
            yield Problem(("paper", "apart", i), "fits none of the numbers; mend it or remove it")


def _columns(report: Any) -> list[Any]:
    """Return what a paper's number may be of: what the report's tables show, and times."""
    table = report if isinstance(report, dict) else {}
    metrics, training = table.get("metrics"), table.get("training")
    shown = metrics if isinstance(metrics, list) else list(ReportConfig().metrics)
    return [*shown, *(on_training(name) for name in _tables(training) if _is_text(name)), *TIMED]


def _apart(one: Any, other: Any) -> bool:
    """Whether two algorithms name their data sets, and none of them both."""
    named = [entry.get("datasets") if isinstance(entry, dict) else None for entry in (one, other)]
    sets = [set(filter(_is_text, names)) for names in named if isinstance(names, list) and names]
    return len(sets) == 2 and sets[0].isdisjoint(sets[1])


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _places(given: Mapping[str, Any], table: str, many: bool) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    value = given.get(table)
    found = enumerate(_tables(value)) if many else ()
    yield from (((table, i), one) for i, one in found if isinstance(one, dict))
    if not many and isinstance(value, dict):
        yield (table,), value


def _tables(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _labels(given: Mapping[str, Any], key: str) -> list[Any]:
    label_of = _labelling_label if key == "labellings" else _entry_label
    return [label_of(entry) for entry in _tables(given.get(key))]


def _entry_label(entry: Any) -> Any:
    return entry.get("name") or entry.get("use") if isinstance(entry, dict) else getattr(entry, "label", None)


def _labelling_label(entry: Any) -> Any:
    return read_labelling(entry).label if is_valid(read_labelling, entry) else None
