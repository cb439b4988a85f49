"""Write what docs/papers.md says of each suite and paper from the committed rows: ``python reports/screens.py``.

Between marks the page has the table of suites, and for each paper its share of numbers that agree and its claims, those
that hold first.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from accounts import PAPERS, Account, account, published
from claims import KINDS, REPORTS, is_committed, results

from pubench.reporting.claims import ClaimResult
from pubench.suite import Suite

PAGE = REPORTS.parent / "docs" / "papers.md"
SUITES = "suites"
SINGULAR = dict(zip(KINDS, ("holds", "holds in part", "does not hold", "cannot be tested"), strict=True))
PLURAL = dict(zip(KINDS, ("hold", "hold in part", "do not hold", "cannot be tested"), strict=True))
MARKS = re.compile(
    r"(<!-- Below: ([\w -]+), made by reports/screens.py. -->\n).*?(<!-- Above: made by reports/screens.py. -->\n)",
    re.DOTALL,
)


def suites_table(found: Iterable[tuple[Suite, Sequence[ClaimResult]]]) -> str:
    """Return what each suite reproduces, and how many cells it has."""
    lines = [
        [f"`{suite.name}`", _place(suite), f"{_cells(suite):,}"]
        for suite, _ in found
        if is_committed(suite.name)
    ]
    return _table(["suite", "of its paper", "cells"], lines, numbers=(2,))


def _cells(suite: Suite) -> int:
    with (REPORTS / suite.name / "cells.csv").open(encoding="utf-8", newline="") as opened:
        return sum(1 for _ in csv.DictReader(opened))


def _place(suite: Suite) -> str:
    """Return what a citation ends with: the tables or figures of the paper."""
    found = re.search(r"(Tables?|Figs?\.) [\dIVX]+((,| and| to) [\dIVX]+)*$", suite.paper.citation)
    if found is None:
        raise ValueError(f"suite '{suite.name}': the citation does not end with a table or figure")
    return found[0]


def screen(name: str, accounts: Iterable[tuple[Suite, Account]], found: Iterable[ClaimResult]) -> str:
    """Return the share of a paper's numbers that agree, and the claims that can be tested, those that hold first."""
    counts = [one.counts("same protocol") for suite, one in accounts if _paper(suite) == name]
    agree, whole = sum(one[0] for one in counts), sum(map(sum, counts))
    ordered = sorted(found, key=lambda one: KINDS.index(one.verdict))
    verdicts = Counter(one.verdict for one in ordered)
    said = ", ".join(
        f"{verdicts[kind]} {(SINGULAR if verdicts[kind] == 1 else PLURAL)[kind]}"
        for kind in KINDS
        if verdicts[kind]
    )
    numbers = f"Under the same protocol {agree} of {whole} numbers agree." if whole else _NO_NUMBERS
    lists = (_listed(kind, [one.says for one in ordered if one.verdict == kind]) for kind in KINDS[:-1])
    return f"{numbers} Of {len(ordered)} claims, {said}.\n\n" + "\n".join(filter(None, lists))


def _listed(verdict: str, claims: Sequence[str]) -> str:
    """Return the claims of one verdict as a list; nothing where there is none."""
    return (
        f"**{verdict[0].upper()}{verdict[1:]}:**\n\n" + "".join(f"- {one}\n" for one in claims)
        if claims
        else ""
    )


_NO_NUMBERS = "No number was obtained under the same protocol."


def parts() -> Mapping[str, str]:
    """Return each part of the page by the name in its mark."""
    found = list(results())
    accounts = [(suite, account(suite, numbers)) for suite, numbers in published()]
    by_paper = {
        name: [one for suite, claims in found if _paper(suite) == name for one in claims]
        for name in PAPERS.values()
    }
    screens = {name: screen(name, accounts, claims) for name, claims in by_paper.items()}
    return {SUITES: suites_table(found), **screens}


def written(page: str, made: Mapping[str, str]) -> str:
    """Return the page with all its parts made again."""
    return MARKS.sub(lambda found: f"{found[1]}\n{made[found[2]]}\n{found[3]}", page)


def marked(page: str) -> Iterator[str]:
    """Yield the names of the parts that a page has."""
    yield from (found[2] for found in MARKS.finditer(page))


def _paper(suite: Suite) -> str:
    return PAPERS[suite.name.partition("-")[0]]


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    ruler = ["---:" if place in numbers else "---" for place in range(len(heads))]
    return "".join(f"| {' | '.join(line)} |\n" for line in [heads, ruler, *lines])


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), parts()), encoding="utf-8")
