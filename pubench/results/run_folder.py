"""What a run folder is for, next to its records: the suite as it was, the plan, provenance, and cards of data sets."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import starmap
from pathlib import Path
from typing import Any, TypeVar

from pubench.errors import DamagedFileError, RunFolderError, StoreError
from pubench.plan.jobs import Cell, Plan, PlannedMetric, Shard
from pubench.plan.parts import PlannedPart
from pubench.results.checked import checksum, read_checked, set_aside_damaged, write_checked, write_if_changed
from pubench.specs import JSONValue
from pubench.suite import Suite, parse_suite
from pubench.suite.base import Table, read_table
from pubench.suite.reporting import PaperConfig, Rules
from pubench.suite.smoke import SUFFIX, smoke_size

__all__ = [
    "VERIFIED",
    "PlanOutline",
    "cards_of",
    "last_change",
    "read_outline",
    "read_plan",
    "read_provenance",
    "read_source",
    "read_suite",
    "read_suite_text",
    "repair_provenance",
    "write_plan",
    "write_provenance",
]

_PLAN, _SUITE, _PROVENANCE = "plan.json", "suite.toml", "provenance.json"
VERIFIED = "verified.json"
"""Says what `pubench verify` has checked."""
_RUN_AGAIN = "run the suite again, which restores it"
_LOST = "what earlier runs were made with, and their cards of data sets, are lost"
T = TypeVar("T", bound=Table)


def write_plan(folder: Path, plan: Plan, suite_text: str, source: str = "") -> None:
    """Write what the folder is for, and the suite as it was; files whose content stays the same are left alone.

    ``source`` is the path of the suite: data files are relative to it.
    """
    fields = list(Cell.__dataclass_fields__)
    suite = suite_text.encode()
    value: dict[str, JSONValue] = {
        "suite": plan.suite,
        "suite_digest": checksum(suite).decode(),
        "source": source,
        "description": plan.description,
        "metrics": {name: asdict(metric) for name, metric in plan.metrics.items()},
        "shown": list(plan.shown),
        "report": plan.report.model_dump(mode="json"),
        "paper": plan.paper.model_dump(mode="json", exclude_defaults=True),
        "fields": [*fields],
        "cells": [[getattr(cell, name) for name in fields] for cell in plan.cells],
        "seed": plan.seed,
        "draws": [[*place, draw] for place, draw in plan.draws.items()],
        "parts": [asdict(part) for part in plan.parts],
        "cut": None if plan.cut is None else list(plan.cut),
        "priors": list(plan.priors),
    }
    if plan.shard is not None:
        value["shard"] = {
            "number": plan.shard.number,
            "of": plan.shard.of,
            "keys": [*dict.fromkeys(cell.key for cell in plan.own_cells)],
        }
    try:
        write_if_changed(folder / _SUITE, suite)
        write_checked(folder / _PLAN, value)
    except OSError as error:
        raise StoreError(f"cannot write {folder}: {error.strerror}") from None


@dataclass(frozen=True, slots=True)
class PlanOutline:
    """The suite and, in the plan's order, the keys of the folder's cells and why some are skipped.

    Cells themselves are made when they are asked for: most readers of 100,000 need few of them.
    """

    suite: str
    shard: Shard | None
    keys: tuple[str, ...]
    skips: tuple[str, ...]
    _fields: tuple[str, ...]
    _lines: Sequence[Sequence[Any]]

    def cell(self, place: int) -> Cell:
        """Return the cell at a place of the plan."""
        return Cell(**dict(zip(self._fields, self._lines[place], strict=True)))


def read_outline(folder: Path) -> PlanOutline:
    """Read what a run folder's plan says of its cells, or say that it is no run folder."""
    value = _plan_document(folder)
    with _of_this_version(folder):
        fields, lines, shard = value["fields"], value["cells"], _shard(value)
        key, skip = fields.index("key"), fields.index("skip")
        if shard is not None:
            lines = [line for line in lines if line[key] in shard.keys]
        keys, skips = tuple(line[key] for line in lines), tuple(line[skip] for line in lines)
        return PlanOutline(value["suite"], shard, keys, skips, tuple(fields), lines)


def read_plan(folder: Path) -> Plan:
    """Read a run folder's plan, or say that it is no run folder."""
    value = _plan_document(folder)
    with _of_this_version(folder):
        cells = _cells(value["fields"], value["cells"])
        metrics = {name: PlannedMetric(**metric) for name, metric in value["metrics"].items()}
        rest = _suite_table(Rules, value["report"]), _suite_table(PaperConfig, value["paper"]), _shard(value)
        draws = {(dataset, labelling): draw for dataset, labelling, draw in value.get("draws", ())}
        seed = value["seed"] if "seed" in value else _written_seed(folder)
        shown = tuple(value["shown"])
        parts = tuple(PlannedPart(**part) for part in value.get("parts", ()))
        cut = None if value.get("cut") is None else tuple(value["cut"])
        name, about, priors = value["suite"], value["description"], tuple(value.get("priors", ()))
        return Plan(name, about, metrics, shown, cells, *rest, seed, draws, parts, cut, priors)


