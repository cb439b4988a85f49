"""Cards: what is known of a data set, for people and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pubench.prepared import Prepared
from pubench.registry import Registered
from pubench.specs import Dataset

__all__ = ["card", "card_lines"]


def card(registered: Registered[Dataset], prepared: Prepared) -> dict[str, Any]:
    """Return rows, features, types, missing cells, classes, prior, source, licence, fingerprint and citation."""
    spec = registered.spec
    counts = dict(zip(prepared.classes, prepared.counts, strict=True))
    labels = "labelled and unlabelled rows; true classes unknown" if prepared.pu else "classes"
    return {
        "name": spec.name,
        "summary": spec.summary,
        "rows": prepared.n_rows,
        "features": prepared.n_features,
        "numeric": prepared.n_features - len(prepared.categorical),
        "categorical": len(prepared.categorical),
        "sparse": prepared.sparse,
        "missing": prepared.missing + prepared.missing_codes,
        "target": labels,
        "counts": counts,
        "positive": list(spec.positive),
        "prior": _prior(spec.positive, counts, prepared.n_rows),
        "split": prepared.has_split,
        "posterior": prepared.has_posterior,
        "differs": spec.differs,
        "source": spec.source,
        "licence": spec.licence,
        "citation": spec.citation,
        "provider": str(registered.origin),
        "version": registered.version,
        "fingerprint": prepared.fingerprint,
    }


def _prior(positive: tuple[str, ...], counts: Mapping[str, int], rows: int) -> float | None:
    if not positive or any(name not in counts for name in positive):
        return None
    return sum(counts[name] for name in positive) / rows


def card_lines(values: Mapping[str, Any]) -> list[str]:
    """Return a card as lines of text; what is unknown or empty is left out."""
    shown = {name: _text(value) for name, value in values.items() if value not in (None, "", [], False)}
    width = max(map(len, shown))
    return [f"{name:<{width}}  {text}" for name, text in shown.items()]


def _text(value: Any) -> str:
    if isinstance(value, dict):
        few = list(value.items())[:20]
        more = f", ... ({len(value)} in all)" if len(value) > 20 else ""
        return ", ".join(f"{name}: {number:,}" for name, number in few) + more
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if value is True:
        return "yes"
    return (
        f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else str(value)
    )
