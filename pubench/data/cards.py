"""Cards: what is known about a data set. ``pubench data show`` prints them, and the provenance of a run keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pubench.data.stored import StoredDataset
from pubench.plugins.registry import Registered
from pubench.specs import Dataset, JSONValue, Params

__all__ = ["DatasetCard", "UsedRows", "make_card"]

_COUNTS = ("rows", "features", "numeric", "categorical", "missing")
_MOST_CLASSES = 20


class UsedRows(NamedTuple):
    """The number of rows of each class that a suite uses."""

    positive: int
    negative: int


@dataclass(frozen=True, slots=True)
class DatasetCard:
    """What is known about a data set.

    Attributes
    ----------
    rows, features, numeric, categorical, missing : int
        Numbers of rows, of columns (all, numeric, categorical), and of missing cells.
    counts : mapping of str to int
        Rows of each class.
    positive : tuple of str
        The positive classes; empty where the data set declares none.
    prior : float or None
        The share of rows of positive classes, if known.
    split, posterior, pu : bool
        Whether the data come with their own split, with known posteriors, and with labels instead of classes.
    facts : mapping
        What the spec and the plugin say about the data: source, licence, citation and so on.
    negative, used : tuple of str or None, UsedRows or None
        The negative classes and the rows that a suite uses; None for the data set as such.
    given, problem : int, str
        How many learning problems come with the data, and which of them a suite's entry is.
    """

    name: str
    summary: str
    rows: int
    features: int
    numeric: int
    categorical: int
    sparse: bool
    missing: int
    counts: Mapping[str, int]
    positive: tuple[str, ...]
    prior: float | None
    split: bool
    posterior: bool
    pu: bool
    params: Params
    provider: str
    loader: str
    fingerprint: str
    facts: Params = field(default_factory=dict)
    negative: tuple[str, ...] | None = None
    used: UsedRows | None = None
    given: int = 0
    problem: str = ""

    def to_json(self) -> dict[str, JSONValue]:
        """Return the card as JSON; facts never replace what was counted."""
        counted = self._counted()
        facts = {name: value for name, value in self.facts.items() if name not in counted}
        used: dict[str, JSONValue] = {} if self.used is None else {"used": dict(self.used._asdict())}
        negative: dict[str, JSONValue] = {} if self.negative is None else {"negative": list(self.negative)}
        given: dict[str, JSONValue] = {"given": self.given} if self.given else {}
        problem: dict[str, JSONValue] = {"problem": self.problem} if self.problem else {}
        return counted | facts | used | negative | given | problem

    def _counted(self) -> dict[str, JSONValue]:
        return {
            "name": self.name,
            "summary": self.summary,
            "rows": self.rows,
            "features": self.features,
            "numeric": self.numeric,
            "categorical": self.categorical,
            "sparse": self.sparse,
            "missing": self.missing,
            "counts": dict(self.counts),
            "positive": list(self.positive),
            "prior": self.prior,
            "split": self.split,
            "posterior": self.posterior,
            "pu": self.pu,
            "params": dict(self.params),
            "provider": self.provider,
            "loader": self.loader,
            "fingerprint": self.fingerprint,
        }

    def lines(self) -> list[str]:
        """Return the card as lines of text; unknown and empty values are omitted."""
        shown = {
            name: _text(name, value)
            for name, value in self.to_json().items()
            if value not in (None, "", [], {}, False)
        }
        width = max(map(len, shown))
        return [f"{name:<{width}}  {text}" for name, text in shown.items()]


def make_card(registered: Registered[Dataset], stored: StoredDataset) -> DatasetCard:
    """Return the card of a stored data set; facts of the plugin take precedence over those of its spec."""
    spec = registered.spec
    counts = dict(zip(stored.classes, stored.counts, strict=True))
    facts: dict[str, JSONValue] = {
        "target": _described_target(stored),
        "differs": spec.differs,
        "source": spec.source,
        "licence": spec.licence,
        "citation": spec.citation,
    }
    return DatasetCard(
        name=spec.name,
        summary=spec.summary,
        rows=stored.n_rows,
        features=stored.n_features,
        numeric=stored.n_features - len(stored.categorical),
        categorical=len(stored.categorical),
        sparse=stored.sparse,
        missing=stored.missing + stored.missing_codes,
        counts=counts,
        positive=spec.positive,
        prior=_prior(spec.positive, counts, stored.n_rows),
        split=stored.has_split,
        posterior=stored.has_posterior,
        pu=stored.pu,
        params=stored.params,
        provider=str(registered.origin),
        loader=f"{spec.loader}, version {registered.version}",
        fingerprint=stored.fingerprint,
        facts={**facts, **stored.facts},
        given=len(stored.given),
    )


def _described_target(stored: StoredDataset) -> str:
    if not stored.pu:
        return "classes"
    known = "known for test rows only" if stored.given else "unknown"
    return f"labelled and unlabelled rows; true classes {known}"


def _prior(positive: tuple[str, ...], counts: Mapping[str, int], rows: int) -> float | None:
    if not positive or any(name not in counts for name in positive):
        return None
    return sum(counts[name] for name in positive) / rows


def _text(name: str, value: JSONValue) -> str:
    if isinstance(value, dict):
        few = list(value.items())[:_MOST_CLASSES]
        more = f", ... ({len(value)} in all)" if len(value) > _MOST_CLASSES else ""
        return ", ".join(f"{key}: {_count(part, name == 'counts')}" for key, part in few) + more
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if value is True:
        return "yes"
    if isinstance(value, float):
        return f"{value:.4g}"
    # Numbers among a plugin's facts may be ids, which have no thousands separators.
    return _count(value, name in _COUNTS)


def _count(value: JSONValue, is_count: bool) -> str:
    return f"{value:,}" if is_count and isinstance(value, int) else str(value)
