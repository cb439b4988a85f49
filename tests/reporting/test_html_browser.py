"""The page in a real browser: Debian's chromium and its driver; skipped where they are missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.browser import choose, chromium, find, names, ready, seen, wait_until
from helpers.html import rows_of
from helpers.reports import details, paper

from pubench.reporting import build_report
from pubench.reporting.render.html import html_report

webdriver = pytest.importorskip("selenium.webdriver")
pytest.importorskip("selenium")

MEANS = {"a": [0.9, 0.8, 0.7], "b": [0.85, 0.82, 0.6], "c": [0.1, 0.2, 0.3]}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    yield from chromium(tmp_path_factory.mktemp("chromium"))


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Any:
    rows = [
        {**row, "f1": 1 - row["acc"], "params": '{"c": 0.5}', "notes": None, "criterion": "puf"}
        for row in rows_of(MEANS)
    ]
    rows[0] |= {"notes": "a note <b>"}
    file = tmp_path / "report.html"
    found = details(provenance=[{"command": ["pubench", "suite", "run", "x"]}])
    report = build_report(rows, "the title", {"acc": True, "f1": True}, details=found)
    file.write_text(html_report(report), encoding="utf-8")
    browser.get_log("performance")
    browser.get(file.as_uri())
    browser.execute_script("try { localStorage.clear() } catch {}")
    return ready(browser)


def test_it_opens_without_errors_and_without_requests(page: Any) -> None:
    assert page.title == "the title – pubench"
    assert [entry for entry in page.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []
    messages = [entry["message"] for entry in page.get_log("performance")]
    # The browser itself may ask for something of its own: only what the page asks for counts.
    asked = [text for text in messages if "requestWillBeSent" in text and '"documentURL":"file:' in text]
    assert all('"url":"file:' in message or '"url":"data:' in message for message in asked)
    assert len(asked) == 1


def test_a_click_on_a_heading_sorts_there_and_back(page: Any) -> None:
    head = "table.scores thead th[data-column='2']"
    assert names(page) == ["d0", "d1", "d2"]
    orders = []
    for _ in range(3):
        find(page, f"{head} button")[0].click()
        orders.append((find(page, head)[0].get_attribute("aria-sort"), names(page)))
    assert orders == [
        ("descending", ["d2", "d1", "d0"]),
        ("ascending", ["d0", "d1", "d2"]),
        (None, ["d0", "d1", "d2"]),
    ]


def test_hiding_the_best_ranks_and_marks_the_others_anew(page: Any) -> None:
    best = "table.scores td.best"
    assert {cell.get_attribute("data-method") for cell in find(page, best)} == {"a", "b"}
    page.execute_script("document.querySelector('#columns input[value=a]').click()")
    assert {cell.get_attribute("data-method") for cell in find(page, best)} == {"b"}
    assert seen(page, "table.board tbody tr:first-child th") == ["b"]
    assert seen(page, "table.board tbody td[data-key=rank]") == ["1.00*", "2.00"]
    assert seen(page, "table.scores tfoot td") == ["1.00", "2.00"]
    assert seen(page, "table.scores thead th") == ["data set", "b", "c"]
    # Tests of the whole run would contradict it.
    assert seen(page, "#tests p") == ["Tests are made for the whole run: remove the filters to see them."]
    find(page, "#reset")[0].click()
    assert seen(page, "table.board tbody tr:first-child th") == ["a"]
    assert len(seen(page, "#tests p")) > 1


@pytest.mark.slow
def test_words_filter_lines_and_all_or_none_of_the_methods_are_shown(page: Any) -> None:
    box = find(page, "#find")[0]
    box.send_keys("d1 puf")
    assert names(page) == ["d1"]
    box.send_keys("x")
    assert names(page) == []
    box.clear()
    box.send_keys("d")
    assert names(page) == ["d0", "d1", "d2"]
    find(page, "#methods summary")[0].click()
    find(page, "#none")[0].click()
    assert names(page) == []
    assert seen(page, "#headline") == ["Nothing can be ranked in this selection."]
    find(page, "#all")[0].click()
    assert seen(page, "table.scores thead th") == ["data set", "a", "b", "c"]


@pytest.mark.slow
def test_methods_are_rows_or_columns(page: Any) -> None:
    columns = seen(page, "table.scores tbody td")
    choose(page, "by", "rows")
    assert names(page) == ["a", "b", "c"]
    assert seen(page, "table.scores thead th .name") == ["d0", "d1", "d2"]
    assert sorted(seen(page, "table.scores tbody td[data-line]")) == sorted(columns)
    find(page, "table.scores thead th:last-child button")[0].click()
    assert names(page) == ["a", "b", "c"]
    find(page, "table.scores thead th:last-child button")[0].click()
    assert names(page) == ["c", "b", "a"]


@pytest.mark.slow
def test_the_metric_can_be_switched(page: Any) -> None:
    assert seen(page, "table.scores caption") == ["acc (higher is better); l; tuned by puf"]
    assert seen(page, "table.board tbody tr:first-child th") == ["a"]
    choose(page, "metric", "1")
    assert seen(page, "table.scores caption") == ["f1 (higher is better); l; tuned by puf"]
    assert seen(page, "table.board tbody tr:first-child th") == ["c"]
    assert seen(page, "#figures figcaption")[0].startswith("Mean score against the median time")


@pytest.mark.slow
def test_a_method_stands_out_in_tables_and_figures(page: Any) -> None:
    other = "return getComputedStyle(document.querySelector('#against-time g[data-method=b]')).opacity"
    assert page.execute_script(other) == "1"
    find(page, "table.board tbody .method")[0].click()
    assert page.execute_script(other) == "0.2"
    assert "lit=a" in page.current_url
    find(page, "table.board tbody .method")[0].click()
    page.execute_script("document.activeElement.blur()")
    webdriver.ActionChains(page).move_to_element(find(page, "h1")[0]).perform()
    assert page.execute_script(other) == "1"
    point = find(page, "#against-time g[data-method=c] circle")[0]
    webdriver.ActionChains(page).move_to_element(point).perform()
    assert page.execute_script(other) == "0.2"
    assert seen(page, "#tip") == ["c: acc 0.200, 0.100 s"]


@pytest.mark.slow
def test_a_mean_opens_its_replicates_and_escape_closes_them(page: Any) -> None:
    find(page, "table.scores tbody td button")[0].click()
    dialog = find(page, "#cell")[0]
    wait_until(page, dialog.is_displayed)
    assert seen(page, "#cell-title") == ["a · d0 · l · puf"]
    lines = [row.text for row in find(page, "#cell tbody tr")]
    assert len(lines) == 2
    assert "0.89" in lines[0]
    assert '{"c": 0.5}' in lines[0]
    assert "a note <b>" in lines[0]
    webdriver.ActionChains(page).send_keys("\ue00c").perform()
    assert not dialog.is_displayed()


@pytest.mark.slow
def test_the_keyboard_alone_reaches_everything(page: Any) -> None:
    reached = []
    for _ in range(60):
        webdriver.ActionChains(page).send_keys("\ue004").perform()
        active = page.switch_to.active_element
        reached.append(active.get_attribute("id") or active.text or active.tag_name)
    wanted = {
        "metric",
        "find",
        "by",
        "order",
        "sd",
        "heat",
        "csv",
        "link",
        "theme",
        "Skip to the leaderboard",
    }
    assert wanted <= set(reached)
    button = find(page, "table.scores tbody td button")[0]
    page.execute_script("arguments[0].focus()", button)
    webdriver.ActionChains(page).send_keys("\ue007").perform()
    wait_until(page, find(page, "#cell")[0].is_displayed)


@pytest.mark.slow
def test_dark_and_light(page: Any) -> None:
    back = "return getComputedStyle(document.body).backgroundColor"
    first = page.execute_script(back)
    find(page, "#theme")[0].click()
    second = page.execute_script(back)
    assert {first, second} == {"rgb(255, 255, 255)", "rgb(18, 22, 27)"}
    find(page, "#theme")[0].click()
    assert page.execute_script(back) == first


def copied(page: Any, which: str, form: str) -> str:
    button = f"[data-copy={which}][data-form={form}]"
    find(page, button)[0].click()
    wait_until(page, lambda: find(page, button)[0].get_attribute("data-text"))
    return str(find(page, button)[0].get_attribute("data-text"))


@pytest.mark.slow
def test_what_is_copied_is_what_is_seen(page: Any) -> None:
    find(page, "#find")[0].send_keys("d2")
    page.execute_script("document.querySelector('#columns input[value=c]').click()")
    head, line, end = copied(page, "scores", "csv").split("\n")
    assert head == "data set,labelling,criterion,a,b"
    assert line.startswith("d2,l,puf,0.7")
    assert end == ""
    assert seen(page, "#said") == ["1 row copied"]
    find(page, "#reset")[0].click()
    markdown = copied(page, "board", "markdown").split("\n")
    assert markdown[0].startswith("| method | rank | low | high | acc | f1 |")
    assert markdown[2].startswith("| a | **1.33** | – | – | **0.800** | 0.200 |")
    latex = copied(page, "scores", "latex")
    assert latex.startswith("% Needs \\usepackage{booktabs}\n\\begin{tabular}{lllrrr}\n\\toprule\n")
    assert "d0 & l & puf & \\textbf{0.900 (0.014)} & 0.850 (0.014) & 0.100 (0.014) \\\\" in latex


@pytest.mark.slow
def test_it_fits_a_phone(page: Any) -> None:
    page.set_window_size(500, 900)
    try:
        width = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.execute_script(width) <= 0
    finally:
        page.set_window_size(1280, 1000)


def open_whole_page(browser: Any, file: Path) -> None:
    """Open the page of a run that has every section."""
    rows, trials, models = [], {}, {}
    for criterion, shift in (("puf", -0.05), ("oracle-acc", 0.0)):
        for plain in rows_of(MEANS, criterion=criterion, reference=criterion == "oracle-acc"):
            for n_p in (10, 20):
                key = f"k{len(rows)}"
                labelled = {"labelling": f"case-control n_p={n_p}", "key": key, "params": '{"c": 1}'}
                value = plain["acc"] + shift
                rows.append(plain | labelled | {"acc": value, "f1": 1 - value})
                trials[key] = [[{"c": c}, float(c == 1), 0.1, ""] for c in range(20)]
                curve = {"stages": [1, 2, 3], "metrics": {"acc": [0.1, 0.2, 0.3], "f1": [0.3, 0.2, 0.1]}}
                models[key] = {"of": "importance", "size": 1, "weights": [["<b>", 1.0]], **curve}
    number = {"dataset": "d0", "algorithm": "a", "metric": "acc", "mean": 0.9}
    report = build_report(
        rows,
        "all",
        {"acc": True, "f1": True},
        paper=paper(citation="A. Author", numbers=[number]),
        details=details(trials=trials, models=models),
    )
    file.write_text(html_report(report), encoding="utf-8")
    browser.get(file.as_uri())
    ready(browser)


@pytest.mark.slow
def test_every_section_is_in_the_menu_and_follows_the_metric(browser: Any, tmp_path: Path) -> None:
    open_whole_page(browser, tmp_path / "all.html")
    for name in ("paper", "sensitivity", "price", "tuning", "models"):
        assert find(browser, f"nav a[href='#{name}']")
        assert find(browser, f"#{name}")[0].is_displayed()
    assert seen(browser, "#price caption") == ["acc: criterion by algorithm"]
    choose(browser, "metric", "1")
    assert seen(browser, "#price caption") == ["f1: criterion by algorithm"]
    assert [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []


@pytest.mark.slow
def test_a_mean_opens_the_progress_of_its_search(browser: Any, tmp_path: Path) -> None:
    open_whole_page(browser, tmp_path / "all.html")
    find(browser, "table.scores tbody td button")[0].click()
    wait_until(browser, find(browser, "#cell")[0].is_displayed)
    assert "20 trials; best so far at 1: 0, 2: 1" in find(browser, "#cell tbody")[0].text


@pytest.mark.slow
def test_every_section_fits_a_phone(browser: Any, tmp_path: Path) -> None:
    open_whole_page(browser, tmp_path / "all.html")
    browser.set_window_size(500, 900)
    try:
        width = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert browser.execute_script(width) <= 0
    finally:
        browser.set_window_size(1280, 1000)
