"""Text that a user meets is plain English: constructions that read as translated are listed and may not come back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHIPPED = {
    ".": ["README.md", "CONTRIBUTING.md"],
    "docs": ["**/*.md"],
    "pubench": ["**/*.py", "**/*.html", "**/*.toml"],
    "plugins": ["**/*.py"],
    "suites": ["*.toml"],
}
# What reads as translated, and what to write instead.
BANNED = {
    r"told from": "not significantly different from",
    r"told apart|tells? apart": "distinguished",
    r"\bapart\b": "separately",
    r"not to be had": "unavailable",
    r"stands? (?:on a page|there|beside)": "is on; see",
    r"(?:is|are) no (?:prior|probability|harm)\b": "is not a valid prior",
    r"\bmend(?:ed|s)?\b": "fix",
    r"\bdoom(?:ed|s)?\b": "affects",
    r"'s affair\b": "only ... handles",
    r"\bcomes? about\b": "arise",
    r"all without it": "default: all",
    r"told of itself": "model introspection",
    r"the report tells": "the report shows",
    r"nobody to cite": "no citation",
    r"\banew\b": "again",
    r"\bbeside (?:the|a|it|its|them|our|ours|your|yours|each|other|others|every|what)\b": "next to",
    r"\btak(?:e|es|en) (?:\w+ ){0,4}for (?:negative|positive|a fair|a sample|a key|a measurement)": "treat as",
    r"again to go on\b": "again to continue",
    r"\bOf all randomness\b": "Random seed",
    r"cannot tell (?:which|the|whether)": "cannot determine",
    r"what a .{1,20} costs? .{1,60} shows": "... shows how ...",
    r"\bgo(?:es)? on (?:with|from|behind|where)\b": "continue, resume",
    r"\bweighs? most\b": "most important, largest weights",
    r"\bmost usual\b": "most common",
    r"\btells? of (?:it|them)sel(?:f|ves)\b": "introspection",
    r"\bcame to be\b": "how ... was made",
}


def texts() -> Iterator[tuple[Path, str]]:
    for folder, patterns in SHIPPED.items():
        for pattern in patterns:
            for page in sorted((ROOT / folder).glob(pattern)):
                yield page.relative_to(ROOT), page.read_text(encoding="utf-8")


@pytest.mark.parametrize("banned", BANNED)
def test_no_shipped_text_has_a_banned_construction(banned: str) -> None:
    # A construction may continue on the next line.
    seen = re.compile(banned.replace(" ", r"\s+"), re.IGNORECASE)
    found = [
        f"{page}:{text[: match.start()].count(chr(10)) + 1}: {match[0]!r}"
        for page, text in texts()
        for match in seen.finditer(text)
    ]
    assert not found, f"write {BANNED[banned]!r} instead: " + ", ".join(found)


def test_every_kind_of_shipped_text_is_looked_at() -> None:
    suffixes = {page.suffix for page, _ in texts()}
    assert suffixes == {".md", ".py", ".html", ".toml"}
