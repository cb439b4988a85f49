"""Whom a run has to cite: the papers of its algorithms, criteria, prior estimators and data sets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from pubench.citations import BibtexError, bibtex_entries
from pubench.errors import RunFolderError
from pubench.plan.parts import PlannedPart
from pubench.results.run_folder import read_plan

__all__ = ["Credit", "bibliography", "read_credits"]

_SPECIAL = re.compile(r"([&%$#_{}])")
_HEAD = "% What this run cites. \\nocite{*} lists all of it; the comment above an entry says what it is cited for.\n"


@dataclass(frozen=True, slots=True)
class Credit:
    """A paper in words and as one BibTeX entry, and what it is cited for: ``wlr (algorithm)``."""

    used: tuple[str, ...]
    paper: str
    bibtex: str = ""

    def __str__(self) -> str:
        return f"{', '.join(self.used)}: {self.paper or 'no citation is stated'}"


def read_credits(folders: Iterable[Path], citations: Mapping[str, str]) -> tuple[Credit, ...]:
    """Return the papers of some runs, each once, in the order of their plans.

    Parameters
    ----------
    folders : iterable of Path
    citations : mapping of str to str
        What the cards of data sets say, by label; it outranks the words of the plan.
    """
    found: dict[str, Credit] = {}
    for folder in folders:
        try:
            parts = read_plan(folder).parts
        except RunFolderError:
            continue
        for part in parts:
            card = citations.get(part.label, "") if part.kind == "data set" else ""
            for credit in _credits(part, " ".join(card.split())):
                mark = _mark(credit)
                known = found.get(mark, credit)
                used = tuple(dict.fromkeys((*known.used, *credit.used)))
                found[mark] = replace(known, used=used, bibtex=known.bibtex or credit.bibtex)
    return tuple(sorted(found.values(), key=lambda one: not one.paper))


def _credits(part: PlannedPart, card: str) -> Iterator[Credit]:
    """Yield the papers of a part: those of its BibTeX, and what else the card of its data set cites."""
    used, stated, bibtex = (f"{part.label} ({part.kind})",), " ".join(part.paper.split()), part.bibtex.strip()
    try:
        entries = bibtex_entries(bibtex)
    except BibtexError:
        # Nothing, or what another program may understand.
        yield Credit(used, card or stated, bibtex)
        return
    if card and card != stated:
        yield Credit(used, card)
    words = [stated] if len(entries) == 1 and stated else [entry.words for entry in entries]
    yield from (Credit(used, *found) for found in zip(words, (entry.text for entry in entries), strict=True))


def _mark(credit: Credit) -> str:
    """Return what two citations of one paper have in common: their BibTeX, or else their words."""
    return " ".join((credit.bibtex or credit.paper).split())


def bibliography(credits: Iterable[Credit]) -> str:
    """Return a BibTeX file: the entries of authors as they are, and a note for papers that are stated in words only."""
    texts, taken = [_HEAD], set[str]()
    for credit in credits:
        if credit.paper or credit.bibtex:
            texts.append(f"% {', '.join(credit.used)}\n{_entry(credit, taken)}\n")
    return "\n".join(texts)


def _entry(credit: Credit, taken: set[str]) -> str:
    """Return the entry of a paper under a key that no other has."""
    try:
        (entry,) = bibtex_entries(credit.bibtex)
    except (BibtexError, ValueError):
        if credit.bibtex:
            return credit.bibtex
        return _note(credit, _free(credit.used[0].rpartition(" (")[0], taken))
    key = _free(entry.key, taken)
    return entry.text if key == entry.key else entry.with_key(key).text


def _free(wish: str, taken: set[str]) -> str:
    stem = (
        wish
        if re.fullmatch(r"[\w:.+/-]+", wish)
        else re.sub(r"[^a-z0-9]+", "-", wish.lower()).strip("-") or "part"
    )
    key = stem if stem not in taken else next(name for i in count(2) if (name := f"{stem}-{i}") not in taken)
    taken.add(key)
    return key


def _note(credit: Credit, key: str) -> str:
    note = _SPECIAL.sub(r"\\\1", credit.paper)
    return f"@misc{{{key},\n  note = {{{note}}},\n}}"
