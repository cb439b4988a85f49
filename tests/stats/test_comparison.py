"""Comparisons of algorithms: ranks, pairs, groups and ties, under each rule."""

from typing import Any

import numpy as np
import pytest
from helpers.statistics_examples import AUC, NAMES
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import rankdata

from pubench.stats.comparison import Comparison, compare, rank
from pubench.stats.scores import score_table
from pubench.suite.reporting import Rules


def row(algorithm: str, value: float | None = None, **keys: Any) -> dict[str, Any]:
    plain = {"dataset": "d", "labelling": "l", "criterion": None, "replicate": 0, "status": "ok"}
    return plain | {"algorithm": algorithm, "acc": value} | keys


def rows_of(scores: np.ndarray, names: tuple[str, ...] = NAMES) -> list[dict[str, Any]]:
    """One replicate for each data set and algorithm; NaN is a failure."""
    return [
        row(name, value, dataset=f"d{i}")
        if value == value
        else row(name, None, dataset=f"d{i}", status="failed")
        for i, line in enumerate(scores)
        for name, value in zip(names, line.tolist(), strict=True)
    ]


def compared(rows: list[dict[str, Any]], greater: bool | None = True, **rules: Any) -> Comparison:
    return compare(score_table(rows, "acc", greater), Rules(**rules))


