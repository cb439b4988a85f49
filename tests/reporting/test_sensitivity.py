"""Sweeps over the prior and over labels: what is joined by a line, and what is not."""

import re
from typing import Any

import numpy as np
import pytest
from helpers.html import outline, row

from pubench.reporting import build_report
from pubench.reporting.draw.curves import Sweep
from pubench.reporting.render.html import html_report
from pubench.reporting.sweeps import find_sweeps


def rows(labellings: dict[str, float], factor: bool = False, **keys: Any) -> list[dict[str, Any]]:
    """Rows of two algorithms: what a labelling gives the first, and a constant."""
    return [
        row(name, value + shift, labelling=labelling, replicate=replicate, **keys)
        | ({"prior_factor": float(labelling.rpartition(" x ")[2])} if factor else {})
        for labelling, score in labellings.items()
        for name, value in (("a", score), ("b", 0.5))
        for replicate, shift in enumerate((-0.01, 0.01))
    ]


def sweeps(found: list[dict[str, Any]]) -> list[Sweep]:
    return find_sweeps(build_report(found, "s", {"acc": True}))


def test_the_prior_is_swept_within_one_labelling() -> None:
    base = {f"case-control n_p=9, prior x {f:g}": f / 4 for f in (2, 0.5, 1)}
    (sweep,) = sweeps(rows(base, factor=True))
    (panel,) = sweep.panels
    assert (sweep.quantity, panel.dataset, panel.setting) == ("prior", "d", "case-control n_p=9")
    first, second = panel.curves
    np.testing.assert_allclose(first.x, [0.5, 1, 2])
    np.testing.assert_allclose(first.mean, [0.125, 0.25, 0.5])
    np.testing.assert_allclose(second.sd, np.full(3, np.std([-0.01, 0.01], ddof=1)))


def test_labels_are_swept_within_one_scenario_and_mechanism() -> None:
    labels = {"single-training-set c=0.5": 0.5, "single-training-set c=0.1": 0.1, "case-control n_p=20": 0.3}
    (sweep,) = sweeps(rows(labels | {"single-training-set c=0.3 sar": 0.9, "many c=0.2 labels": 0.8}))
    (panel,) = sweep.panels
    assert (sweep.quantity, panel.setting) == ("c", "single-training-set")
    np.testing.assert_allclose(panel.curves[0].mean, [0.1, 0.5])


def test_both_may_vary() -> None:
    both = {f"case-control n_p={n}, prior x {f:g}": 0.5 for n in (10, 20) for f in (1, 2)}
    found = sweeps(rows(both, factor=True))
    assert [(sweep.quantity, len(sweep.panels)) for sweep in found] == [("prior", 2), ("n_p", 2)]
    assert [panel.setting for panel in found[1].panels] == [
        "case-control, prior x 1",
        "case-control, prior x 2",
    ]


def test_criteria_and_data_sets_have_panels_of_their_own() -> None:
    labels = {"case-control n_p=10": 0.5, "case-control n_p=20": 0.6}
    found = [
        each
        for name in ("d", "e")
        for criterion in ("puf", "pa")
        for each in rows(labels, dataset=name, criterion=criterion)
    ]
    (sweep,) = sweeps(found)
    assert [(panel.dataset, panel.setting) for panel in sweep.panels] == [
        (name, f"case-control, tuned by {criterion}") for name in ("d", "e") for criterion in ("puf", "pa")
    ]


@pytest.mark.parametrize("labels", [{"case-control n_p=10": 0.5}, {"few": 0.5, "many": 0.6}, {}])
def test_what_does_not_vary_has_no_section(labels: dict[str, float]) -> None:
    found = rows(labels)
    assert sweeps(found) == []
    assert 'id="sensitivity"' not in html_report(build_report(found, "s", {"acc": True}))


def test_failed_cells_leave_a_gap_and_the_page_stays_whole() -> None:
    found = rows({f"case-control n_p={n}": n / 100 for n in (10, 20, 40)})
    for each in found:
        if each["labelling"].endswith("20") and each["algorithm"] == "a":
            each |= {"status": "failed", "acc": None, "error": "boom"}
    (sweep,) = sweeps(found)
    assert np.isnan(sweep.panels[0].curves[0].mean).tolist() == [False, True, False]
    page = outline(html_report(build_report(found, "s", {"acc": True})))
    assert "acc against the labelled positives" in page.text


@pytest.mark.parametrize(
    ("more", "said"), [(4, "The band is a 95 % t-interval"), (5, "no intervals are drawn")]
)
def test_the_caption_speaks_of_a_band_only_where_one_is_drawn(more: int, said: str) -> None:
    labels = {"case-control n_p=10": 0.5, "case-control n_p=20": 0.6}
    found = rows(labels)
    found += [
        each | {"algorithm": f"a{i}"} for i in range(more) for each in found if each["algorithm"] == "a"
    ]
    text = outline(html_report(build_report(found, "s", {"acc": True}))).text
    captions = re.findall(r"Mean acc [^.]*\. ([^.]*)\.", text)
    assert captions
    assert all(caption.startswith(said) or said in caption for caption in captions)


def test_many_panels_are_cut_and_counted() -> None:
    labels = {"case-control n_p=10": 0.5, "case-control n_p=20": 0.6}
    found = [each for d in range(9) for each in rows(labels, dataset=f"<b>{d}$x$")]
    page = html_report(build_report(found, "s", {"acc": True}))
    assert "3 more data sets and settings" in page
    assert "b" not in outline(page).tags
