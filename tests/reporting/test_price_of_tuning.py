"""What PU-only criteria lose against the oracle: pairs by replicate, tests, data sets, and runs without an oracle."""

from typing import Any

import numpy as np
import pytest
from helpers.html import outline, row
from helpers.reports import details
from scipy import stats

from pubench.reporting import build_report
from pubench.reporting.pricing import Price, find_prices
from pubench.reporting.render.html import html_report
from pubench.suite.reporting import Rules

RNG = np.random.default_rng(0)
ORACLE = {f"d{d}": 0.9 + 0.01 * RNG.standard_normal(5) for d in range(6)}
LOSS = {f"d{d}": 0.05 + 0.01 * RNG.standard_normal(5) for d in range(6)}


def rows(metric: str = "acc", sign: float = 1.0, **keys: Any) -> list[dict[str, Any]]:
    made = []
    for name, scores in ORACLE.items():
        for replicate, score in enumerate(scores):
            place = {"dataset": name, "replicate": replicate, "n_p": 30, "n_u": 70, "n_test": 50} | keys
            lost = score - LOSS[name][replicate]
            made.append(row("a", sign * score, **place, criterion=f"oracle-{metric}") | {"reference": True})
            made.append(row("a", sign * lost, **place, criterion="puf"))
            made.append(row("a", sign * score, **place, criterion="same"))
    return made


def price(found: list[dict[str, Any]], greater: bool | None = True, **rules: Any) -> Price:
    (one,) = find_prices(build_report(found, "s", {"acc": greater}, rules=Rules(**rules)))
    return one


@pytest.mark.parametrize(("greater", "sign"), [(True, 1.0), (False, -1.0)])
def test_a_loss_is_the_paired_difference_whichever_way_is_better(greater: bool, sign: float) -> None:
    found = price(rows(sign=sign), greater)
    assert (found.oracle, found.criteria) == ("oracle-acc", ("puf", "same"))
    for line in found.lines:
        puf, same = line.losses
        assert (puf.mean, puf.sd) == pytest.approx(
            (LOSS[line.dataset].mean(), LOSS[line.dataset].std(ddof=1))
        )
        assert (puf.n, puf.planned) == (5, 5)
        assert (same.mean, same.sd, same.p) == (0.0, 0.0, 1.0)


def test_lines_are_tested_over_replicates_with_a_correction_over_criteria() -> None:
    found = price(rows(), replicate_test="t")
    for line in found.lines:
        assert line.losses[0].p == pytest.approx(2 * stats.ttest_1samp(LOSS[line.dataset], 0).pvalue)
    # Splits that overlap are worth less.
    assert all(
        line.losses[0].p > plain.losses[0].p
        for line, plain in zip(price(rows()).lines, found.lines, strict=True)
    )


def test_the_overall_loss_is_over_data_sets() -> None:
    (puf, same) = price(rows(), alpha=0.1).overall[""]
    means = np.array([loss.mean() for loss in LOSS.values()])
    assert (puf.mean, puf.sd, puf.n) == pytest.approx((means.mean(), means.std(ddof=1), 6))
    assert puf.p == pytest.approx(2 * stats.wilcoxon(means).pvalue)
    assert same.p == 1.0
    # Of two tests over six data sets none can be below 0.05.
    assert all(np.isnan(loss.p) for loss in price(rows()).overall[""])


def test_data_sets_that_share_rows_have_one_overall_loss() -> None:
    cards = {name: {"fingerprint": "f" if name in ("d0", "d1") else name} for name in LOSS}
    report = build_report(rows(), "s", {"acc": True}, details=details(cards))
    (puf, _) = find_prices(report)[0].overall[""]
    means = [loss.mean() for loss in LOSS.values()]
    merged = [np.mean(means[:2]), *means[2:]]
    assert (puf.mean, puf.n, puf.planned) == pytest.approx((np.mean(merged), 5, 5))


def test_failed_replicates_are_left_out_and_counted() -> None:
    found = rows()
    found[1] |= {"status": "failed", "acc": None}
    found[3] |= {"status": "timeout", "acc": None}
    puf, same = price(found).lines[0].losses
    assert (puf.n, puf.planned, same.n) == (3, 5, 4)
    assert puf.mean == pytest.approx(LOSS["d0"][2:].mean())


def test_untuned_algorithms_and_references_are_left_out() -> None:
    found = rows()
    found += [row("fixed", 0.5, dataset=f"d{d}", replicate=r) for d in range(6) for r in range(5)]
    found += [{**each, "algorithm": "supervised-a", "reference": True} for each in rows()]
    assert {line.algorithm for line in price(found).lines} == {"a"}


def test_several_algorithms_have_a_line_each_and_one_together() -> None:
    both = rows() + [{**each, "algorithm": "b"} for each in rows()]
    overall = price(both).overall
    assert list(overall) == ["", "a", "b"]
    assert overall[""][0].mean == pytest.approx(overall["a"][0].mean)


def test_without_an_oracle_there_is_no_section() -> None:
    plain = [each for each in rows() if not each["criterion"].startswith("oracle-")]
    for found in (plain, [each for each in rows() if each["criterion"] == "oracle-acc"], []):
        report = build_report(found, "s", {"acc": True})
        assert find_prices(report) == []
        assert 'id="price"' not in html_report(report)


def test_a_metric_without_an_oracle_of_its_own_is_judged_by_the_first() -> None:
    assert price(rows(metric="f1")).oracle == "oracle-f1"


def test_the_page_shows_the_losses() -> None:
    text = outline(html_report(build_report(rows(), "s", {"acc": True}))).text
    assert "acc: loss against oracle-acc" in text
    assert "all: mean over data sets" in text