def test_demsars_example() -> None:
    found = compared(rows_of(AUC), test="nemenyi", alpha=0.10)
    np.testing.assert_allclose(found.ranks, (3.143, 2.000, 2.893, 1.964), atol=5e-4)
    assert (found.units, found.all_units, found.tables) == (14, 14, 14)
    assert found.critical_difference == pytest.approx(1.12, abs=5e-3)
    # At 0.10 C4.5 differs from the two with m; C4.5+cf cannot be told from any.
    assert found.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))
    assert compared(rows_of(AUC), test="nemenyi", alpha=0.05).groups == (
        ("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),
    )


def test_ranks_say_which_data_sets_and_lines_entered() -> None:
    rows = [
        row(name, value, dataset=data, criterion=criterion)
        for name, value in (("a", 0.1), ("b", 0.2))
        for data in "xyz"
        for criterion in ("puf", "pauc")
    ]
    assert compared(rows).ranking.over == "3 of 3 data sets, 6 of 6 lines"
    assert compared(rows, unit="block").ranking.over == "6 of 6 blocks"
    assert compared([one for one in rows if one["criterion"] == "puf"]).ranking.over == "3 of 3 data sets"
    for broken in (0, 1, 2):
        rows[broken] |= {"status": "failed", "acc": None}
    found = compared(rows)
    assert found.ranking.over == "2 of 3 data sets, 3 of 6 lines"
    assert rank(score_table(rows, "acc", True), Rules()).over == found.ranking.over
    np.testing.assert_array_equal(found.ranking.ranks, found.ranks)
    # As the worst of its line, a failed cell lets its line enter.
    assert compared(rows, missing="worst-rank").ranking.over == "3 of 3 data sets, 6 of 6 lines"


def tuned_rows() -> list[dict[str, Any]]:
    """Three data sets, a tuned by a criterion and by an oracle, and two that are not tuned."""
    untuned = [row(name, value, dataset=data) for name, value in (("b", 0.6), ("c", 0.5)) for data in "xyz"]
    tuned = [row("a", 0.7, dataset=data, criterion="puf") for data in "xyz"]
    oracle = [row("a", 0.9, dataset=data, criterion="oracle-acc", reference=True) for data in "xyz"]
    return untuned + tuned + oracle


def test_an_oracles_lines_do_not_count_untuned_scores_again() -> None:
    found = compared(tuned_rows(), unit="block", comparisons="all-pairs")
    assert found.ranking.over == "3 of 3 blocks"
    assert [pair.units for pair in found.pairs] == [3, 3, 3]
    assert compared(tuned_rows()).ranking.over == "3 of 3 data sets"


def test_without_other_lines_an_oracles_still_compare_the_untuned() -> None:
    found = compared([one for one in tuned_rows() if one["criterion"] != "puf"])
    assert (found.algorithms, found.ranking.over) == (("b", "c"), "3 of 3 data sets")


def test_pairs_are_wilcoxons_with_holm() -> None:
    found = compared(rows_of(AUC), comparisons="all-pairs")
    first = found.pairs[0]
    assert (first.first, first.second, first.units) == ("C4.5", "C4.5+m", 14)
    assert (first.wins, first.ties, first.losses) == (2, 2, 10)
    assert first.difference == pytest.approx((AUC[:, 0] - AUC[:, 1]).mean())
    assert first.low < first.difference < first.high < 0
    assert first.effect == pytest.approx((10.5 - 91.5) / 102)
    raw = np.array([pair.p for pair in found.pairs])
    assert (np.array([pair.adjusted for pair in found.pairs]) >= raw).all()
    assert first.adjusted == pytest.approx(np.sort(raw)[0] * 6 if raw.argmin() == 0 else first.adjusted)
    assert sum(first.posterior) == pytest.approx(1)
    assert found.critical_difference is None


def test_t_is_scipys_paired_test() -> None:
    found = compared(rows_of(AUC), test="t", comparisons="all-pairs").pairs[1]
    assert found.p == pytest.approx(stats.ttest_rel(AUC[:, 0], AUC[:, 2]).pvalue)


@settings(deadline=None, max_examples=25)
@given(
    st.integers(1, 5).flatmap(
        lambda a: st.lists(st.lists(st.integers(0, 3), min_size=a, max_size=a), min_size=1, max_size=6)
    )
)
def test_average_ranks_are_those_of_scipy(means: list[list[int]]) -> None:
    scores = np.array(means, dtype=np.float64)
    names = tuple("abcde"[: scores.shape[1]])
    low, high = (compared(rows_of(scores, names), greater).ranks for greater in (False, True))
    np.testing.assert_allclose(low, rankdata(scores, axis=1).mean(axis=0))
    # The other direction mirrors them.
    np.testing.assert_allclose(low + high, scores.shape[1] + 1)


def test_lower_is_better_turns_everything_round() -> None:
    one, other = compared(rows_of(AUC)), compared(rows_of(1 - AUC), greater=False)
    np.testing.assert_allclose(one.ranks, other.ranks)
    assert one.groups == other.groups
    assert [pair.wins for pair in one.pairs] == [pair.wins for pair in other.pairs]
    np.testing.assert_allclose([pair.p for pair in one.pairs], [pair.p for pair in other.pairs])


def test_all_different_with_p_zero_makes_no_group() -> None:
    # Four algorithms in the same order on every one of 60 data sets: p-values vanish, and so must the bars.
    scores = np.arange(4.0)[None, :] + np.zeros((60, 1))
    for test in ("wilcoxon", "t", "nemenyi"):
        rules = {} if test == "nemenyi" else {"comparisons": "all-pairs"}
        assert compared(rows_of(scores), test=test, **rules).groups == ()
    assert max(pair.adjusted for pair in compared(rows_of(scores), test="t").pairs) == 0.0


def test_pairwise_tests_may_group_algorithms_that_are_not_neighbours() -> None:
    # a wins 16 times by little and c 8 times by more; b is a little better 11 times and far worse 13 times.
    i = np.arange(24)
    a, c = np.zeros(24), np.where(i % 3 == 2, 1e-3, -1e-4) * (1 + i / 100)
    b = np.where(i < 11, 0.01, -1.0) * (1 + i / 100)
    found = compared(rows_of(np.stack([a, b, c], axis=1), ("a", "b", "c")), comparisons="all-pairs")
    assert found.ranks[0] < found.ranks[1] < found.ranks[2]
    assert [pair.adjusted < 0.05 for pair in found.pairs] == [True, False, True]
    assert found.groups == (("a", "c"),)


def test_two_algorithms() -> None:
    found = compared(rows_of(AUC[:, :2], ("a", "b")))
    assert found.friedman is None
    assert found.pairs[0].p == found.pairs[0].adjusted < 0.05
    assert found.groups == ()
    nemenyi = compared(rows_of(AUC[:, :2], ("a", "b")), test="nemenyi")
    assert nemenyi.critical_difference == pytest.approx(1.96 / np.sqrt(14), abs=1e-3)


def test_one_algorithm_one_data_set_or_nothing_is_not_tested() -> None:
    for rows in ([], rows_of(AUC[:, :1], ("a",)), rows_of(AUC[:1]), rows_of(AUC * np.nan)):
        for test in ("wilcoxon", "t", "nemenyi"):
            found = compared(rows, test=test)
            assert not found.tested
            assert (found.friedman, found.critical_difference, found.groups) == (None, None, ())
            assert all(np.isnan(pair.adjusted) for pair in found.pairs)


def test_a_metric_without_direction_has_no_competitors() -> None:
    found = compared(rows_of(AUC), greater=None)
    assert (found.algorithms, found.pairs) == ((), ())


def test_unequal_cells_pairwise() -> None:
    scores = AUC.copy()
    scores[3, 0] = scores[5, 0] = scores[5, 1] = np.nan
    found = compared(rows_of(scores), comparisons="all-pairs")
    assert (found.units, found.all_units) == (12, 14)
    by_names = {(pair.first, pair.second): pair.units for pair in found.pairs}
    assert by_names[("C4.5", "C4.5+m")] == 12
    assert by_names[("C4.5+m", "C4.5+cf")] == 13
    assert by_names[("C4.5+cf", "C4.5+m+cf")] == 14
    complete = np.delete(AUC, [3, 5], axis=0)
    np.testing.assert_allclose(found.ranks, compared(rows_of(complete)).ranks)


def test_unequal_cells_worst_rank() -> None:
    scores = np.array([[0.9, 0.5, 0.4], [np.nan, 0.5, 0.4], [np.nan, np.nan, 0.4], [np.nan] * 3])
    found = compared(rows_of(scores, ("a", "b", "c")), missing="worst-rank")
    # Of the block in which all failed nothing can be said.
    assert found.units == 3
    np.testing.assert_allclose(found.ranks, [(1 + 3 + 2.5) / 3, (2 + 1 + 2.5) / 3, (3 + 2 + 1) / 3])
    first = compared(rows_of(scores, ("a", "b", "c")), missing="worst-rank", comparisons="all-pairs").pairs[0]
    assert (first.units, first.wins, first.ties, first.losses) == (2, 1, 0, 1)
    assert first.difference == pytest.approx(0.4)


def test_what_has_not_ended_is_not_worst() -> None:
    rows = rows_of(np.array([[0.9, 0.5], [0.8, 0.4]]), ("a", "b"))
    for status in ("pending", "skipped"):
        more = [row("a", None, dataset="e", status=status), row("b", 0.1, dataset="e")]
        found = compared(rows + more, missing="worst-rank")
        assert (found.units, found.all_units) == (2, 3)


def test_a_cell_that_lacks_a_replicate_is_missing() -> None:
    rows = [row("a", 0.9, replicate=i) for i in range(2)] + [row("b", 0.5)]
    rows += [row("b", None, replicate=1, status="failed")]
    assert compared(rows).units == 0
    assert compared(rows, missing="worst-rank").ranks.tolist() == [1.0, 2.0]


def test_blocks_of_one_data_set_are_one_unit() -> None:
    rows = [
        row(name, value, labelling=labelling)
        for labelling, values in {"x": (0.9, 0.5), "y": (0.6, 0.7)}.items()
        for name, value in zip("ab", values, strict=True)
    ]
    found = compared(rows)
    assert (found.units, found.ranks.tolist()) == (1, [1.0, 2.0])
    blocks = compared(rows, unit="block")
    assert (blocks.units, blocks.tables, blocks.ranks.tolist()) == (2, 1, [1.5, 1.5])
    # The best is the second of a pair.
    assert abs(blocks.pairs[0].difference) == pytest.approx(0.15)
    assert found.pairs[0].difference == pytest.approx(-0.15)


def test_references_take_no_part() -> None:
    rows = rows_of(AUC[:, :2], ("a", "b"))
    references = [row("supervised", 1.0, dataset=f"d{i}", reference=True) for i in range(14)]
    oracle = [row("a", 1.0, criterion="oracle-acc", reference=True, dataset="o"), row("b", 0.1, dataset="o")]
    one, other = compared(rows), compared(rows + references + oracle)
    assert one.algorithms == other.algorithms
    assert (one.units, one.pairs) == (other.units, other.pairs)


def replicates(values: dict[str, list[float]], **keys: Any) -> list[dict[str, Any]]:
    return [
        row(name, value, replicate=i, n_p=20, n_u=60, n_test=20, **keys)
        for name, found in values.items()
        for i, value in enumerate(found)
    ]


def test_ties_with_the_best_follow_the_replicates() -> None:
    noise = np.random.default_rng(0).normal(0, 0.02, (3, 10))
    values = {"best": list(0.9 + noise[0]), "near": list(0.895 + noise[1]), "far": list(0.5 + noise[2])}
    for test in ("corrected-t", "t", "wilcoxon"):
        table = score_table(replicates(values), "acc", True)
        found = compare(table, Rules(replicate_test=test, detectable=0.2))
        assert found.tied.tolist() == [[False, True, False]]
        assert not found.weak.any()


def test_overlapping_splits_make_more_ties() -> None:
    shift = 0.02 + 0.03 * np.array([-1.0, 1.0, -0.5, 0.5, 0.2, -0.2, 0.8, -0.8, 0.1, -0.1])
    values = {"best": list(0.9 + shift), "other": [0.9] * 10}
    table = score_table(replicates(values), "acc", True)
    assert compare(table, Rules(replicate_test="corrected-t", detectable=0.1)).tied.tolist() == [
        [False, True]
    ]
    assert compare(table, Rules(replicate_test="t", alpha=0.06)).tied.tolist() == [[False, False]]


def test_without_sizes_or_replicates_nothing_is_marked_as_tied() -> None:
    unknown = [
        row(name, value, replicate=i) for i in range(3) for name, value in (("a", 0.9), ("b", 0.8 + i))
    ]
    assert not compared(unknown).tied.any()
    assert not compared(replicates({"a": [0.9], "b": [0.8]}), replicate_test="wilcoxon").tied.any()


def test_equal_scores_are_both_best_and_no_mere_tie() -> None:
    found = compared(replicates({"a": [0.9, 0.8], "b": [0.9, 0.8], "c": [0.1, 0.9]}), detectable=50.0)
    assert found.tied.tolist() == [[False, False, True]]


def test_it_is_a_pure_function() -> None:
    one, other = compared(rows_of(AUC)), compared(rows_of(AUC))
    assert one.pairs == other.pairs
