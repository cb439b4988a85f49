"""The leaderboard against plain loops: ranks, intervals, Elo, improvability, and what is counted once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.html import row
from numpy.typing import NDArray

from pubench.reporting.report import build_report
from pubench.reporting.sections.leaderboard import headlines
from pubench.stats.board import Board, make_board
from pubench.stats.bootstrap import rank_intervals, small_draws
from pubench.stats.comparison import compare
from pubench.stats.elo import LEAST_UNITS, elo_ratings
from pubench.stats.leaderboard import Leaderboard, Standing, leaderboard
from pubench.stats.scores import score_table
from pubench.suite.reporting import Rules

Floats = NDArray[np.float64]
FIRST = [1144304738, 1416247, 958946056, 627933444]
NAMES = ("a", "b", "c", "naive-et-prior", "naive-lr-prior")


def board_of(rows: list[dict[str, Any]], rules: Rules | None = None, greater: bool = True) -> Board:
    return make_board([score_table(rows, "acc", greater)], rows, rules or Rules(), {})


def ranked(rows: list[dict[str, Any]], rules: Rules | None = None, greater: bool = True) -> Leaderboard:
    return leaderboard(board_of(rows, rules, greater), 0, rules or Rules())


def by_name(found: Leaderboard) -> dict[str, Standing]:
    return {one.algorithm: one for one in found.standings}


def scores_of(n: int, k: int, seed: int = 0) -> Floats:
    """Scores with few decimals, so that some are tied."""
    drawn = np.random.default_rng(seed).normal(0.8, 0.05, (n, k)) - 0.01 * np.arange(k)
    return np.asarray(np.round(drawn, 2), dtype=np.float64)


def rows_of(scores: Floats, names: tuple[str, ...] = NAMES, **keys: Any) -> list[dict[str, Any]]:
    return [
        row(names[j], float(scores[i, j]), dataset=f"d{i}", **keys)
        for i in range(len(scores))
        for j in range(scores.shape[1])
    ]


def plain_ranks(scores: Floats) -> list[list[float]]:
    """One plus those that are better, plus half of those that are equal."""
    return [
        [1 + sum(y > x for y in line) + (sum(y == x for y in line) - 1) / 2 for x in line]
        for line in scores.tolist()
    ]


@pytest.mark.parametrize("greater", [True, False])
def test_ranks_are_those_of_a_plain_loop_and_of_the_tests(greater: bool) -> None:
    scores = scores_of(20, 5)
    found = by_name(ranked(rows_of(scores if greater else 1 - scores), greater=greater))
    expected = np.mean(plain_ranks(np.round(scores, 12)), axis=0)
    assert [found[name].rank for name in NAMES] == pytest.approx(expected.tolist())
    table = score_table(rows_of(scores), "acc", True)
    assert [found[name].rank for name in NAMES] == compare(table, Rules()).ranks.tolist()


def plain_generator(seed: int) -> Any:
    """mulberry32 in whole numbers."""
    state, mask = seed, 0xFFFFFFFF
    while True:
        state = (state + 0x6D2B79F5) & mask
        mixed = ((state ^ (state >> 15)) * (state | 1)) & mask
        mixed ^= (mixed + ((mixed ^ (mixed >> 7)) * (mixed | 61))) & mask
        yield (mixed ^ (mixed >> 14)) & mask


def test_the_generator_is_mulberry32() -> None:
    # What its author's program gives for the seed 0.
    first = plain_generator(0)
    assert [next(first) for _ in range(4)] == FIRST
    generator = plain_generator(0)
    drawn = [next(generator) * 7 // 2**32 for _ in range(5 * 7)]
    assert small_draws(5, 7, 0).ravel().tolist() == drawn
    counts = np.bincount(small_draws(2000, 10, 0).ravel(), minlength=10)
    assert (np.abs(counts - 2000) < 200).all()


def test_intervals_are_quantiles_of_resampled_ranks() -> None:
    ranks = np.array(plain_ranks(scores_of(12, 4)))
    generator, means = plain_generator(0), []
    for _ in range(2000):
        taken = [next(generator) * 12 // 2**32 for _ in range(12)]
        means.append([sum(ranks[i, j] for i in taken) / 12 for j in range(4)])
    low, high = rank_intervals(ranks, 0.95)
    expected = np.quantile(means, [0.025, 0.975], axis=0)
    np.testing.assert_allclose([low, high], expected, rtol=1e-12)
    average = ranks.mean(axis=0)
    assert (low < average).all()
    assert (average < high).all()


def test_improvability_is_the_share_of_error_that_the_best_avoids() -> None:
    scores = scores_of(9, 5)
    found = by_name(ranked(rows_of(scores)))
    for j, name in enumerate(NAMES):
        shares = []
        for line in (1 - scores).tolist():
            shares.append((line[j] - min(line)) / line[j] if line[j] else 0.0)
        assert found[name].improvability == pytest.approx(sum(shares) / len(shares))
    losses = by_name(ranked(rows_of(1 - scores), greater=False))
    assert losses["b"].improvability == pytest.approx(found["b"].improvability)
    # Scores above 1 have no error.
    assert np.isnan(ranked(rows_of(scores + 1)).standings[0].improvability)


def points_of(scores: Floats) -> Floats:
    k = scores.shape[1]
    points = np.zeros((k, k))
    for line in np.round(scores, 12).tolist():
        for i in range(k):
            for j in range(k):
                if i != j:
                    points[i, j] += 1.0 if line[i] > line[j] else 0.5 if line[i] == line[j] else 0.0
    return points


def likelihood_ratings(points: Floats) -> Floats:
    """Bradley-Terry ratings by Newton's steps on the log-likelihood, the first fixed at 0."""
    k = len(points)
    theta = np.zeros(k)
    for _ in range(100):
        gradient, hessian = np.zeros(k), np.zeros((k, k))
        for i in range(k):
            for j in range(k):
                p = 1 / (1 + np.exp(theta[j] - theta[i]))
                games = points[i, j] + points[j, i]
                gradient[i] += points[i, j] - games * p if i != j else 0.0
                hessian[i, i] -= games * p * (1 - p) if i != j else 0.0
                hessian[i, j] += games * p * (1 - p) if i != j else 0.0
        theta[1:] -= np.linalg.solve(hessian[1:, 1:], gradient[1:])
    return np.asarray(400 / np.log(10) * theta, dtype=np.float64)


