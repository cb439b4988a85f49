"""The page in a real browser: Debian's chromium and its driver; skipped where they are missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.browser import chromium, find, names, seen, wait_until
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
    return browser


def test_it_opens_without_errors_and_without_requests(page: Any) -> None:
    assert page.title == "the title – pubench"
    assert [entry for entry in page.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []
    messages = [entry["message"] for entry in page.get_log("performance")]
    # The browser itself may ask for something of its own: only what the page asks for counts.
    asked = [text for text in messages if "requestWillBeSent" in text and '"documentURL":"file:' in text]
    assert all('"url":"file:' in message or '"url":"data:' in message for message in asked)
    assert len(asked) == 1


def test_a_click_on_a_heading_sorts_there_and_back(page: Any) -> None:
    head = find(page, "table.scores thead th")[5]
    assert names(page) == ["d0", "d1", "d2"]
    orders = []
    for _ in range(3):
        head.find_element("tag name", "button").click()
        orders.append((head.get_attribute("aria-sort"), names(page)))
    assert orders == [
        ("descending", ["d2", "d1", "d0"]),
        ("ascending", ["d0", "d1", "d2"]),
        (None, ["d0", "d1", "d2"]),
    ]


@pytest.mark.slow
def test_words_filter_rows_and_boxes_columns(page: Any) -> None:
    box = find(page, "#find")[0]
    box.send_keys("d1 puf")
    assert names(page) == ["d1"]
    box.clear()
    box.send_keys("x")
    assert names(page) == []
    box.send_keys("\ue003")
    assert names(page) == ["d0", "d1", "d2"]
    find(page, "#columns input")[1].click()
    assert seen(page, "table.scores thead th") == ["data set", "labelling", "criterion", "a", "c"]
    assert len(seen(page, "table.scores tbody tr:first-child td")) == 4


@pytest.mark.slow
def test_the_metric_can_be_switched(page: Any) -> None:
    assert seen(page, "table.scores caption") == ["acc (higher is better)"]
    page.execute_script(
        "const m = document.getElementById('metric'); m.value = 1; m.dispatchEvent(new Event('change'))"
    )
    assert seen(page, "table.scores caption") == ["f1 (higher is better)"]
    assert len(seen(page, "figure figcaption")) == 2


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
    assert {"metric", "find", "sd", "heat", "csv", "theme", "Skip to the scores"} <= set(reached)
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


@pytest.mark.slow
def test_what_is_copied_is_what_is_seen(page: Any) -> None:
    find(page, "#find")[0].send_keys("d2")
    find(page, "#columns input")[2].click()
    find(page, "#csv")[0].click()
    wait_until(page, lambda: seen(page, "#said") == ["1 rows copied"])
    text = find(page, "#csv")[0].get_attribute("data-text")
    head, line, end = text.split("\n")
    assert head == "data set,labelling,criterion,a,b"
    assert line.startswith("d2,l,puf,0.7")
    assert end == ""


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


@pytest.mark.slow
def test_every_section_is_in_the_menu_and_follows_the_metric(browser: Any, tmp_path: Path) -> None:
    open_whole_page(browser, tmp_path / "all.html")
    for name in ("paper", "sensitivity", "price", "tuning", "models"):
        assert find(browser, f"nav a[href='#{name}']")
        assert find(browser, f"#{name}")[0].is_displayed()
    assert seen(browser, "#price caption") == ["acc: criterion by algorithm"]
    switch = "const m = document.getElementById('metric'); m.value = 1; m.dispatchEvent(new Event('change'))"
    browser.execute_script(switch)
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
