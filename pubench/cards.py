"""Cards: what is known of a data set, for people and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pubench.jobs import DataPlan
from pubench.prepared import Prepared
from pubench.registry import Registered
from pubench.specs import Dataset

__all__ = ["card", "card_lines", "problem_card"]

_COUNTED = ("rows", "features", "numeric", "categorical", "missing")


def card(registered: Registered[Dataset], prepared: Prepared) -> dict[str, Any]:
    """Return rows, features, types, missing cells, classes, prior, source, licence, fingerprint and citation.

    What the plugin says of the data (``prepared.facts``) comes besides, or in place of what its spec says; what was
    counted it cannot change.
    """
    spec = registered.spec
    counts = dict(zip(prepared.classes, prepared.counts, strict=True))
    counted = {
        "name": spec.name,
        "summary": spec.summary,
        "rows": prepared.n_rows,
        "features": prepared.n_features,
        "numeric": prepared.n_features - len(prepared.categorical),
        "categorical": len(prepared.categorical),
        "sparse": prepared.sparse,
        "missing": prepared.missing + prepared.missing_codes,
        "counts": counts,
        "positive": list(spec.positive),
        "prior": _prior(spec.positive, counts, prepared.n_rows),
        "split": prepared.has_split,
        "posterior": prepared.has_posterior,
        "pu": prepared.pu,
        "params": dict(prepared.params),
        "provider": str(registered.origin),
        "loader": f"{spec.loader}, version {registered.version}",
        "fingerprint": prepared.fingerprint,
    }
    told = {
        "target": "labelled and unlabelled rows; true classes unknown" if prepared.pu else "classes",
        "differs": spec.differs,
        "source": spec.source,
        "licence": spec.licence,
        "citation": spec.citation,
    }
    return counted | {
        name: value for name, value in {**told, **prepared.facts}.items() if name not in counted
    }


def _prior(positive: tuple[str, ...], counts: Mapping[str, int], rows: int) -> float | None:
    if not positive or any(name not in counts for name in positive):
        return None
    return sum(counts[name] for name in positive) / rows


def problem_card(registered: Registered[Dataset], data: DataPlan) -> dict[str, Any]:
    """Return the card of a data set as a suite uses it: its own positive and negative classes, rows and prior."""
    prepared = data.prepared
    whole = card(registered, prepared)
    sides: tuple[list[int], list[int]] = ([], [])
    for number, side in data.classes.items():
        sides[side].append(number)
    there = [sum(prepared.counts[number] for number in numbers) for numbers in sides]
    positive, negative = data.sample or (there[1], there[0])
    used = {"used": {"positive": positive, "negative": negative}}
    if prepared.pu:
        return whole | used
    names = [[prepared.classes[number] for number in sorted(numbers)] for numbers in sides]
    return (
        whole | used | {"positive": names[1], "negative": names[0], "prior": positive / (positive + negative)}
    )


def card_lines(values: Mapping[str, Any]) -> list[str]:
    """Return a card as lines of text; what is unknown or empty is left out."""
    shown = {
        name: _text(name, value) for name, value in values.items() if value not in (None, "", [], {}, False)
    }
    width = max(map(len, shown))
    return [f"{name:<{width}}  {text}" for name, text in shown.items()]


def _text(name: str, value: Any) -> str:
    if isinstance(value, dict):
        few = list(value.items())[:20]
        more = f", ... ({len(value)} in all)" if len(value) > 20 else ""
        return (
            ", ".join(f"{key}: {part:,}" if name == "counts" else f"{key}: {part}" for key, part in few)
            + more
        )
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if value is True:
        return "yes"
    if isinstance(value, float):
        return f"{value:.4g}"
    # Numbers that plugins tell may be ids.
    return f"{value:,}" if name in _COUNTED else str(value)