@pytest.mark.parametrize("seed", [0, 1])
def test_elo_maximises_the_likelihood(seed: int) -> None:
    points = points_of(scores_of(20, 5, seed))
    expected = likelihood_ratings(points)
    np.testing.assert_allclose(elo_ratings(points, 3), 1000 + expected - expected[3], atol=1e-6)
    np.testing.assert_allclose(elo_ratings(points, None), 1000 + expected - expected.mean(), atol=1e-6)


def test_elo_of_the_leaderboard_has_the_strongest_baseline_or_the_control_at_1000() -> None:
    scores = scores_of(LEAST_UNITS, 5)
    ratings = elo_ratings(points_of(scores), 3)
    found = ranked(rows_of(scores))
    assert found.baseline == "naive-et-prior"
    elo = {name: one.elo for name, one in by_name(found).items()}
    assert [elo[name] for name in NAMES] == pytest.approx(ratings.tolist())
    assert by_name(ranked(rows_of(scores), Rules(control="b")))["b"].elo == 1000
    assert np.isnan([one.elo for one in ranked(rows_of(scores[1:])).standings]).all()


def test_who_wins_or_loses_everything_has_no_finite_rating() -> None:
    points = points_of(np.column_stack([scores_of(20, 3), np.full(20, 0.1)]))
    ratings = elo_ratings(points, 0)
    assert np.isnan(ratings[3])
    np.testing.assert_allclose(ratings[:3], elo_ratings(points[:3, :3], 0))


def test_elo_is_that_of_bencheval() -> None:
    """TabArena's package has a small penalty, which moves ratings by little where there are many data sets."""
    elo = pytest.importorskip("bencheval.elo_utils")
    pandas = pytest.importorskip("pandas")
    scores = scores_of(60, 4)
    frame = pandas.DataFrame(
        [
            {"method": NAMES[j], "task": f"d{i}", "metric_error": float(np.round(1 - scores[i, j], 12))}
            for i in range(60)
            for j in range(4)
        ]
    )
    helper = elo.EloHelper(method_col="method", task_col="task", error_col="metric_error")
    theirs = helper.compute_mle_elo(
        helper.convert_results_to_battles(frame), calibration_framework=NAMES[0], calibration_elo=1000
    )
    ours = dict(zip(NAMES[:4], elo_ratings(points_of(scores), 0), strict=True))
    assert {name: theirs[name] for name in ours} == pytest.approx(ours, abs=8)


def test_normalised_is_0_for_the_strongest_baseline_and_1_for_the_best_reference() -> None:
    scores = scores_of(8, 5)
    rows = rows_of(scores) + rows_of(np.full((8, 1), 0.97), ("supervised-et",), reference=True)
    rows += rows_of(np.full((8, 1), 0.9), ("supervised-lr",), reference=True)
    found = ranked(rows)
    assert (found.baseline, found.supervised) == ("naive-et-prior", "supervised-et")
    normalised = {name: one.normalised for name, one in by_name(found).items()}
    base = scores[:, 3].mean()
    assert normalised["naive-et-prior"] == 0
    assert normalised["supervised-et"] == 1
    assert normalised["a"] == pytest.approx((scores[:, 0].mean() - base) / (0.97 - base))
    assert np.isnan([one.normalised for one in ranked(rows_of(scores)).standings]).all()


