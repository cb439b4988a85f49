"""The site in a real browser: its search, its sorting, and nothing that is fetched or goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.browser import chromium, find, press, seen, wait_until

from pubench.reporting.site import build_site

pytest.importorskip("selenium")
REPORTS = Path(__file__).resolve().parents[2] / "reports"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    yield from chromium(tmp_path_factory.mktemp("chromium"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site") / "out"
    build_site([REPORTS / "quickstart", REPORTS / "puet-table2", REPORTS / "adapu-fig3"], out)
    return out


@pytest.fixture
def page(browser: Any, site: Path) -> Any:
    browser.get_log("performance")
    browser.get((site / "index.html").as_uri())
    return browser


def names(page: Any, section: str) -> list[str]:
    return seen(page, f"#{section} tbody th a")


def test_a_search_finds_methods_data_sets_and_reports(page: Any) -> None:
    all_methods = names(page, "methods")
    page.execute_script("document.activeElement.blur()")
    press(page, "/")
    press(page, "nn", "PU")
    assert find(page, "#found")[0].text == "Found: 2 in Methods."
    assert names(page, "methods") == ["nnPU, logistic", "nnPU, quadratic"]
    assert names(page, "datasets") == []
    assert page.current_url.endswith("?q=nnPU")
    box = find(page, "#q")[0]
    box.clear()
    box.send_keys("data set digits")
    assert names(page, "datasets") == ["digits-even"]
    box.clear()
    box.send_keys("quickstart report")
    assert names(page, "reports") == ["quickstart"]
    box.clear()
    box.send_keys("no such thing")
    assert find(page, "#found")[0].text == "Found: nothing."
    box.clear()
    box.send_keys(" ")
    assert names(page, "methods") == all_methods


def test_a_search_from_another_page_leads_to_the_first_one(browser: Any, site: Path) -> None:
    browser.get((site / "methods" / "wlr.html").as_uri())
    find(browser, "#q")[0].send_keys("breast\n")
    wait_until(browser, lambda: find(browser, "#found") and find(browser, "#found")[0].text)
    assert names(browser, "datasets") == ["breast-cancer", "BreastCancer"]
    browser.execute_script("document.querySelector('#datasets tbody tr:not([hidden]) a').click()")
    wait_until(browser, lambda: "datasets/" in browser.current_url)
    assert find(browser, "h1")[0].text == "breast-cancer"


@pytest.mark.slow
def test_headings_sort_numbers_as_numbers_and_names_as_names(page: Any) -> None:
    head = find(page, "#datasets thead button")
    head[1].click()
    rows = [int(text.split()[0].replace(",", "")) for text in seen(page, "#datasets tbody td:nth-child(2)")]
    assert rows == sorted(rows, reverse=True)
    head[1].click()
    rows = [int(text.split()[0].replace(",", "")) for text in seen(page, "#datasets tbody td:nth-child(2)")]
    assert rows == sorted(rows)
    head[0].click()
    assert names(page, "datasets") == sorted(names(page, "datasets"), key=str.lower)


@pytest.mark.slow
def test_nothing_is_fetched_from_elsewhere_and_nothing_goes_wrong(page: Any, site: Path) -> None:
    for path in sorted(site.glob("[md]*/*.html")):
        page.get(path.as_uri())
    assert [entry for entry in page.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []
    messages = [entry["message"] for entry in page.get_log("performance")]
    asked = [text for text in messages if "requestWillBeSent" in text and '"documentURL":"file:' in text]
    assert asked
    assert all('"url":"file:' in message for message in asked)


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_screen(page: Any, site: Path, width: int) -> None:
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 800},
    )
    try:
        for name in ("index.html", "methods/wlr.html", "datasets/breast-cancer.html"):
            page.get((site / name).as_uri())
            assert page.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: Any, site: Path, scheme: str) -> None:
    axe = pytest.importorskip("selenium_axe_python").Axe(page)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    try:
        for name in ("index.html", "methods/wlr.html", "datasets/breast-cancer.html"):
            page.get((site / name).as_uri())
            axe.inject()
            found = [one for one in axe.run()["violations"] if one["impact"] in ("serious", "critical")]
            assert not [(one["id"], [node["target"] for node in one["nodes"]]) for one in found], name
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
