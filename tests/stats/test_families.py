"""Families of tests: against the best, against a control, or all pairs; what could reject, and what shares rows."""

from typing import Any

import numpy as np
import pytest
from helpers.results import result_rows
from helpers.statistics_examples import AUC, NAMES
from scipy import stats

from pubench.stats.comparison import Comparison, compare
from pubench.stats.corrections import holm
from pubench.stats.power import detectable
from pubench.stats.scores import score_table
from pubench.stats.ties import tie_marks
from pubench.suite.reporting import Rules


def compared(
    scores: np.ndarray = AUC, names: tuple[str, ...] = NAMES, origins: Any = None, **rules: Any
) -> Comparison:
    return compare(score_table(result_rows(scores, names), "acc", True), Rules(**rules), origins)


def many(k: int) -> tuple[str, ...]:
    return tuple(f"a{j}" for j in range(k))


def test_the_default_family_is_the_best_against_each_other_algorithm() -> None:
    found = compared()
    best = NAMES[int(found.ranks.argmin())]
    assert (found.family.control, found.family.chosen, found.family.size) == (best, True, 3)
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        (name, best) for name in NAMES if name != best
    ]
    p = np.array([pair.p for pair in found.pairs])
    assert found.friedman is not None
    expected = np.maximum(holm(p, 1.5), found.friedman.f_p)
    np.testing.assert_allclose([pair.adjusted for pair in found.pairs], expected)
    assert found.pairs[0].difference == pytest.approx((AUC[:, 0] - AUC[:, NAMES.index(best)]).mean())


def test_a_control_has_plain_holm_and_the_pairs_of_scipy() -> None:
    scores = np.random.default_rng(3).normal(0.8, 0.02, (15, 4)) + np.array([0.0, 0.01, 0.02, 0.0])
    found = compared(scores, many(4), control="a3")
    assert (found.family.control, found.family.chosen) == ("a3", False)
    p = np.array([stats.wilcoxon(scores[:, j], scores[:, 3], method="exact").pvalue for j in range(3)])
    np.testing.assert_allclose([pair.p for pair in found.pairs], p)
    # Three tests, not six.
    np.testing.assert_allclose([pair.adjusted for pair in found.pairs], holm(p))


def test_fewer_tests_reject_more() -> None:
    # 37 algorithms on 12 data sets: no pair of 666 can differ, though one algorithm may be better than all others.
    scores = np.random.default_rng(0).normal(0.6, 0.01, (12, 37))
    scores[:, 5] += 0.3
    pairs, best = compared(scores, many(37), comparisons="all-pairs"), compared(scores, many(37))
    assert (pairs.family.planned, pairs.family.size, pairs.family.needed) == (666, 0, 15)
    assert not pairs.tested
    assert all(np.isnan(pair.p) and np.isnan(pair.adjusted) for pair in pairs.pairs)
    assert (best.family.control, best.family.size) == ("a5", 36)
    assert all(pair.adjusted == pytest.approx(36 / 2**11) for pair in best.pairs)


def test_without_an_overall_difference_none_differs_from_the_best() -> None:
    scores = np.random.default_rng(30).normal(0.0, 1.0, (20, 30))
    scores[:, 3], scores[:, 7] = scores[:, 3] + 0.5, scores[:, 7] - 0.9
    found = compared(scores, many(30))
    assert found.friedman is not None
    assert min(pair.adjusted for pair in found.pairs) >= found.friedman.f_p
    # A control is chosen before the data are seen.
    control = compared(scores, many(30), control=found.family.control)
    assert min(pair.adjusted for pair in control.pairs) <= min(pair.adjusted for pair in found.pairs)


@pytest.mark.parametrize(("n", "k", "can"), [(5, 2, False), (6, 2, True), (7, 4, True), (6, 4, False)])
def test_a_test_is_made_only_if_it_could_reject(n: int, k: int, can: bool) -> None:
    scores = np.tile(np.linspace(0.5, 0.9, k), (n, 1)) + np.arange(n)[:, None] / 100
    found = compared(scores, many(k))
    assert found.tested is can
    assert (found.family.needed <= n) is can
    # All data sets agree: whatever could reject does.
    assert all((pair.adjusted < 0.05) is can for pair in found.pairs)
    assert bool(found.groups) is False


def test_a_pair_with_few_units_is_not_counted_in_the_family() -> None:
    scores = np.random.default_rng(1).normal(0.8, 0.02, (12, 4)) + np.array([0.0, 0.0, 0.1, 0.0])
    scores[4:, 3] = np.nan
    found = compared(scores, many(4))
    assert (found.family.control, found.family.planned, found.family.size) == ("a2", 3, 2)
    last = found.pairs[-1]
    assert (last.first, last.units) == ("a3", 4)
    assert np.isnan([last.p, last.adjusted, last.low, last.posterior.same]).all()
    assert found.friedman is not None
    largest = max(2 / 2**11, found.friedman.f_p)
    assert max(pair.adjusted for pair in found.pairs[:2]) == pytest.approx(largest)


