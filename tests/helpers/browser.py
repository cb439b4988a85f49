"""Debian's chromium by its driver, and what a page shows in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1000",
)


def chromium(folder: Path) -> Iterator[Any]:
    """Start the browser, with a profile in a folder, and end it; skip the test where it is missing."""
    webdriver = pytest.importorskip("selenium.webdriver")
    found, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (found and driver):
        pytest.skip("no chromium and chromedriver on the path")
    options = webdriver.ChromeOptions()
    options.binary_location = found
    for option in (*OPTIONS, f"--user-data-dir={folder}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    # On a busy machine a look at a long page takes a while.
    started.set_script_timeout(600)
    yield started
    started.quit()


def find(page: Any, selector: str) -> list[Any]:
    """Return the elements that a selector names."""
    return list(page.find_elements("css selector", selector))


def seen(page: Any, selector: str) -> list[str]:
    """Return the texts of those that can be seen."""
    return [element.text for element in find(page, selector) if element.is_displayed()]


def names(page: Any) -> list[str]:
    """Return the data sets in the order in which they stand."""
    return seen(page, "table.scores tbody th .name")


def ready(page: Any) -> Any:
    """Wait until the page's script has drawn everything."""
    wait_until(page, lambda: page.execute_script("return document.documentElement.dataset.ready") == "yes")
    return page


def choose(page: Any, field: str, value: str) -> None:
    """Choose an option of a field by its value."""
    page.execute_script(
        "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
        "field.dispatchEvent(new Event('change'))",
        field,
        value,
    )


def press(page: Any, *keys: str) -> None:
    """Press keys one after another, whatever has the focus."""
    from selenium.webdriver import ActionChains

    ActionChains(page).send_keys(*keys).perform()


def wait_until(page: Any, true: Any) -> None:
    """Wait until something is true of the page."""
    from selenium.webdriver.support.wait import WebDriverWait

    WebDriverWait(page, 300).until(lambda _: true())