def test_wins_ties_and_losses_are_against_the_best() -> None:
    scores = np.array([[0.9, 0.8, 0.9], [0.9, 0.8, 0.95], [0.9, 0.8, 0.7], [0.9, 0.95, 0.7]])
    found = by_name(ranked(rows_of(scores, ("a", "b", "c"))))
    assert [(one.wins, one.ties, one.losses) for one in (found["a"], found["b"], found["c"])] == [
        (0, 0, 0),
        (1, 0, 3),
        (1, 1, 2),
    ]


def test_the_smallest_difference_that_can_be_seen_is_that_of_the_tests() -> None:
    rows = rows_of(scores_of(20, 5))
    comparison = compare(score_table(rows, "acc", True), Rules())
    assert ranked(rows).detectable == pytest.approx(comparison.family.detectable)
    assert ranked(rows_of(scores_of(5, 5))).detectable == np.inf
    skipped = [row("absent", None, dataset=f"d{i}", status="skipped") for i in range(20)]
    assert ranked([*rows, *skipped]).detectable == ranked(rows).detectable


def test_with_a_control_the_smallest_difference_is_that_from_the_control() -> None:
    scores, rules = scores_of(20, 5), Rules(control="c")
    # Differences from c vary more than those from the best.
    scores[:, 2] += np.where(np.arange(20) % 2, 0.3, -0.3)
    rows = rows_of(scores)
    board, family = ranked(rows, rules), compare(score_table(rows, "acc", True), rules).family
    assert board.best != board.compared_with == "c"
    assert board.detectable == pytest.approx(family.detectable)
    assert board.detectable > 2 * ranked(rows).detectable
    report = build_report(rows, "t", {"acc": True}, rules=rules)
    assert headlines(report)[0].startswith(f"Differences from c in acc below {family.detectable:.3f}")
    # Without scores of the control there is nothing but the best to compare with.
    lost = [one | ({"status": "skipped", "acc": None} if one["algorithm"] == "c" else {}) for one in rows]
    assert ranked(lost, rules).compared_with == ranked(lost, rules).best


def test_cells_of_an_untuned_algorithm_count_once() -> None:
    rows = [row("plain", 0.5, dataset=f"d{d}", collapsed=True) for d in range(2)]
    rows += [row("tuned", 0.6, dataset=f"d{d}", criterion=c) for d in range(2) for c in ("puf", "pa")]
    rows += [row("plain", None, dataset="d0", replicate=1, status="failed")]
    found = by_name(ranked(rows))
    assert [(one.planned, one.collapsed, one.failed) for one in (found["plain"], found["tuned"])] == [
        (3, 2, 1),
        (4, 0, 0),
    ]


def test_an_algorithm_that_fails_everywhere_leaves_the_others_ranked() -> None:
    rows = rows_of(scores_of(6, 2), ("a", "b"))
    rows += [row("broken", None, dataset=f"d{i}", status="failed") for i in range(6)]
    found = by_name(ranked(rows))
    assert found["a"].rank + found["b"].rank == 3
    assert np.isnan(found["broken"].rank)
    worst = by_name(ranked(rows, Rules(missing="worst-rank")))
    assert worst["broken"].rank == 3


def test_lines_of_an_oracle_count_only_where_they_are_alone() -> None:
    rows = [row("plain", 0.5, dataset=f"d{d}") for d in range(3)]
    for criterion, value in (("puf", 0.4), ("oracle-acc", 0.9)):
        rows += [
            row("tuned", value, dataset=f"d{d}", criterion=criterion, reference=value > 0.5) for d in range(3)
        ]
    board = board_of(rows)
    oracle = [k for k, line in enumerate(board.lines) if line.block.criterion == "oracle-acc"]
    whole = by_name(leaderboard(board, 0, Rules()))
    assert (whole["plain"].rank, whole["tuned"].rank) == (1, 2)
    alone = leaderboard(board, 0, Rules(), oracle)
    assert alone.best is None
    assert by_name(alone)["tuned"].reference


def test_the_headline_does_not_deny_what_its_tests_show() -> None:
    scores = np.column_stack([np.linspace(0.9, 0.99, 12), np.linspace(0.5, 0.56, 12), np.full(12, 0.3)])
    rows = [
        one for one in rows_of(scores, ("a", "b", "c")) if one["algorithm"] != "c" or one["dataset"] < "d11"
    ]
    (sentence,) = headlines(build_report(rows, "t", {"acc": True}))
    assert sentence.startswith(
        "The 3 data sets with scores of all methods cannot show which method is better;"
    )
    assert "which some pairs of methods have. a has the best average rank" in sentence
    assert sentence.endswith("and 1 of 1 other method is significantly worse.")
