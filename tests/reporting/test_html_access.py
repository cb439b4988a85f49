"""The page for everyone: what axe finds, the keyboard alone, a phone, paper, and a page that loads itself again."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.browser import choose, chromium, find, names, press, ready, seen, wait_until
from helpers.commands import pubench
from helpers.html import row, rows_of
from helpers.reports import details

from pubench.reporting import build_report
from pubench.reporting.render.html import html_report

TAB, ENTER, SPACE, ESCAPE, DOWN = "\ue004", "\ue007", " ", "\ue00c", "\ue015"
MEANS = {"a": [0.9, 0.8, 0.7], "b": [0.85, 0.82, 0.6], "c": [0.1, 0.2, 0.3]}
PHONE = 390
LONG = "<b>long</b> name, 🦆 & " + "long-" * 36


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    yield from chromium(tmp_path_factory.mktemp("chromium"))


def rows_with_problems() -> list[dict[str, Any]]:
    """Rows of which some failed, collapsed, were skipped or are still to come."""
    rows = [
        {**one, "f1": 1 - one["acc"], "params": '{"c": 0.5}', "criterion": "puf", "tune_seconds": 1.0}
        for one in rows_of(MEANS | {LONG: [0.5, 0.6, 0.5]})
    ]
    rows += [{**one, "f1": one["acc"]} for one in rows_of({"supervised-x": [1, 1, 1]}, reference=True)]
    rows[0] |= {"notes": "a note <b>", "collapsed": True}
    statuses = ("failed", "skipped", "pending", "timeout")
    return rows + [
        row("c", None, status=status, error="it broke\nhere", dataset=LONG, replicate=i, f1=None)
        for i, status in enumerate(statuses)
    ]


def write_page(file: Path, models: dict[str, Any] | None = None, *, reload: int = 0) -> Path:
    rows = rows_with_problems()
    card = {
        "rows": 3,
        "features": 1,
        "positive": ["p"],
        "prior": 0.3,
        "citation": LONG,
        "source": "somewhere",
    }
    made_with = {"command": ["pubench", "suite", "run", "x"], "python": "3.13"}
    report = build_report(
        rows,
        "the title",
        {"acc": True, "f1": True},
        description="What it is.",
        details=details({"d0": card}, [made_with], models=models),
    )
    file.write_text(html_report(report, reload=reload), encoding="utf-8")
    return file


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Any:
    browser.get(write_page(tmp_path / "report.html").as_uri())
    browser.execute_script("localStorage.clear()")
    return ready(browser)


@contextmanager
def sized(page: Any, width: int) -> Iterator[None]:
    """Give the page a screen so wide; windows themselves cannot be as narrow as a phone."""
    screen = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    page.refresh()
    ready(page)
    yield
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def serious(page: Any) -> list[str]:
    """What axe finds that is serious or critical, each with the place and the reason."""
    axe = pytest.importorskip("selenium_axe_python").Axe(page)
    axe.inject()
    return [
        f"{found['id']}: {node['target']} {node['failureSummary']}"
        for found in axe.run()["violations"]
        if found["impact"] in ("serious", "critical")
        for node in found["nodes"]
    ]


def open_all(page: Any) -> None:
    """Open what is folded: lists, and the sections that a phone folds."""
    page.execute_script(
        "document.querySelectorAll('details').forEach((part) => { part.open = true });"
        "document.querySelectorAll('.folded .opener').forEach((button) => button.click())"
    )


def open_cell(page: Any) -> None:
    page.execute_script("arguments[0].click()", find(page, "table.scores tbody td button")[0])
    wait_until(page, find(page, "#cell")[0].is_displayed)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, PHONE])
def test_axe_finds_nothing_serious(page: Any, theme: str, width: int) -> None:
    with sized(page, width):
        page.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        open_all(page)
        assert serious(page) == []
        choose(page, "metric", "1")
        choose(page, "by", "rows")
        assert serious(page) == []
        open_cell(page)
        assert serious(page) == []


@pytest.mark.slow
def test_axe_finds_nothing_serious_in_a_page_that_reloads(browser: Any, tmp_path: Path) -> None:
    browser.get(write_page(tmp_path / "live.html", reload=60).as_uri())
    ready(browser)
    assert seen(browser, ".going span")[0].startswith("33 of 34 cells have ended. The run is going on;")
    assert serious(browser) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, PHONE])
def test_pictures_of_weights_have_texts_and_leave_the_page_in_its_place(
    browser: Any, tmp_path: Path, width: int
) -> None:
    image = {"shape": [28, 28], "pixels": np.linspace(0, 1, 784).tolist()}
    # All rows without a key have the same model.
    models = {"": {"of": "importance", "size": 784, "weights": [["c", 1.0]], "image": image}}
    browser.get(write_page(tmp_path / "pictures.html", models=models).as_uri())
    with sized(browser, width):
        open_all(browser)
        assert serious(browser) == []
        beyond = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert browser.execute_script(beyond) <= 0
        drawn = find(browser, ".gallery img")
        assert len(drawn) == 15
        assert {each.get_property("naturalWidth") for each in drawn} == {28}
        assert all(each.rect["width"] >= 70 for each in drawn)


@pytest.mark.slow
def test_a_phone_shows_scores_without_moving_the_page(page: Any) -> None:
    with sized(page, PHONE):
        beyond = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.execute_script(beyond) <= 0
        # The first score is on the screen; what all lines share stands in the caption.
        first = find(page, "table.scores tbody td[data-column]")[0].rect
        assert first["x"] + first["width"] <= PHONE
        assert seen(page, "table.scores caption") == ["acc (higher is better); l"]
        assert seen(page, "table.scores thead th")[:2] == ["data set", "a"]
        # A name of 200 letters takes four lines at most.
        assert max(part.rect["height"] for part in find(page, "table.scores .long")) < 100
        open_all(page)
        # Letters in pictures keep their size, and keys can move what is wider than the screen.
        picture = find(page, "#figures figure")[0]
        assert picture.find_element("tag name", "svg").rect["width"] > 500
        assert picture.get_attribute("tabindex") == "0"


@pytest.mark.slow
def test_a_phone_needs_at_most_twelve_screens_and_finds_every_section(browser: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [
        row(f"algorithm-{a}", float(rng.random()), dataset=f"data-set-{d}", collapsed=a == 3)
        for d in range(60)
        for a in range(40)
    ]
    cards = {f"data-set-{d}": {"rows": 3, "features": 1, "positive": ["p"]} for d in range(60)}
    file = tmp_path / "report.html"
    file.write_text(
        html_report(build_report(rows, "s", {"acc": True}, details=details(cards))), encoding="utf-8"
    )
    browser.get(file.as_uri())
    with sized(browser, PHONE):
        assert browser.execute_script("return document.documentElement.scrollHeight") < 12 * 844
        link = find(browser, "nav a[href='#data']")[0]
        browser.execute_script("arguments[0].click()", link)
        assert find(browser, "#data .card")[0].is_displayed()


def printed(page: Any) -> list[tuple[float, float]]:
    """Print the page; return the width and height of each sheet in millimetres."""
    made = base64.b64decode(page.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", made)
    return [(float(width) * 25.4 / 72, float(height) * 25.4 / 72) for width, height in boxes]


@pytest.mark.slow
def test_it_is_printed_on_a4_and_turned_where_tables_are_wide(page: Any, tmp_path: Path) -> None:
    a4 = pytest.approx((210, 297), abs=1)
    assert all(sheet == a4 for sheet in printed(page))
    rows = rows_of({f"algorithm-{i}": [0.5 + i / 100, 0.6] for i in range(20)})
    wide = tmp_path / "wide.html"
    wide.write_text(html_report(build_report(rows, "s", {"acc": True})), encoding="utf-8")
    page.get(wide.as_uri())
    ready(page)
    sheets = printed(page)
    assert sheets[0] == a4
    assert pytest.approx((297, 210), abs=1) in sheets


@pytest.mark.slow
def test_paper_is_light_and_has_what_was_folded(page: Any) -> None:
    page.execute_script("document.documentElement.dataset.theme = 'dark'")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert (
            page.execute_script("return getComputedStyle(document.body).backgroundColor")
            == "rgb(255, 255, 255)"
        )
        assert [text[:3] for text in seen(page, "table.scores caption")] == ["acc"]
        assert len(seen(page, "#tests table")) == 2
        assert seen(page, "table.board thead th")[2:4] == ["acc", "f1"]
        assert all(item.rect["height"] > 0 for item in find(page, "#problems li"))
        assert seen(page, "#theme, #tools, #score-tools, #methods, nav a") == []
        # The browser repeats a table's head on the next sheet only if no button has a box in it.
        button = "return getComputedStyle(document.querySelector('table.scores thead button')).display"
        assert page.execute_script(button) == "contents"
        # Nothing sticks out of the sheet.
        assert page.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


SECTIONS = """
name = "sections"
replicates = 2
datasets = [{ use = "iris" }, { use = "wine" }]
labellings = [
    { scenario = "single-training-set", frequency = 0.4 },
    { scenario = "single-training-set", frequency = 0.7 },
]
algorithms = [{ use = "wlr", tune = true }, { use = "adapu" }, { use = "puet" }, { use = "naive-lr" }]
prior = { source = "true", factors = [0.5, 1.0] }
tuning = { criteria = ["puf", "oracle-accuracy"], sampler = "random", trials = 3, folds = 2 }
report = { metrics = ["accuracy", "f1"] }
"""


@pytest.mark.slow
def test_axe_finds_nothing_serious_in_any_section(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(SECTIONS, encoding="utf-8")
    pubench(tmp_path, "suite", "run", "suite.toml", "--out", "run", "--quiet")
    browser.get((tmp_path / "run" / "report.html").as_uri())
    ready(browser)
    found = {part.get_attribute("id") for part in find(browser, "main section")}
    assert found >= {
        "leaderboard",
        "scores",
        "figures",
        "tests",
        "sensitivity",
        "price",
        "tuning",
        "models",
        "data",
        "made",
    }
    for width in (1280, PHONE):
        with sized(browser, width):
            for theme in ("light", "dark"):
                browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
                open_all(browser)
                assert serious(browser) == []
                beyond = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
                assert browser.execute_script(beyond) <= 0


def tab_to(page: Any, wanted: str) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(400):
        press(page, TAB)
        if page.execute_script("return document.activeElement.matches(arguments[0])", wanted):
            return
    raise AssertionError(f"Tab never reaches {wanted}")


@pytest.mark.slow
def test_tab_reaches_every_control_that_can_be_seen(page: Any) -> None:
    controls = "a[href], button, input, select, summary, [tabindex='0']"
    number = page.execute_script(
        "const seen = [...document.querySelectorAll(arguments[0])].filter((part) => part.checkVisibility());"
        "seen.forEach((part) => { part.dataset.waits = 1 }); return seen.length",
        controls,
    )
    assert number > 30
    page.execute_script(
        "document.addEventListener('focusin', (event) => { delete event.target.dataset.waits })"
    )
    for _ in range(number + 5):
        press(page, TAB)
    assert page.execute_script("return document.querySelectorAll('[data-waits]').length") == 0


@pytest.mark.slow
def test_everything_can_be_done_without_a_mouse(page: Any) -> None:
    tab_to(page, "#theme")
    press(page, ENTER)
    assert page.execute_script("return document.documentElement.dataset.theme") == "dark"
    tab_to(page, "#metric")
    press(page, DOWN)
    assert seen(page, "table.scores caption")[0].startswith("f1 (higher is better)")
    tab_to(page, "#find")
    press(page, "d1")
    assert names(page) == ["d1"]
    press(page, "\ue003" * 2)
    tab_to(page, "#methods summary")
    press(page, ENTER)
    tab_to(page, "#columns input")
    press(page, SPACE)
    assert "a" not in seen(page, "table.scores thead th")
    tab_to(page, "table.board [data-sort=mean0]")
    press(page, ENTER)
    assert find(page, "table.board th[aria-sort=descending]")[0].text == "acc"
    # The focus stays where it was, though the table is made anew.
    press(page, ENTER)
    assert find(page, "table.board th[aria-sort=ascending]")[0].text == "acc"
    tab_to(page, "table.board .method")
    press(page, ENTER)
    assert "lit=" in page.current_url
    tab_to(page, "#sd")
    press(page, SPACE)
    assert seen(page, "table.scores tbody .sd") == []
    tab_to(page, "#csv")
    press(page, ENTER)
    wait_until(page, lambda: "rows copied" in seen(page, "#said")[0])
    tab_to(page, "table.scores thead [data-column='1'] button")
    press(page, ENTER)
    assert find(page, "table.scores th[data-column='1']")[0].get_attribute("aria-sort") == "descending"
    tab_to(page, "table.scores tbody td button")
    opener = page.switch_to.active_element
    press(page, ENTER)
    wait_until(page, find(page, "#cell")[0].is_displayed)
    press(page, ESCAPE)
    assert not find(page, "#cell")[0].is_displayed()
    assert page.switch_to.active_element == opener
    tab_to(page, "#problems summary")
    before = page.switch_to.active_element.find_element("xpath", "..").get_attribute("open")
    press(page, ENTER)
    assert page.switch_to.active_element.find_element("xpath", "..").get_attribute("open") != before


def reloaded(page: Any) -> None:
    """Let the page load itself again, wait until it has, and keep it from doing so once more."""
    page.execute_script("window.before = true")
    let_reload(page, True)
    wait_until(page, lambda: page.execute_script("return window.before") is None)
    wait_until(page, lambda: page.execute_script("return document.readyState") == "complete")
    ready(page)
    let_reload(page, False)


def let_reload(page: Any, may: bool) -> None:
    """Press or release the pause button without giving it the focus: tests may take longer than a page waits."""
    page.execute_script(
        "document.getElementById('pause')?.setAttribute('aria-pressed', arguments[0])", str(not may).lower()
    )


@pytest.mark.slow
def test_a_page_that_reloads_keeps_what_the_reader_chose(browser: Any, tmp_path: Path) -> None:
    file = write_page(tmp_path / "report.html", reload=3)
    browser.get(file.as_uri())
    let_reload(browser, False)
    ready(browser)
    choose(browser, "metric", "1")
    head = "table.scores th[data-column='2']"
    browser.execute_script("document.querySelector('#columns input').click()")
    browser.execute_script("arguments[0].click()", find(browser, f"{head} button")[0])
    browser.execute_script("document.getElementById('heat').click()")
    find(browser, "#find")[0].send_keys("puf")
    browser.execute_script("scrollTo(0, 300)")
    order = names(browser)
    reloaded(browser)
    assert seen(browser, "table.scores caption")[0].startswith("f1 (higher is better)")
    assert find(browser, head)[0].get_attribute("aria-sort") == "descending"
    assert names(browser) == order
    assert "a" not in seen(browser, "table.scores thead th")
    assert find(browser, ".flat") == find(browser, "#scores")
    assert find(browser, "#find")[0].get_attribute("value") == "puf"
    assert browser.switch_to.active_element == find(browser, "#find")[0]
    assert browser.execute_script("return scrollY") == 300
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


@pytest.mark.slow
def test_a_page_reloads_until_the_run_has_ended(browser: Any, tmp_path: Path) -> None:
    file = write_page(tmp_path / "report.html", reload=1)
    browser.get(file.as_uri())
    write_page(file)
    reloaded(browser)
    assert find(browser, "#pause") == []
    assert seen(browser, ".going span") == ["33 of 34 cells have ended."]


@pytest.mark.slow
def test_a_page_waits_while_it_is_paused_or_read(browser: Any, tmp_path: Path) -> None:
    browser.get(write_page(tmp_path / "report.html", reload=4).as_uri())
    ready(browser)
    find(browser, "#pause")[0].click()
    browser.execute_script("window.before = true")
    still = "const done = arguments[0]; setTimeout(() => done(window.before), 5500)"
    assert browser.execute_async_script(still) is True
    open_cell(browser)
    let_reload(browser, True)
    assert browser.execute_async_script(still) is True
    press(browser, ESCAPE)
    reloaded(browser)


@pytest.mark.slow
def test_a_hundred_thousand_rows_can_be_sorted_searched_and_opened(browser: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [
        row(f"algorithm-{a}", float(rng.random()), dataset=f"data-set-{d}", replicate=r, params=f"{{c: {r}}}")
        for d in range(500)
        for a in range(10)
        for r in range(20)
    ]
    start = time.process_time()
    page = html_report(build_report(rows, "s", {"acc": True}))
    assert time.process_time() - start < 60
    file = tmp_path / "report.html"
    file.write_text(page, encoding="utf-8")
    assert file.stat().st_size < 4_000_000
    browser.get(file.as_uri())
    ready(browser)
    # A part of many lines is shown at first.
    assert len(find(browser, "table.scores tbody tr")) == 100
    find(browser, "#more")[0].click()
    browser.execute_script("document.querySelector('table.scores thead [data-column=\"3\"] button').click()")
    values = browser.execute_script(
        "return [...document.querySelectorAll('td[data-column=\"3\"][data-value]')].map((cell) => +cell.dataset.value)"
    )
    assert len(values) == 500
    assert values == sorted(values, reverse=True)
    find(browser, "#find")[0].send_keys("data-set-77")
    assert names(browser) == ["data-set-77"]
    browser.execute_script("document.querySelector('table.scores td[data-column] button').click()")
    wait_until(browser, find(browser, "#cell")[0].is_displayed)
    assert len(find(browser, "#cell tbody tr")) == 20
