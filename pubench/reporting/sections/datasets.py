"""The section of data sets: how hard each one is, who does well there, and its card as the suite uses it."""

from __future__ import annotations

import base64
import contextlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pubench.errors import plural
from pubench.reporting.details import Card
from pubench.reporting.difficulty import Difficulty, find_difficulties
from pubench.reporting.draw.pixels import strip_address
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import (
    BulletList,
    Entry,
    Fold,
    Paragraph,
    Section,
    SectionBlock,
    TableBlock,
    TemplateBlock,
)
from pubench.reporting.wording import number

__all__ = ["HEADS", "DatasetPart", "DatasetSummary", "card_line", "datasets_section", "summarise"]

MOST_NAMES, OPEN = 5, 20
"""So many classes are listed, and the table of up to so many data sets is open."""
_DIFFICULTY = ("data set", "best naive", "supervised †", "spread", "best", "ahead of naive", "best method")
_SPREAD = (
    "Naive is the best simple baseline (naive-*-prior), supervised the best that used true classes; the "
    "spread between the two is what true classes are worth. Means over labellings and criteria. Ahead of naive: how "
    "many of the other methods score higher than the naive one."
)
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


class Strip(NamedTuple):
    """Some images of a class side by side: an address that contains the file, and what it shows."""

    address: str
    caption: str


@dataclass(frozen=True, slots=True)
class DatasetPart:
    """What the page opens for a data set: its card, if there is one, images, and its difficulty in each metric."""

    label: str
    summary: DatasetSummary | None
    difficulties: tuple[Difficulty, ...]
    strips: tuple[Strip, ...] = ()


def datasets_section(report: Report) -> Section | None:
    """Return the difficulty and the card of each data set; Markdown has the cards as a table."""
    cards = {label: summarise(label, card) for label, card in report.details.cards.items()}
    found = [find_difficulties(table) for table in report.tables]
    labels = list(dict.fromkeys([*cards, *(label for each in found for label in each)]))
    parts = [
        DatasetPart(
            label,
            cards.get(label),
            tuple(each[label] for each in found if label in each),
            tuple(_strips(report.details.cards[label])) if label in cards else (),
        )
        for label in labels
    ]
    if not parts:
        return None
    page: tuple[SectionBlock, ...] = (*_overview(parts), TemplateBlock("datasets.html", parts))
    return Section("data", "Data", "Data sets", page, tuple(_markdown(list(cards.values()))))


def _strips(card: Card) -> Iterator[Strip]:
    """Yield the images of a card, positive ones first; what cannot be read is left out."""
    kept = card.pictures
    if kept is None:
        return
    captions = ("labelled", "unlabelled") if card.pu else ("positive", "negative")
    for caption, text in zip(captions, (kept.positive, kept.negative), strict=True):
        with contextlib.suppress(ValueError, zlib.error):
            values = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
            images = values.reshape(-1, *kept.shape)
            if len(images):
                yield Strip(strip_address(images), caption)


def _overview(parts: Sequence[DatasetPart]) -> Iterator[SectionBlock]:
    """Yield a table of the data sets by what true classes are worth there, in the first metric."""
    rated = [(part.label, part.difficulties[0]) for part in parts if part.difficulties]
    known = [pair for pair in rated if pair[1].leaders]
    if len(known) > 1 and any(one.naive or one.supervised for _, one in known):
        order = sorted(known, key=lambda pair: (np.isnan(pair[1].spread), -abs(pair[1].spread)))
        title = f"Data sets by difficulty ({order[0][1].metric})"
        table = TableBlock(title, _DIFFICULTY, [_rated(label, one) for label, one in order], texts=(0, 6))
        yield (
            Fold(f"{title}: {len(order)} data sets", (table, Paragraph(_SPREAD)))
            if len(order) > OPEN
            else table
        )
        if len(order) <= OPEN:
            yield Paragraph(_SPREAD)


def _rated(label: str, one: Difficulty) -> list[str | Entry]:
    best = one.leaders[0]
    ahead = f"{one.ahead} of {one.rivals}" if one.naive else "–"
    numbers = [number(found.mean) if found else "–" for found in (one.naive, one.supervised)]
    return [label, *numbers, number(one.spread), number(best.mean), ahead, Entry(best.name, method=best.name)]


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
    if not found:
        return
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
    positive = (
        _few(one.positive)
        if one.labelled is None
        else f"unknown; {one.labelled:,} {plural(one.labelled, 'row')} labelled"
    )
    prior = "–" if one.prior is None else number(one.prior)
    counts = rows, f"{card.features:,}", f"{card.missing:,}"
    return (one.label, *counts, prior, positive, one.source, card.licence, card.fingerprint[:12])


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more
