"""The section of biased labels: who is ahead where, and propensities as curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from helpers.html import row
from helpers.reports import details

from pubench.reporting import build_report
from pubench.reporting.report import Report
from pubench.reporting.sections.bias import bias_section, find_contests
from pubench.reporting.sections.blocks import BulletList, FigureBlock, TableBlock
from pubench.reporting.sweeps import find_sweeps, sweep_priors

STS = "single-training-set c=0.3"
LABELLINGS = (STS, f"{STS} hard 5")
RECORD = {"points": [(10, 0.2, 0.3), (10, 0.4, 0.3)], "error": 0.1, "correlation": 0.5}


def report(prior: float | None = None, models: bool = True, data_sets: int = 4) -> Report:
    """Some data sets; "sar" estimates propensities and wins under bias only, "oracle-e" wins everywhere."""
    rows: list[dict[str, Any]] = []
    for d in range(data_sets):
        for labelling in LABELLINGS:
            biased = labelling != STS
            scores = {
                "a": 0.7 - 0.1 * biased,
                "b": 0.6,
                "sar": 0.65 + 0.1 * biased + 0.001 * d,
                "oracle-e": 0.9,
            }
            for name, score in scores.items():
                one = row(name, score, dataset=f"d{d}", labelling=labelling)
                one |= {"key": f"{d}{labelling}{name}", "reference": name == "oracle-e"}
                one |= {} if prior is None else {"prior": prior, "true_prior": 0.4}
                rows.append(one)
    found = {one["key"]: {"propensity": RECORD} for one in rows if one["algorithm"] == "sar"}
    return build_report(rows, "s", {"acc": True}, details=details(models=found if models else {}))


def test_scar_is_every_mechanism_at_strength_0() -> None:
    (sweep,) = find_sweeps(report())
    assert sweep.quantity == "strength"
    assert {panel.setting for panel in sweep.panels} == {f"{STS} hard"}
    assert [curve.x.tolist() for curve in sweep.panels[0].curves] == [[0.0, 5.0]] * 4


def test_labellings_with_random_labels_are_a_sweep_of_their_own() -> None:
    labellings = (STS, f"{STS} hard 5", f"{STS} hard 5 random 0.2", f"{STS} hard 8 random 0.2")
    rows = [
        row("a", score, labelling=one) for one, score in zip(labellings, (0.9, 0.6, 0.8, 0.7), strict=True)
    ]
    (sweep,) = find_sweeps(build_report(rows, "s", {"acc": True}))
    curves = {panel.setting: panel.curves[0] for panel in sweep.panels}
    assert {setting: list(curve.x) for setting, curve in curves.items()} == {
        f"{STS} hard": [0.0, 5.0],
        f"{STS} hard random 0.2": [0.0, 5.0, 8.0],
    }


def test_a_contest_is_between_the_best_of_each_group_without_references() -> None:
    fair, biased = find_contests(report().tables[0], frozenset({"sar"}))
    assert (fair.labelling, fair.fair, fair.modelled) == (STS, "a", "sar")
    np.testing.assert_allclose(fair.differences, [-0.05, -0.049, -0.048, -0.047])
    assert (biased.fair, biased.modelled) == ("a", "sar")
    assert (biased.differences > 0.14).all()


def test_the_section_says_where_each_group_is_ahead() -> None:
    section = bias_section(report())
    assert section is not None
    (sentences,) = (block for block in section.blocks if isinstance(block, BulletList))
    assert sentences.items == (
        f"Methods that estimate propensities are ahead in acc with: {STS} hard 5.",
        f"Methods that assume SCAR are ahead in acc with: {STS}.",
    )
    figure = section.blocks[-1]
    assert isinstance(figure, FigureBlock)
    assert figure.numbers is not None
    assert [line[2:] for line in figure.numbers.lines] == [("0.100", "0.500", "4")] * 2
    assert len(figure.drawing.images) == 2
    # The curves of calibration, which a page may have too, have other names inside.
    assert all('id="v0propensity' in image for image in figure.drawing.images)


def test_one_data_set_does_not_say_who_is_ahead() -> None:
    section = bias_section(report(data_sets=1))
    assert section is not None
    (sentences,) = (block for block in section.blocks if isinstance(block, BulletList))
    assert sentences.items == (
        f"Which group is ahead in acc cannot be said from one data set, with: {STS}; {STS} hard 5.",
    )


def test_priors_are_shown_if_they_are_not_the_true_ones() -> None:
    def titles(found: Report) -> list[str]:
        section = bias_section(found)
        assert section is not None
        return [block.title for block in section.blocks if isinstance(block, TableBlock)]

    assert "Effect of the bias on the prior" in titles(report(0.3))
    section = bias_section(report(0.3))
    assert section is not None
    drawn = [block for block in section.blocks if isinstance(block, FigureBlock) and "given" in block.caption]
    assert [len(block.drawing.images) for block in drawn] == [1]


def test_priors_are_drawn_against_the_strength_of_each_mechanism() -> None:
    pairs = {STS: [(0.4, 0.4)], f"{STS} hard 5": [(0.2, 0.4), (0.3, 0.4)], f"{STS} easy 1": [(0.1, 0.4)]}
    sweep = sweep_priors({label: np.array(found) for label, found in pairs.items()})
    assert sweep is not None
    hard, easy = sweep.panels
    assert (hard.setting, easy.setting) == (f"{STS} hard", f"{STS} easy")
    given, true = hard.curves
    np.testing.assert_allclose((given.x, given.mean, true.mean), ([0.0, 5.0], [0.4, 0.25], [0.4, 0.4]))
    np.testing.assert_allclose(given.sd, [0.0, 0.05])
    assert sweep_priors({STS: np.array([(0.4, 0.4)])}) is None


def test_priors_that_are_the_true_ones_are_not_shown() -> None:
    section = bias_section(report(0.4))
    assert section is not None
    titles = [block.title for block in section.blocks if isinstance(block, TableBlock)]
    assert "Effect of the bias on the prior" not in titles


def test_a_suite_without_biased_labels_has_no_section() -> None:
    rows = [row("a", 0.5, labelling=STS), row("a", 0.5, labelling=f"{STS} sar")]
    assert bias_section(build_report(rows, "s", {"acc": True})) is None
