"""The section of data sets: the card of each one, as the suite uses it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pubench.reporting.details import Card
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import BulletList, Section, SectionBlock, TableBlock, TemplateBlock
from pubench.reporting.wording import number

__all__ = ["HEADS", "DatasetSummary", "card_line", "datasets_section", "summarise"]

MOST_NAMES = 5
HEADS = (
    *("data set", "rows", "features", "missing cells", "prior"),
    *("positive", "source", "licence", "fingerprint"),
)


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """A data set as a suite uses it: ``rows`` of ``card.rows``, ``counts`` of them positive and negative.

    Of PU data the classes are unknown: there ``labelled`` counts s = 1, and classes, counts and prior are absent.
    """

    label: str
    card: Card
    rows: int
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    counts: tuple[int, int] | None
    prior: float | None
    labelled: int | None
    source: str


def datasets_section(report: Report) -> Section | None:
    """Return the cards; Markdown has them as a table."""
    found = [summarise(label, card) for label, card in report.details.cards.items()]
    if not found:
        return None
    block = TemplateBlock("datasets.html", found)
    return Section("data", "Data", "Data sets", (block,), tuple(_markdown(found)))


def summarise(label: str, card: Card) -> DatasetSummary:
    """Return what the report shows of a card."""
    used = (card.used.positive, card.used.negative) if card.used else None
    names = [
        card.title,
        *(f"{key} {value}" for key, value in (("id", card.id), ("version", card.version)) if value),
    ]
    known = ", ".join(names) if card.title else ""
    source = "; ".join(part for part in (known, card.source) if part)
    rows = sum(used or ()) or card.rows
    if card.pu:
        return DatasetSummary(label, card, rows, (), (), None, None, used[0] if used else 0, source)
    return DatasetSummary(label, card, rows, card.positive, card.negative, used, card.prior, None, source)


def _markdown(found: Sequence[DatasetSummary]) -> Iterator[SectionBlock]:
    """Yield a table, and below it the longer texts: differences and citations."""
    yield TableBlock("", HEADS, [card_line(one) for one in found], texts=(0, 5, 6, 7, 8))
    for title, texts in (
        ("Differences from the source", {one.label: one.card.differs for one in found}),
        ("Citations", {one.label: one.card.citation for one in found}),
    ):
        items = tuple(f"{_few(labels)}: {text}" for text, labels in _by_text(texts).items())
        if items:
            yield BulletList(items, title)


def _by_text(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the labels that share a text, by text; empty texts are left out."""
    labels: dict[str, list[str]] = {}
    for label, text in texts.items():
        if text:
            labels.setdefault(text, []).append(label)
    return labels


def card_line(one: DatasetSummary) -> tuple[str, ...]:
    """Return what a table shows of a data set, a text for each of `HEADS`."""
    card = one.card
    rows = f"{one.rows:,}" if one.rows == card.rows else f"{one.rows:,} of {card.rows:,}"
    positive = _few(one.positive) if one.labelled is None else f"unknown; {one.labelled:,} rows labelled"
    prior = "–" if one.prior is None else number(one.prior)
    counts = rows, f"{card.features:,}", f"{card.missing:,}"
    return (one.label, *counts, prior, positive, one.source, card.licence, card.fingerprint[:12])


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more
