"""Write README's table of the papers' numbers from the committed reports: ``python reports/accounts.py``."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pubench.suite import Suite, bundled_suites, load_suite

REPORTS = Path(__file__).parent
PAGE = REPORTS.parent / "README.md"
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
HEADS = ("paper", "table", "numbers", "compared", "within", "higher", "lower", "separate", "missing")


class Account(NamedTuple):
    """The verdicts on the numbers of a paper's table; those that are counted separately have verdicts of their own."""

    printed: int
    verdicts: Counter[str]
    apart: Counter[str]
    missing: int

    @property
    def compared(self) -> int:
        """How many numbers are compared under the paper's own conditions."""
        return self.verdicts.total()


def accounts() -> Iterator[tuple[Suite, Account]]:
    """Yield the suites with a paper's numbers, and the account of each."""
    for name in sorted(bundled_suites(), key=_natural):
        suite = load_suite(name)
        if suite.paper.numbers:
            with (REPORTS / name / "paper.csv").open(encoding="utf-8", newline="") as file:
                yield suite, account(csv.DictReader(file), sum(one.cells for one in suite.paper.missing))


def _natural(name: str) -> tuple[str, int]:
    """Sort Table 11 after Table 9."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0)


def account(lines: Iterable[dict[str, str]], missing: int) -> Account:
    """Count the lines of a ``paper.csv``."""
    verdicts: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
    for line in lines:
        verdicts[bool(line["apart"])][line["verdict"] or "not judged"] += 1
    printed = missing + sum(found.total() for found in verdicts.values())
    return Account(printed, verdicts[False], verdicts[True], missing)


def table(found: Iterable[tuple[Suite, Account]]) -> str:
    """Return the table as Markdown, with a line of sums."""
    found = list(found)
    whole = _sum(one for _, one in found)
    rest = _sum(one for suite, one in found if not suite.name.startswith("wlr"))
    lines = [[*_names(suite), *_numbers(one)] for suite, one in found]
    rows = [list(HEADS), ["---"] * 2 + ["---:"] * 7, *lines, ["all", "", *_numbers(whole)]]
    summary = (
        f"Of the compared numbers {_shares(whole.verdicts)};\nof those that are counted separately "
        f"{_shares(whole.apart)}.\nWithout weighted LR, whose c is "
        f"[searched further](docs/papers.md#weighted-logistic-regression) than in the paper,\n"
        f"of {rest.compared} compared numbers {_shares(rest.verdicts)}.\n"
        "Higher is not agreement: the page of each table says above its numbers what was chosen with true classes."
    )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + f"\n\n{summary}\n"


def _sum(accounts: Iterable[Account]) -> Account:
    found = list(accounts)
    verdicts = sum((one.verdicts for one in found), Counter[str]())
    apart = sum((one.apart for one in found), Counter[str]())
    return Account(sum(one.printed for one in found), verdicts, apart, sum(one.missing for one in found))


def _shares(verdicts: Counter[str]) -> str:
    parts = [f"{100 * verdicts[name] / verdicts.total():.0f} %" for name in ("within", "higher", "lower")]
    return f"{parts[0]} are within, {parts[1]} higher and {parts[2]} lower"


def _names(suite: Suite) -> list[str]:
    tables = re.search(r"Tables? [\dIVX]+(, [\dIVX]+)*( and [\dIVX]+)?$", suite.paper.citation)
    if tables is None:
        raise ValueError(f"suite '{suite.name}': the citation does not end with a table")
    return [PAPERS[suite.name.partition("-")[0]], f"[{tables[0]}](reports/{suite.name}/report.md)"]


def _numbers(one: Account) -> list[str]:
    apart = one.apart.total()
    split = " + ".join(str(one.apart[name]) for name in ("within", "higher", "lower"))
    counts = (one.printed, one.compared, *(one.verdicts[name] for name in ("within", "higher", "lower")))
    return [*(f"{count:,}" for count in counts), f"{apart} ({split})" if apart else "0", str(one.missing)]


def written(page: str) -> str:
    """Return the page with a new table."""
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{table(accounts())}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
