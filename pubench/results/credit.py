"""Whom a run has to cite: the papers of its algorithms, criteria, prior estimators and data sets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pubench.errors import RunFolderError
from pubench.results.run_folder import read_plan

__all__ = ["Credit", "bibliography", "read_credits"]

_ENTRY = re.compile(r"^\s*@\w+\s*\{\s*([^,\s]+)\s*,", re.MULTILINE)
_SPECIAL = re.compile(r"([&%$#_{}])")
_HEAD = "% What this run cites. \\nocite{*} lists all of it; the comment above an entry says what it is cited for.\n"


@dataclass(frozen=True, slots=True)
class Credit:
    """A paper in words and as BibTeX, and what it is cited for: ``wlr (algorithm)``."""

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
        What the cards of data sets say, by label; it outranks the plan.
    """
    found: dict[str, Credit] = {}
    for folder in folders:
        try:
            parts = read_plan(folder).parts
        except RunFolderError:
            continue
        for part in parts:
            paper = citations.get(part.label, "") if part.kind == "data set" else ""
            paper = " ".join((paper or part.paper).split())
            known = found.get(paper, Credit((), paper))
            used = tuple(dict.fromkeys((*known.used, f"{part.label} ({part.kind})")))
            found[paper] = replace(known, used=used, bibtex=known.bibtex or part.bibtex.strip())
    return tuple(sorted(found.values(), key=lambda one: not one.paper))


def bibliography(credits: Iterable[Credit]) -> str:
    """Return a BibTeX file: the entries of authors as they are, and a note for papers that are stated in words only."""
    entries, taken = [_HEAD], set[str]()
    for credit in credits:
        if not credit.paper and not credit.bibtex:
            continue
        keys = _ENTRY.findall(credit.bibtex)
        if keys and taken.issuperset(keys):
            continue
        text = credit.bibtex or _note(credit, taken)
        taken.update(_ENTRY.findall(text))
        entries.append(f"% {', '.join(credit.used)}\n{text}\n")
    return "\n".join(entries)


def _note(credit: Credit, taken: set[str]) -> str:
    stem = re.sub(r"[^a-z0-9]+", "-", credit.used[0].rpartition(" (")[0].lower()).strip("-") or "part"
    key = next(
        name for name in (stem, *(f"{stem}-{number}" for number in range(2, 1000))) if name not in taken
    )
    note = _SPECIAL.sub(r"\\\1", credit.paper)
    return f"@misc{{{key},\n  note = {{{note}}},\n}}"
