"""Reports as CSV."""

import csv
import io
from typing import Any

import numpy as np
from helpers.reports import paper
from helpers.statistics_examples import AUC, NAMES

from pubench.reporting import Report, build_report
from pubench.reporting.render.csv import pairs_csv, paper_csv, scores_csv


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def report(names: tuple[str, ...] = NAMES, **keys: Any) -> Report:
    rows = [
        {"dataset": f"d{i}", "labelling": "l", "criterion": None, "replicate": 0, "status": "ok"}
        | {"algorithm": name, "acc": value}
        for i, line in enumerate(AUC)
        for name, value in zip(names, line.tolist(), strict=True)
    ]
    return build_report(rows, "s", {"acc": True}, **keys)


def test_every_cell_with_all_digits() -> None:
    found = read(scores_csv(report()))
    assert len(found) == AUC.size
    np.testing.assert_array_equal([float(line["mean"]) for line in found], AUC.ravel())
    assert found[3]["best"] == "True"
    assert (found[0]["sd"], found[0]["criterion"]) == ("", "")
    assert float(found[3]["average_rank"]) == report().comparisons[0].ranks[3]


def test_every_pair() -> None:
    made = report()
    found = read(pairs_csv(made))
    assert [(line["first"], line["second"]) for line in found] == [
        pair[:2] for pair in made.comparisons[0].pairs
    ]
    assert [float(line["adjusted_p"]) for line in found] == [
        pair.adjusted for pair in made.comparisons[0].pairs
    ]
    sums = [
        float(line["p_first_worse"]) + float(line["p_same"]) + float(line["p_first_better"]) for line in found
    ]
    np.testing.assert_allclose(sums, 1)


def test_every_published_number() -> None:
    number = {"dataset": "d0", "algorithm": "C4.5", "metric": "acc", "mean": 0.7, "sd": 0.1}
    (line,) = read(paper_csv(report(paper=paper(citation="A", numbers=[number]))))
    assert (line["paper"], line["ours"], line["ours_sd"], line["verdict"]) == ("0.7", "0.763", "", "agrees")


def test_nasty_names_stay_whole() -> None:
    names = ('a,"b"\nc', "=1+1", "😀" * 100, "\ud800")
    text = scores_csv(report(names))
    text.encode("utf-8")
    assert {line["algorithm"] for line in read(text)} == {names[0], "'=1+1", names[2], "?"}


def test_formulas_are_text_and_numbers_are_numbers() -> None:
    found = read(pairs_csv(report(("=a", "+b", "-c", "@d"))))
    assert {line["first"] for line in found} | {line["second"] for line in found} == {
        "'=a",
        "'+b",
        "'-c",
        "'@d",
    }
    assert any(line["difference"].startswith("-") for line in found)


def test_nothing_to_write() -> None:
    empty = build_report([], "s", {"acc": True})
    assert read(scores_csv(empty)) == read(pairs_csv(empty)) == read(paper_csv(empty)) == []
