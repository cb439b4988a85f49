"""Laws of the page of advice in a browser: on a phone every table can be read whole, and axe finds nothing serious."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.browser import chromium

from pubench.advise.advice import ComparedMethod
from pubench.advise.methods import POOL
from pubench.advise.page import advice_page
from pubench.advise.recommend import recommend

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory):
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.5
    table = pd.DataFrame(rng.normal(size=(200, 3)) + 1.5 * y[:, None], columns=["a", "b", "long_name_" * 9])
    table["known"] = (y & (rng.random(200) < 0.5)).astype(int)
    asked = {"label": "known", "scenario": "single-training-set", "names": ("naive-lr-prior", "wlr")}
    methods = tuple(ComparedMethod(name, 0.9876, 0.0123, 0.1, 1234.56) for name in POOL)
    advice = replace(recommend(table, **asked), source="long_name_" * 9, methods=methods)
    folder = tmp_path_factory.mktemp("page")
    (folder / "advice.html").write_text(advice_page(advice), encoding="utf-8")
    for browser in chromium(folder / "profile"):
        browser.get((folder / "advice.html").as_uri())
        yield browser


def sized(page: Any, width: int) -> None:
    """Give the page a screen so wide; windows themselves cannot be as narrow as a phone."""
    screen = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 800}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    page.refresh()


@pytest.mark.parametrize("width", [360, 390, 1440])
def test_nothing_is_cut_at_the_edge_of_the_screen(page, width):
    sized(page, width)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    tables = page.execute_script(
        "return [...document.querySelectorAll('.scroll')].map(one => [one.scrollWidth, one.clientWidth])"
    )
    assert len(tables) >= 2
    assert all(needed <= given for needed, given in tables)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page, scheme):
    axe = pytest.importorskip("selenium_axe_python").Axe(page)
    sized(page, 390)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    axe.inject()
    found = [one for one in axe.run()["violations"] if one["impact"] in ("serious", "critical")]
    assert not [(one["id"], [node["target"] for node in one["nodes"]]) for one in found]
