"""What a run folder is for, beside its records: the suite as it was, the plan, provenance, and cards of data sets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from pubench.data.cache import write_atomically
from pubench.errors import RunFolderError, StoreError
from pubench.plan.jobs import Cell, Plan, PlannedMetric
from pubench.specs import JSONValue
from pubench.suite.base import Table, read_table
from pubench.suite.reporting import PaperConfig, Rules

__all__ = ["read_cards", "read_plan", "read_provenance", "write_plan", "write_provenance"]

_PLAN = "plan.json"
T = TypeVar("T", bound=Table)


def write_plan(folder: Path, plan: Plan, suite_text: str) -> None:
    """Write what the folder is for, and the suite as it was."""
    fields = list(Cell.__dataclass_fields__)
    value = {
        "suite": plan.suite,
        "description": plan.description,
        "metrics": {name: asdict(metric) for name, metric in plan.metrics.items()},
        "shown": plan.shown,
        "report": plan.report.model_dump(mode="json"),
        "paper": plan.paper.model_dump(mode="json"),
        "fields": fields,
        "cells": [[getattr(cell, name) for name in fields] for cell in plan.cells],
    }
    try:
        write_atomically(folder / "suite.toml", suite_text)
        write_atomically(folder / _PLAN, json.dumps(value, separators=(",", ":")))
    except OSError as error:
        raise StoreError(f"cannot write {folder}: {error.strerror}") from None


def read_plan(folder: Path) -> Plan:
    """Read a run folder's plan, or say that it is no run folder."""
    try:
        value = json.loads((folder / _PLAN).read_text(encoding="utf-8"))
        fields = value["fields"]
        cells = tuple(Cell(**dict(zip(fields, cell, strict=True))) for cell in value["cells"])
        metrics = {name: PlannedMetric(**metric) for name, metric in value["metrics"].items()}
        # Run folders of earlier versions have neither.
        rest = _suite_table(Rules, value.get("report", {})), _suite_table(PaperConfig, value.get("paper", {}))
        return Plan(value["suite"], value["description"], metrics, tuple(value["shown"]), cells, *rest)
    except (FileNotFoundError, NotADirectoryError):
        raise RunFolderError(
            f"{folder} is not a run folder: it has no {_PLAN}; give the --out of a run"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(
            f"{folder / _PLAN} cannot be read ({error}); run the suite again to repair it"
        ) from None


def _suite_table(table: type[T], document: Mapping[str, JSONValue]) -> T:
    """Read a table of the suite; keys that only a later version knows are ignored."""
    known = {name: value for name, value in dict(document).items() if name in table.model_fields}
    found = read_table(table, known)
    if isinstance(found, tuple):
        raise ValueError(f"{'.'.join(map(str, found[0].key))}: {found[0].text}")
    return found


def read_provenance(folder: Path) -> list[JSONValue]:
    """Return the provenance of each run that added cells, oldest first."""
    try:
        value = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return value if isinstance(value, list) else []


def read_cards(folder: Path) -> dict[str, dict[str, JSONValue]]:
    """Return the latest card of each data set by its label; what an older version wrote is left out."""
    cards: dict[str, dict[str, JSONValue]] = {}
    for entry in read_provenance(folder):
        found = entry.get("datasets") if isinstance(entry, dict) else None
        if isinstance(found, dict):
            cards |= {label: card for label, card in found.items() if isinstance(card, dict)}
    return cards


def write_provenance(folder: Path, entries: Iterable[JSONValue]) -> None:
    """Write the provenance of all runs."""
    try:
        write_atomically(folder / "provenance.json", json.dumps(list(entries), indent=1))
    except OSError as error:
        raise StoreError(f"cannot write {folder}: {error.strerror}") from None
