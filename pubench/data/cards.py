"""Cards: what is known of a data set, for people and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pubench.data.stored import StoredDataset
from pubench.plugins.registry import Registered
from pubench.specs import Dataset

__all__ = ["card", "card_lines"]

_COUNTED = ("rows", "features", "numeric", "categorical", "missing")


def card(registered: Registered[Dataset], stored: StoredDataset) -> dict[str, Any]:
    """Return rows, features, types, missing cells, classes, prior, source, licence, fingerprint and citation.

    What the plugin says of the data (``stored.facts``) comes besides, or in place of what its spec says; what was
    counted it cannot change.
    """
    spec = registered.spec
    counts = dict(zip(stored.classes, stored.counts, strict=True))
    counted = {
        "name": spec.name,
        "summary": spec.summary,
        "rows": stored.n_rows,
        "features": stored.n_features,
        "numeric": stored.n_features - len(stored.categorical),
        "categorical": len(stored.categorical),
        "sparse": stored.sparse,
        "missing": stored.missing + stored.missing_codes,
        "counts": counts,
        "positive": list(spec.positive),
        "prior": _prior(spec.positive, counts, stored.n_rows),
        "split": stored.has_split,
        "posterior": stored.has_posterior,
        "pu": stored.pu,
        "params": dict(stored.params),
        "provider": str(registered.origin),
        "loader": f"{spec.loader}, version {registered.version}",
        "fingerprint": stored.fingerprint,
    }
    told = {
        "target": "labelled and unlabelled rows; true classes unknown" if stored.pu else "classes",
        "differs": spec.differs,
        "source": spec.source,
        "licence": spec.licence,
        "citation": spec.citation,
    }
    return counted | {name: value for name, value in {**told, **stored.facts}.items() if name not in counted}


def _prior(positive: tuple[str, ...], counts: Mapping[str, int], rows: int) -> float | None:
    if not positive or any(name not in counts for name in positive):
        return None
    return sum(counts[name] for name in positive) / rows


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
