"""What a run folder holds next to its rows, read once for the report: cards, provenance, trials, models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from pubench.errors import DamagedFileError
from pubench.results.credit import Credit, read_credits
from pubench.results.record import MapRecord, ModelRecord, TrialRecord
from pubench.results.run_folder import cards_of, read_provenance
from pubench.results.store import detail_problems, read_inside, read_maps
from pubench.results.trials import read_trials
from pubench.specs import JSONValue

__all__ = [
    "Card",
    "Pictures",
    "Provenance",
    "RunDetails",
    "parse",
    "read_details",
]


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _texts(value: Iterable[object] | None) -> tuple[str, ...]:
    return tuple(map(str, value or ()))


Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]
Count = Annotated[int, BeforeValidator(lambda value: value or 0)]


class _Stored(BaseModel):
    """A JSON object of a run folder. One that another version wrote may lack a key, or have more of them."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class UsedRows(_Stored):
    """How many rows of a data set a suite uses; of PU data ``positive`` counts the labelled ones."""

    positive: Count = 0
    negative: Count = 0


class Pictures(_Stored):
    """Images of a data set: their shape, and those of each side as bytes, compressed and in base64."""

    shape: tuple[int, ...]
    positive: str = ""
    negative: str = ""


class Card(_Stored):
    """The card of a data set; ``used`` counts the rows that the suite uses."""

    rows: Count = 0
    features: Count = 0
    missing: Count = 0
    positive: Texts = ()
    negative: Texts = ()
    used: UsedRows | None = None
    prior: float | None = None
    pu: bool = False
    given: int = 0
    title: Text = ""
    id: Text = ""
    version: Text = ""
    source: Text = ""
    licence: Text = ""
    differs: Text = ""
    citation: Text = ""
    fingerprint: Text = ""
    pictures: Pictures | None = None
    problem: Text = ""

    @property
    def marks(self) -> list[tuple[str, ...]]:
        """What data sets have in common that share rows to learn from and to be judged by."""
        if self.problem:
            return [(self.source, self.problem)]
        marks: list[tuple[str, ...]] = [(self.fingerprint,)] if self.fingerprint else []
        return marks + ([(self.source, self.id)] if self.id else [])


class PluginVersion(_Stored):
    """A plugin of a run, and the distribution that it came from."""

    plugin: Text = ""
    distribution: Text = ""
    version: Text = ""


class Provenance(_Stored):
    """The command that started a run, the machine, and the versions of all software."""

    command: Texts = ()
    started: Text = ""
    python: Text = ""
    platform: Text = ""
    cpu: Text = ""
    arithmetic: Text = ""
    cores: Text = ""
    memory_mb: Text = ""
    packages: Mapping[str, Text] = {}
    plugins: tuple[PluginVersion, ...] = ()


@dataclass(frozen=True, slots=True)
class RunDetails:
    """All of it: cards by the data set's label, trials and introspection by the cell's key.

    ``problems`` has one sentence for each file, or record, that is damaged. ``credits`` are the papers to cite, and
    ``maps`` are data sets in the plane, by label.
    """

    cards: Mapping[str, Card] = field(default_factory=dict)
    provenance: tuple[Provenance, ...] = ()
    trials: Mapping[str, Sequence[TrialRecord]] = field(default_factory=dict)
    introspection: Mapping[str, ModelRecord] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    credits: tuple[Credit, ...] = ()
    maps: Mapping[str, MapRecord] = field(default_factory=dict)

    @property
    def origins(self) -> dict[str, str]:
        """What identifies the table that a data set comes from, by its label, as far as cards say so.

        Data sets of one table share rows: they have the same stored arrays, or one id at one source (and may then
        differ in their target). The table is named by the first of its labels. Problems of one family, such as the
        species of a region, share unlabelled rows only: each of them counts, and once if it comes with several choices
        of U.
        """
        found: dict[str, str] = {}
        known: dict[tuple[str, ...], str] = {}
        for label, card in self.cards.items():
            found[label] = next((known[mark] for mark in card.marks if mark in known), label)
            known |= dict.fromkeys(card.marks, found[label])
        return found


S = TypeVar("S", bound=_Stored)


def read_details(folders: Sequence[Path]) -> RunDetails:
    """Read the details of the runs in some folders; later folders win where two describe the same thing."""
    cards: dict[str, Card] = {}
    provenance: list[Provenance] = []
    trials: dict[str, Sequence[TrialRecord]] = {}
    introspection: dict[str, ModelRecord] = {}
    maps: dict[str, MapRecord] = {}
    problems: list[str] = []
    for folder in folders:
        try:
            entries = read_provenance(folder)
        except DamagedFileError as error:
            entries = []
            problems.append(str(error))
        cards |= parse(Card, cards_of(entries))
        provenance += parse(Provenance, _latest(entries)).values()
        trials |= read_trials(folder)
        introspection |= read_inside(folder)
        maps |= read_maps(folder)
        problems += detail_problems(folder)
    credits = read_credits(folders, {label: card.citation for label, card in cards.items()})
    return RunDetails(cards, tuple(provenance), trials, introspection, tuple(problems), credits, maps)


def _latest(entries: Iterable[JSONValue]) -> dict[str, JSONValue]:
    """Return the last entry of the run, and of each shard where several were merged."""
    latest: dict[str, JSONValue] = {}
    for entry in entries:
        options = entry.get("options") if isinstance(entry, dict) else None
        latest[str(options.get("shard", "")) if isinstance(options, dict) else ""] = entry
    return latest


K = TypeVar("K")


def parse(model: type[S], found: Mapping[K, object]) -> dict[K, S]:
    """Validate JSON objects; those that cannot be read, since another version wrote them, are left out."""
    parsed = {}
    for key, value in found.items():
        try:
            parsed[key] = model.model_validate(value)
        except ValidationError:
            continue
    return parsed