def _written_seed(folder: Path) -> int | None:
    """Return the seed in a folder's suite, for plans that an earlier version wrote; None if it cannot be read."""
    try:
        seed = tomllib.loads((folder / _SUITE).read_text(encoding="utf-8")).get("seed", 0)
    except (OSError, ValueError):
        return None
    return seed if isinstance(seed, int) else None


@contextlib.contextmanager
def _of_this_version(folder: Path) -> Iterator[None]:
    """Turn what goes wrong with a plan that is whole into one sentence: another version wrote it."""
    try:
        yield
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise RunFolderError(
            f"{folder / _PLAN} was written by another version of pubench ({reason}); {_RUN_AGAIN}"
        ) from None


def _shard(value: Mapping[str, Any]) -> Shard | None:
    found = value.get("shard")
    return None if found is None else Shard(found["number"], found["of"], frozenset(found["keys"]))


def _cells(fields: list[str], lines: list[list[Any]]) -> tuple[Cell, ...]:
    if fields == list(Cell.__dataclass_fields__) and all(len(line) == len(fields) for line in lines):
        return tuple(starmap(Cell, lines))
    return tuple(Cell(**dict(zip(fields, line, strict=True))) for line in lines)


def read_suite_text(folder: Path) -> str:
    """Return the suite as it was when it was last run into the folder.

    Raises
    ------
    DamagedFileError
        If the file was altered since; its digest is kept in the plan.
    """
    path, expected = folder / _SUITE, _plan_document(folder).get("suite_digest")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise RunFolderError(f"{folder} has no {_SUITE}; run the suite again, which restores it") from None
    except OSError as error:
        raise RunFolderError(f"cannot read {path}: {error.strerror}") from None
    if checksum(data).decode() != expected:
        raise DamagedFileError(
            f"{path} is not the suite that was run: it was altered since; run the suite again, which restores it"
        )
    return data.decode()


def read_suite(folder: Path) -> Suite:
    """Return the suite that was last run into the folder, in the size in which it was run."""
    suite = parse_suite(read_suite_text(folder), str(folder / _SUITE))
    return smoke_size(suite) if read_plan(folder).suite == suite.name + SUFFIX else suite


def read_source(folder: Path) -> str:
    """Return the path of the suite that was last run into the folder; that of its copy where it is not on record."""
    source = _plan_document(folder).get("source")
    return source if isinstance(source, str) and source else str(folder / _SUITE)


def _plan_document(folder: Path) -> dict[str, Any]:
    try:
        value = read_checked(folder / _PLAN, remedy=_RUN_AGAIN)
    except FileNotFoundError:
        raise RunFolderError(
            f"{folder} is not a run folder: it has no {_PLAN}; give the --out of a run"
        ) from None
    return value if isinstance(value, dict) else {}


def _suite_table(table: type[T], document: Mapping[str, JSONValue]) -> T:
    """Read a table of the suite; keys that only a later version knows are ignored."""
    known = {name: value for name, value in dict(document).items() if name in table.model_fields}
    found = read_table(table, known)
    if isinstance(found, tuple):
        raise ValueError(f"{'.'.join(map(str, found[0].key))}: {found[0].text}")
    return found


def read_provenance(folder: Path) -> list[JSONValue]:
    """Return the provenance of each run that added cells, oldest first; raise DamagedFileError if it was altered."""
    try:
        value = read_checked(folder / _PROVENANCE, remedy=f"{_LOST}; the results are not affected")
    except FileNotFoundError:
        return []
    return value if isinstance(value, list) else []


def repair_provenance(folder: Path) -> tuple[str, ...]:
    """Set a damaged provenance aside, and say what is lost."""
    try:
        read_provenance(folder)
    except DamagedFileError:
        kept = set_aside_damaged(folder / _PROVENANCE)
        return (f"{folder / _PROVENANCE} is damaged: {_LOST}; it is kept as {kept.name}",)
    return ()


def last_change(folder: Path) -> int:
    """Return when the plan, the records or the provenance last changed, in nanoseconds."""
    files = (path for pattern in ("*.json", "*.jsonl") for path in folder.glob(pattern))
    return max((path.stat().st_mtime_ns for path in files if path.name != VERIFIED), default=0)


def cards_of(entries: Iterable[JSONValue]) -> dict[str, dict[str, JSONValue]]:
    """Return the latest card of each data set by its label; what an older version wrote is left out."""
    cards: dict[str, dict[str, JSONValue]] = {}
    for entry in entries:
        found = entry.get("datasets") if isinstance(entry, dict) else None
        if isinstance(found, dict):
            cards |= {label: card for label, card in found.items() if isinstance(card, dict)}
    return cards


def write_provenance(folder: Path, entries: Iterable[JSONValue]) -> None:
    """Write the provenance of all runs."""
    try:
        write_checked(folder / _PROVENANCE, list(entries), indent=1)
    except OSError as error:
        raise StoreError(f"cannot write {folder}: {error.strerror}") from None
