"""The leaderboard in a real browser: what its script computes for a selection is what Python computes for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.browser import choose, chromium, find, ready, seen
from helpers.html import row
from helpers.reports import details

from pubench.reporting import Report, build_report
from pubench.reporting.headline import best_sentence, strength_sentence
from pubench.reporting.render.html import html_report
from pubench.reporting.render.tex import tex
from pubench.reporting.sections.leaderboard import headlines, notes_on
from pubench.stats.leaderboard import Leaderboard, Standing, leaderboard
from pubench.suite.reporting import Rules

METHODS = ("purf", "wlr", "nnpu", "naive-et-prior", "naive-lr-prior", "fails")


def rows_of_a_study() -> list[dict[str, Any]]:
    """Two scenarios, two criteria, ties, an algorithm that fails now and then, one that is tuned, references."""
    rng = np.random.default_rng(1)
    rows = []
    for d in range(18):
        for scenario, labelling in (
            ("case-control", "case-control n_p=9"),
            ("single-training-set", "sts c=0.5"),
        ):
            place = {
                "dataset": f"data-{d}",
                "scenario": scenario,
                "labelling": labelling,
                "n_p": 50,
                "n_u": 500,
            }
            place |= {"n_test": 900 if d % 3 else 100, "true_prior": 0.1 if d % 4 == 0 else 0.4}
            place |= {"prior": place["true_prior"] if d < 10 else 0.3}
            for replicate in range(2):
                for k, name in enumerate((*METHODS, "supervised-et")):
                    # Few decimals make ties.
                    value = float(np.round(0.9 - 0.02 * k + 0.05 * rng.standard_normal(), 2))
                    fields = {"f1": value - 0.1 * float(rng.random()), "fit_seconds": float(rng.random())}
                    fields |= {"reference": name == "supervised-et", "collapsed": bool(rng.random() < 0.1)}
                    if name == "fails" and rng.random() < 0.1:
                        fields |= {"status": "failed", "error": "boom", "f1": None}
                    for criterion in ("puf", "oracle-acc") if name == "wlr" else (None,):
                        extra = {"reference": criterion == "oracle-acc"} if name == "wlr" else {}
                        rows.append(
                            row(name, value, **place, replicate=replicate, criterion=criterion)
                            | fields
                            | extra
                        )
    return rows


def study(missing: str = "pairwise") -> Report:
    cards = {f"data-{d}": {"rows": 9, "source": f"source {d % 2}", "id": str(max(d, 1))} for d in range(18)}
    rules = Rules(missing=missing, groups={"even": [f"data-{d}" for d in range(0, 18, 2)]})  # type: ignore[arg-type]
    return build_report(
        rows_of_a_study(), "study", {"acc": True, "f1": True}, rules=rules, details=details(cards)
    )


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    yield from chromium(tmp_path_factory.mktemp("chromium"))


@pytest.fixture(scope="module")
def report() -> Report:
    return study()


@pytest.fixture(scope="module")
def file(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("page") / "report.html"
    made.write_text(html_report(report), encoding="utf-8")
    return made


def open_page(browser: Any, file: Path, hash_: str = "") -> None:
    # A blank page between two addresses of one file: otherwise only the hash changes.
    browser.get("about:blank")
    browser.get(file.as_uri() + hash_)
    ready(browser)


SHOWN = """return [...document.querySelectorAll("table.board tbody tr")].map((row) => {
  const cells = [...row.querySelectorAll("td")], found = { name: row.querySelector("th").dataset.method };
  cells.forEach((cell) => { found[cell.dataset.key] = [cell.dataset.value ?? null, cell.textContent.trim()]; });
  const rank = row.querySelector("td[data-key=rank]");
  found.interval = [rank.dataset.low ?? null, rank.dataset.high ?? null];
  return found;
})"""


def is_same(raw: str | None, value: float) -> bool:
    """Whether the page has the same number to the last bit, or none where it is not known."""
    return raw is None if np.isnan(value) else raw is not None and float(raw) == value


def check(browser: Any, board: Leaderboard, report: Report) -> None:
    found = browser.execute_script(SHOWN)
    assert [line["name"] for line in found] == [one.algorithm for one in board.standings]
    for line, one in zip(found, board.standings, strict=True):
        assert is_same(line["rank"][0], one.rank)
        assert is_same(line["interval"][0], one.low)
        assert is_same(line["interval"][1], one.high)
        for place in range(len(report.tables)):
            assert is_same(line[f"mean{place}"][0], one.means[place])
        for key in ("normalised", "improvability", "seconds"):
            assert is_same(line.get(key, [None])[0], getattr(one, key)), key
        # The logarithm of a browser may differ in the last bit.
        assert float(line["elo"][0]) == pytest.approx(one.elo, abs=1e-9) if one.elo == one.elo else True
        if one.rank == one.rank:
            assert line["rank"][1].startswith(f"{one.rank:.2f}")
        if board.best not in (None, one.algorithm) and not one.reference:
            assert line["wins"][1] == f"{one.wins} / {one.ties} / {one.losses}"
        for key, count in (("collapsed", one.collapsed), ("failed", one.failed)):
            assert line[key][1] == (f"{count} of {one.planned}" if count else "0")


SELECTIONS: list[tuple[str, Any, tuple[str, ...]]] = [
    ("", lambda line: True, ()),
    ("metric=f1", lambda line: True, ()),
    ("scenario=case-control", lambda line: line.scenario == "case-control", ()),
    ("prior=true+prior", lambda line: line.prior == "true prior", ()),
    ("criterion=oracle-acc", lambda line: line.block.criterion == "oracle-acc", ()),
    ("hide=purf", lambda line: True, ("purf",)),
    ("find=data-1", lambda line: "data-1" in line.block.dataset, ("wlr",)),
    ("find=data-17", lambda line: "data-17" in line.block.dataset, ()),
    ("only=wlr", lambda line: True, tuple(name for name in (*METHODS, "supervised-et") if name != "wlr")),
    ("group=even", lambda line: int(line.block.dataset[5:]) % 2 == 0, ()),
    ("group=prior+below+0.2&metric=f1", lambda line: int(line.block.dataset[5:]) % 4 == 0, ("fails", "nnpu")),
]


@pytest.mark.parametrize(
    ("query", "chosen", "hidden"), SELECTIONS, ids=[each[0] or "all" for each in SELECTIONS]
)
def test_a_selection_is_ranked_as_python_ranks_it(
    browser: Any, file: Path, report: Report, query: str, chosen: Any, hidden: tuple[str, ...]
) -> None:
    hide = "".join(f"&hide={name}" for name in hidden if "hide=" not in query and "only=" not in query)
    open_page(browser, file, f"#leaderboard?{query}{hide}")
    board = report.board
    lines = [k for k, line in enumerate(board.lines) if chosen(line)]
    methods = [j for j, name in enumerate(board.algorithms) if name not in hidden]
    metric = 1 if "metric=f1" in query else 0
    assert 0 < len(lines) <= len(board.lines)
    found = leaderboard(board, metric, report.rules, lines, methods)
    check(browser, found, report)
    assert seen(browser, "#board-notes p") == [*notes_on(found, report.rules)]
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_the_worst_rank_of_missing_cells_is_that_of_python(browser: Any, tmp_path: Path) -> None:
    report = study("worst-rank")
    file = tmp_path / "report.html"
    file.write_text(html_report(report), encoding="utf-8")
    open_page(browser, file)
    (board, _) = report.leaderboards
    assert by_name(board)["fails"].rank > by_name(study().leaderboards[0])["fails"].rank
    check(browser, board, report)


def by_name(board: Leaderboard) -> dict[str, Standing]:
    return {one.algorithm: one for one in board.standings}


def test_the_first_sentence_is_that_of_python_and_follows_the_selection(
    browser: Any, file: Path, report: Report
) -> None:
    open_page(browser, file)
    assert seen(browser, "#headline") == headlines(report)[:1]
    assert "cannot be seen with" in headlines(report)[0]
    choose(browser, "scenario", "case-control")
    board = report.board
    lines = [k for k, line in enumerate(board.lines) if line.scenario == "case-control"]
    part = leaderboard(board, 0, report.rules, lines)
    strength = strength_sentence(part, board.metrics[0], report.comparisons[0])
    assert seen(browser, "#headline")[0].startswith(f"{strength} {best_sentence(part)} in this selection")


def test_a_link_restores_the_view(browser: Any, file: Path, report: Report) -> None:
    open_page(browser, file)
    choose(browser, "metric", "1")
    choose(browser, "scenario", "single-training-set")
    choose(browser, "by", "rows")
    browser.execute_script("document.querySelector('#columns input[value=wlr]').click()")
    browser.execute_script("document.querySelector('#sd').click()")
    browser.execute_script("document.querySelector('table.board [data-sort=seconds]').click()")
    browser.execute_script("document.querySelector('table.scores thead th:last-child button').click()")
    browser.execute_script("document.querySelector('table.board .method').click()")
    shown, address = browser.execute_script(SHOWN), browser.current_url
    scores = browser.execute_script("return document.querySelector('#score-table').textContent")
    open_page(browser, file)
    assert browser.execute_script(SHOWN) != shown
    open_page(browser, file, "#" + address.partition("#")[2])
    assert browser.execute_script(SHOWN) == shown
    assert browser.execute_script("return document.querySelector('#score-table').textContent") == scores
    assert browser.current_url == address
    assert len(find(browser, ".method[aria-pressed=true]")) == 1
    assert find(browser, "#by")[0].get_attribute("value") == "rows"
    # A link with names that this run does not have shows the whole run.
    open_page(browser, file, "#scores?metric=nothing&scenario=none&hide=nobody&sort=x:y")
    assert len(browser.execute_script(SHOWN)) == 7
    assert seen(browser, "#headline") == headlines(report)[:1]


INJECTED = "%22%3E%3Cimg%20src%3Dx%20onerror%3D%22document.title%3D%27broken%27%22%3E"


@pytest.mark.parametrize(
    "query",
    [
        "metric=nothing&scenario=none&group=x&prior=y&criterion=z&labelling=l&hide=nobody&by=diagonal&order=backwards"
        "&whole=perhaps&sd=maybe&heat=2&lit=nobody",
        "only=nobody",
        f"sort=rank:{INJECTED}&sorts=purf:{INJECTED}&lit={INJECTED}&metric=__proto__&scenario=%E0%A4%A",
    ],
)
def test_values_of_an_address_that_mean_nothing_are_ignored(
    browser: Any, file: Path, report: Report, query: str
) -> None:
    open_page(browser, file, f"#scores?{query}")
    check(browser, report.leaderboards[0], report)
    assert seen(browser, "#headline") == headlines(report)[:1]
    assert find(browser, "#by")[0].get_attribute("value") == "columns"
    assert find(browser, "img") == []
    assert browser.title != "broken"
    assert browser.current_url.partition("#")[2] == "scores"
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


NASTY = ("100%_sure & more", r"a{b}#1\c^~$", "日本語", 'é--ö <|> "q" π ±')


def test_names_are_copied_as_python_writes_them_in_latex(browser: Any, tmp_path: Path) -> None:
    rows = [row(name, 0.5 + 0.1 * k, dataset=f"d{d}") for k, name in enumerate(NASTY) for d in range(2)]
    file = tmp_path / "nasty.html"
    file.write_text(html_report(build_report(rows, "s", {"acc": True})), encoding="utf-8")
    open_page(browser, file)
    browser.execute_script("document.querySelector('[data-copy=board][data-form=latex]').click()")
    text = browser.execute_script(
        "return document.querySelector('[data-copy=board][data-form=latex]').dataset.text"
    )
    lines = [line.partition(" & ")[0] for line in text.splitlines() if line.endswith(r"\\")]
    assert sorted(lines[1:]) == sorted(map(tex, NASTY))


def test_tests_of_the_whole_run_are_hidden_while_a_filter_is_on(browser: Any, file: Path) -> None:
    open_page(browser, file)
    assert seen(browser, "#tests table")
    choose(browser, "scenario", "case-control")
    assert seen(browser, "#tests table") == []
    assert seen(browser, "#tests .unfiltered") == [
        "Tests are made for the whole run: remove the filters to see them."
    ]
    assert "which was not tested" in seen(browser, "#headline")[0]


def large(methods: int = 60, datasets: int = 300) -> Report:
    rng = np.random.default_rng(0)
    rows = [
        row(f"method-{a}", float(rng.random()), dataset=f"data-set-{d}", replicate=r)
        | {"f1": float(rng.random()), "roc-auc": float(rng.random()), "fit_seconds": float(rng.random())}
        for d in range(datasets)
        for a in range(methods)
        for r in range(3)
    ]
    return build_report(rows, "large", {"acc": True, "f1": True, "roc-auc": True})


def test_a_large_page_is_small() -> None:
    """60 methods on 300 data sets take at most 3 MB, to judge by what eight more data sets add."""
    few, more = (len(html_report(large(60, n)).encode()) for n in (12, 20))
    assert few + (300 - 12) / 8 * (more - few) < 3_000_000


@pytest.mark.slow
def test_sixty_methods_on_three_hundred_data_sets_can_be_used_at_once(browser: Any, tmp_path: Path) -> None:
    page = html_report(large())
    assert len(page.encode()) < 3_000_000
    file = tmp_path / "large.html"
    file.write_text(page, encoding="utf-8")
    open_page(browser, file)
    # By the browser's own clock, since it asked for the page; idle machines need less than half of it.
    assert (
        browser.execute_script("return performance.getEntriesByName('pubench-ready')[0].startTime") < 10_000
    )
    assert len(find(browser, "table.board tbody tr")) == 60
    # Only so many cells are laid out before a reader asks for all.
    assert len(find(browser, "table.scores tbody tr")) == 2000 // 60
    assert find(browser, "#more")[0].text == "Show all of 300 lines"
    first = find(browser, "table.board tbody th")[0].get_attribute("data-method")
    browser.execute_script("document.querySelector(`#columns input[value=${arguments[0]}]`).click()", first)
    assert len(find(browser, "table.board tbody tr")) == 59
