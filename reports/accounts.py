"""Write the account of the papers' numbers from the committed rows: ``python reports/accounts.py``.

One sentence goes into README, sentence and table into docs/papers.md, and every `paper.csv` is made again.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from claims import REPORTS, directions, is_committed, results, rows

from pubench.plugins.discovery import discover
from pubench.reporting.published import OurMean, PublishedNumber, compare_with_paper, judge_number
from pubench.reporting.render.csv import numbers_csv
from pubench.stats.scores import Block, score_table
from pubench.suite import Suite, bundled_suites, load_suite
from pubench.suite.columns import TIMED

PAGES = {REPORTS.parent / "README.md": False, REPORTS.parent / "docs" / "papers.md": True}
"""The pages with the sentence, and whether the table follows it."""
START, END = (
    "<!-- Below: made by reports/accounts.py. -->\n",
    "<!-- Above: made by reports/accounts.py. -->\n",
)
PAPERS = {
    "adapu": "Ada-PU",
    "pual": "PUAL",
    "novelgb": "NovelGB",
    "puet": "PU extra trees",
    "wlr": "weighted LR",
}
CONDITIONS = ("same protocol", "own search", "other data")
VERDICTS = ("agrees", "higher", "lower")
HEADS = ("paper", "table", *CONDITIONS, "unavailable")


class Account(NamedTuple):
    """How many numbers of a table have which verdict under which conditions, and how many are unavailable."""

    verdicts: Counter[tuple[str, str]]
    unavailable: int

    def counts(self, conditions: str) -> tuple[int, ...]:
        """Return how many numbers agree, are higher and are lower under some conditions."""
        return tuple(self.verdicts[conditions, verdict] for verdict in VERDICTS)


def published() -> Iterator[tuple[Suite, tuple[PublishedNumber, ...]]]:
    """Yield the suites with a paper's numbers, and each number beside ours, from the committed rows."""
    registry = discover(third_party=False)
    for name in sorted(bundled_suites(), key=_natural):
        suite = load_suite(name)
        if suite.paper.numbers and is_committed(name):
            cells = rows(name)
            tables = [score_table(cells, *each) for each in directions(suite, registry).items()]
            found = compare_with_paper(suite.paper, tables)
            yield suite, tuple(_timed(suite, found.numbers if found else ()))


def _natural(name: str) -> tuple[str, int]:
    """Sort Table 11 after Table 9."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0)


def _timed(suite: Suite, numbers: Iterable[PublishedNumber]) -> Iterator[PublishedNumber]:
    """Yield the numbers; times are not among the committed rows, and are those of the last report."""
    stored = {(line["metric"], line["dataset"], line["algorithm"]): line for line in _stored(suite)}
    for one, number in zip(numbers, suite.paper.numbers, strict=True):
        if one.metric in TIMED:
            line = stored[one.metric, one.dataset, one.algorithm]
            ours = OurMean(float(line["ours"]), float(line["ours_sd"]), suite.replicates)
            place = Block(line["dataset"], line["labelling"], line["criterion"])
            yield judge_number(number, suite.paper, place, ours)
        else:
            yield one


def _stored(suite: Suite) -> list[dict[str, str]]:
    with (REPORTS / suite.name / "paper.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def account(suite: Suite, numbers: Iterable[PublishedNumber]) -> Account:
    """Count the numbers of a suite."""
    verdicts = Counter((one.conditions, one.verdict or "not judged") for one in numbers)
    return Account(verdicts, sum(one.cells for one in suite.paper.missing))


def summary(found: Iterable[Account]) -> str:
    """Say which share of the numbers agrees under the same protocol, and which share of the claims holds."""
    whole = _sum(found).counts("same protocol")
    verdicts = [one.verdict for _, claims in results() for one in claims]
    holds = verdicts.count("holds")
    return (
        f"Under the same protocol {100 * whole[0] / sum(whole):.0f} % of {sum(whole)} numbers agree, and "
        f"{100 * holds / len(verdicts):.0f} % of\n{len(verdicts)} claims hold."
    )


def table(found: Iterable[tuple[Suite, Account]]) -> str:
    """Return the table as Markdown, with a line of sums."""
    found = list(found)
    lines = [[*_names(suite), *_cells(one)] for suite, one in found]
    whole = ["all", "", *_cells(_sum(one for _, one in found))]
    rows = [list(HEADS), ["---"] * 2 + ["---:"] * 4, *lines, whole]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _sum(accounts: Iterable[Account]) -> Account:
    found = list(accounts)
    return Account(
        sum((one.verdicts for one in found), Counter[tuple[str, str]]()),
        sum(one.unavailable for one in found),
    )


def _names(suite: Suite) -> list[str]:
    tables = re.search(r"Tables? [\dIVX]+(, [\dIVX]+)*( and [\dIVX]+)?$", suite.paper.citation)
    if tables is None:
        raise ValueError(f"suite '{suite.name}': the citation does not end with a table")
    return [PAPERS[suite.name.partition("-")[0]], tables[0]]


def _cells(one: Account) -> list[str]:
    counts = [one.counts(conditions) for conditions in CONDITIONS]
    return [*("/".join(map(str, count)) if any(count) else "–" for count in counts), str(one.unavailable)]


def written(page: str, tabled: bool, found: Iterable[tuple[Suite, Account]]) -> str:
    """Return a page with a new sentence and perhaps a new table."""
    found = list(found)
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    text = f"{summary(one for _, one in found)}\n"
    return f"{before}{START}\n{text}" + (f"\n{table(found)}" if tabled else "") + f"\n{END}{after}"


def main() -> None:
    """Write both pages and every `paper.csv`."""
    numbers = list(published())
    for suite, found in numbers:
        (REPORTS / suite.name / "paper.csv").write_text(numbers_csv(found), encoding="utf-8", newline="")
    accounts = [(suite, account(suite, found)) for suite, found in numbers]
    for page, tabled in PAGES.items():
        page.write_text(written(page.read_text(encoding="utf-8"), tabled, accounts), encoding="utf-8")


if __name__ == "__main__":
    main()
