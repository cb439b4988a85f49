"""Pages about the papers: parts that a program makes are as it makes them, and typed figures are those of the rows."""

from __future__ import annotations

import re
import runpy
import statistics
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest
from helpers.committed import REPORTS

from pubench.suite import bundled_suites, load_suite

DOCS = REPORTS.parent / "docs"
PAGES = {
    "papers-boosting.md": ("adapu", "novelgb"),
    "papers-pual.md": ("pual",),
    "papers-trees.md": ("puet",),
    "papers-text.md": ("wlr",),
}
"""The pages, and the first words of the suites that they are about."""
ELSEWHERE = {
    "88.3 (4.2)": "PUAL with 40 trials of TPE, a search that no suite has",
    "64.2 (2.8)": 'PUAL with test_from = "population", which no suite has',
    "80.3 (0.5)": "the end of a range of supervised learners, at a label frequency of 0.5",
    "23.8 (45.3)": "not a deviation: ours, and the paper's in parentheses",
}
"""Figures that are not of committed rows, and what they are of."""
MEAN = re.compile(r"(\d*\.\d+) \((\d*\.\d+)\)")


class Mean(NamedTuple):
    """A mean, ours or printed, with its deviation and its place in a table."""

    place: tuple[str, ...]
    mean: float
    sd: float


@pytest.fixture(autouse=True)
def _scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(REPORTS))


def script(name: str) -> dict[str, Any]:
    return runpy.run_path(str(REPORTS / f"{name}.py"))


@cache
def our_means(words: tuple[str, ...]) -> tuple[Mean, ...]:
    """Return the means of the committed rows of some suites, as shares and as percentages."""
    read, found = script("claims")["rows"], []
    for name in suites(words):
        values: dict[tuple[str, ...], list[float]] = {}
        metrics = load_suite(name).report.metrics
        for row in read(name):
            for metric in metrics:
                place = [str(row[key] or "") for key in ("dataset", "labelling", "algorithm", "criterion")]
                if isinstance(row.get(metric), float):
                    values.setdefault((name, *place, metric), []).append(row[metric])
        for place, several in values.items():
            mean = statistics.mean(several)
            sd = statistics.stdev(several) if len(several) > 1 else 0.0
            found += [Mean(place, mean, sd), Mean(place, 100 * mean, 100 * sd)]
    return tuple(found)


@cache
def printed_means(words: tuple[str, ...]) -> tuple[Mean, ...]:
    """Return the papers' own numbers, as the suites hold them."""
    return tuple(
        Mean(
            (name, one.dataset, one.labelling or "", one.algorithm, one.criterion or ""),
            one.mean,
            one.sd or 0.0,
        )
        for name in suites(words)
        for one in load_suite(name).paper.numbers
    )


def suites(words: tuple[str, ...]) -> Iterator[str]:
    return (
        name for name in bundled_suites() if name.partition("-")[0] in words and (REPORTS / name).is_dir()
    )


def is_rounded(text: str, value: float) -> bool:
    """Whether a text is a value to as many decimals as it has."""
    decimals = len(text.partition(".")[2])
    return abs(float(text) - value) <= 0.5 * 10**-decimals + 1e-9


def test_the_parts_of_the_summary_are_made_by_their_program() -> None:
    made = script("screens")
    page = made["PAGE"].read_text(encoding="utf-8")
    parts = made["parts"]()
    assert sorted(made["marked"](page)) == sorted(parts)
    assert made["written"](page, parts) == page, "run: python reports/screens.py"


@pytest.mark.parametrize("name", PAGES)
def test_means_with_deviations_are_those_of_rows_or_of_the_paper(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    known = [*our_means(PAGES[name]), *printed_means(PAGES[name])]
    unknown = [
        found[0]
        for found in MEAN.finditer(text)
        if not any(is_rounded(found[1], one.mean) and is_rounded(found[2], one.sd) for one in known)
    ]
    assert set(unknown) <= set(ELSEWHERE)


def test_every_figure_from_elsewhere_is_on_a_page() -> None:
    pages = "".join((DOCS / name).read_text(encoding="utf-8") for name in PAGES)
    assert all(figure in pages for figure in ELSEWHERE)


@pytest.mark.parametrize("name", PAGES)
def test_counts_of_verdicts_are_those_of_the_account(name: str) -> None:
    text = " ".join((DOCS / name).read_text(encoding="utf-8").split())
    made = script("accounts")
    counts = {
        made["account"](suite, numbers).counts(conditions)
        for suite, numbers in made["published"]()
        for conditions in made["CONDITIONS"]
    }
    pattern = r"(\d+) agree,(?: and)? (\d+) are higher,?(?: and)? (\d+) are lower"
    assert {tuple(map(int, found)) for found in re.findall(pattern, text)} <= counts


def test_averages_over_the_groups_of_documents_are_those_of_rows_and_paper() -> None:
    text = (DOCS / "papers-text.md").read_text(encoding="utf-8")
    found = re.findall(r"(\.\d{3}) / (\.\d{3})", text)
    assert len(found) > 10
    ours, printed = averages(our_means(("wlr",))), averages(printed_means(("wlr",)))
    pairs = [(printed[place], ours[place]) for place in printed if place in ours]
    for paper, here in found:
        assert any(is_rounded(paper, one) and is_rounded(here, other) for one, other in pairs), (paper, here)


def averages(means: tuple[Mean, ...]) -> dict[tuple[str, ...], float]:
    """Return the mean over data sets of the shares of one suite, labelling, algorithm and criterion."""
    values: dict[tuple[str, ...], list[float]] = {}
    for one in means:
        if one.mean <= 1:
            suite, _, *rest = one.place
            values.setdefault((suite, *rest[:3]), []).append(one.mean)
    return {place: statistics.mean(several) for place, several in values.items()}


def test_what_is_lower_in_table_3_of_pual_is_as_listed() -> None:
    page = (DOCS / "papers-pual.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| [\w ]+: [^|]*\| ([^|]*) \| ([^|]*) \|", page, re.MULTILINE)
    assert len(lines) > 5
    printed, ours = printed_means(("pual",)), our_means(("pual",))
    for paper, here in lines:
        for text, known in ((paper, printed), (here, ours)):
            for figure in text.split(", "):
                assert any(is_rounded(figure, one.mean) for one in known), figure
