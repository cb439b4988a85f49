"""Rows for reports, and a page as a browser's parser sees it: tags, links, handlers, text."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any


@dataclass
class Outline:
    """What a page is made of."""

    tags: Counter[str] = field(default_factory=Counter)
    links: list[str] = field(default_factory=list)
    handlers: list[str] = field(default_factory=list)
    text: str = ""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.outline = Outline()
        self._silent = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.outline.tags[tag] += 1
        self.outline.links += [value or "" for name, value in attrs if name in ("href", "xlink:href", "src")]
        self.outline.handlers += [name for name, _ in attrs if name.startswith("on")]
        if tag in ("script", "style"):
            self._silent = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._silent:
            self._silent = ""

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.outline.text += data


def outline(page: str) -> Outline:
    """Read a page."""
    reader = _Reader()
    reader.feed(page)
    return reader.outline


def packed(page: str, name: str) -> dict[str, Any]:
    """Return what the page's script reads: its ``rows``, or its ``board-data``."""
    (text,) = re.findall(rf'id="{name}">([^<]*)<', page)
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(text)))
    return found


def row(algorithm: str, value: float | None = None, **keys: Any) -> dict[str, Any]:
    """Return a row that ended ok, but for what ``keys`` say."""
    plain = {"suite": "s", "dataset": "d", "scenario": "case-control", "labelling": "l", "replicate": 0}
    end = {"algorithm": algorithm, "criterion": None, "status": "ok", "error": None, "acc": value}
    return plain | end | {"reference": False, "fit_seconds": 0.1} | keys


def rows_of(means: dict[str, list[float]], **keys: Any) -> list[dict[str, Any]]:
    """Rows of two replicates a block, around each mean."""
    return [
        row(name, value + shift, dataset=f"d{block}", replicate=replicate, **keys)
        for name, values in means.items()
        for block, value in enumerate(values)
        for replicate, shift in enumerate((-0.01, 0.01))
    ]