def test_the_detectable_difference_follows_spread_units_and_tests() -> None:
    scores = np.random.default_rng(2).normal(0.8, 0.02, (20, 5))
    found = compared(scores, many(5))
    best = int(found.ranks.argmin())
    spreads = [np.std(scores[:, j] - scores[:, best], ddof=1) for j in range(5) if j != best]
    assert found.family.spread == pytest.approx(np.median(spreads))
    assert found.family.detectable == pytest.approx(np.median(spreads) * detectable("wilcoxon", 20, 0.05 / 4))
    np.testing.assert_allclose(
        [pair.detectable for pair in found.pairs], np.array(spreads) * detectable("wilcoxon", 20, 0.05 / 4)
    )
    twice = compared(2 * scores, many(5))
    assert twice.family.detectable == pytest.approx(2 * found.family.detectable)
    assert 0 <= found.family.rope_power < 0.8 < twice.family.detectable / 0.01


def test_data_sets_of_one_table_are_one_unit() -> None:
    scores = np.random.default_rng(4).normal(0.8, 0.05, (9, 3))
    origins = {"data_0": "t", "data_1": "t", "data_2": "t", "data_5": "u"}
    found = compared(scores, many(3), origins)
    merged = np.vstack([scores[:3].mean(axis=0), scores[3:]])
    alone = compared(merged, many(3))
    assert (found.units, found.all_units, found.tables) == (7, 7, 7)
    assert found.shared == (("data_0", "data_1", "data_2"),)
    np.testing.assert_allclose(found.ranks, alone.ranks)
    np.testing.assert_allclose([pair.p for pair in found.pairs], [pair.p for pair in alone.pairs])
    blocks = compared(scores, many(3), origins, unit="block")
    assert (blocks.units, blocks.tables, blocks.shared) == (9, 7, ())


def test_ranks_have_intervals_where_there_are_enough_units() -> None:
    ranking = compared().ranking
    assert (ranking.low <= ranking.ranks).all()
    assert (ranking.ranks <= ranking.high).all()
    assert (ranking.high - ranking.low > 0.3).all()
    assert np.isnan(compared(AUC[:5]).ranking.low).all()


def replicated(values: np.ndarray) -> Any:
    rows = [
        row | {"replicate": i, "acc": value, "n_p": 20, "n_u": 60, "n_test": 20}
        for i, line in enumerate(values)
        for row, value in zip(result_rows(line[None, :], many(values.shape[1])), line.tolist(), strict=True)
    ]
    return score_table(rows, "acc", True)


def test_a_tie_mark_needs_a_test_that_could_reject() -> None:
    rng = np.random.default_rng(0)
    for replicates, test, can in ((5, "wilcoxon", False), (8, "wilcoxon", True), (3, "corrected-t", True)):
        values = 0.8 + 0.001 * rng.standard_normal((replicates, 2))
        marks = tie_marks(replicated(values), Rules(replicate_test=test))
        assert (bool(marks.tied.any()), bool(marks.weak.any())) == (can, not can)


def test_a_distant_mean_is_not_tied_for_want_of_replicates() -> None:
    # 0.956 beside 0.535: three replicates are not enough for 36 tests, and the mark would say the contrary.
    values = np.full((3, 37), 0.5) + 0.05 * np.random.default_rng(0).standard_normal((3, 37))
    values[:, 0] = [0.95, 0.956, 0.962]
    marks = tie_marks(replicated(values), Rules())
    assert not marks.tied.any()
    assert marks.weak.sum() > 20


def test_what_marks_require_is_the_corrected_t_tests_detectable_difference() -> None:
    values = np.array([[0.90, 0.88, 0.7], [0.91, 0.90, 0.7], [0.92, 0.88, 0.6], [0.90, 0.89, 0.7]])
    marks = tie_marks(replicated(values), Rules())
    spread = np.std(values[:, 0] - values[:, 1], ddof=1)
    # Two tests; 20 test rows over 80 training rows.
    assert marks.detectable[0, 1] == pytest.approx(spread * detectable("t", 4, 0.025, 0.25))
    found = stats.ttest_rel(values[:, 0], values[:, 1])
    corrected = found.statistic * np.sqrt((1 / 4) / (1 / 4 + 0.25))
    raw = 2 * stats.t.sf(abs(corrected), 3)
    assert marks.p[0, 1] == pytest.approx(min(1.0, max(raw, marks.p[0, 2])), abs=1e-9)


@pytest.mark.parametrize("rules", [{}, {"control": "a1"}, {"comparisons": "all-pairs"}, {"test": "nemenyi"}])
def test_methods_that_are_skipped_everywhere_are_no_comparisons(rules: dict[str, str]) -> None:
    scores = np.random.default_rng(5).normal(0.8, 0.02, (12, 3)) + np.array([0.0, 0.02, 0.01])
    rows = result_rows(scores, many(3))
    skipped = [row | {"algorithm": "absent", "status": "skipped", "acc": None} for row in rows]
    alone = compare(score_table(rows, "acc", True), Rules(**rules))
    together = compare(score_table([*skipped, *rows], "acc", True), Rules(**rules))
    assert together.family == alone.family
    assert together.algorithms == alone.algorithms
    np.testing.assert_equal([*map(tuple, together.pairs)], [*map(tuple, alone.pairs)])
    # One that ran on some data sets is compared where it has scores.
    partly = [one if k < 18 else rows[k] | {"algorithm": "absent"} for k, one in enumerate(skipped)]
    assert (
        compare(score_table([*partly, *rows], "acc", True), Rules(**rules)).family.planned
        > alone.family.planned
    )
