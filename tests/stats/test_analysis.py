"""Means and counts: nothing is averaged away."""

from typing import Any

import numpy as np
import pytest

from pubench.stats.scores import Block, best_cells, score_table, some_blocks


def row(algorithm: str, value: float | None = None, **keys: Any) -> dict[str, Any]:
    plain = {"suite": "s", "dataset": "d", "scenario": "case-control", "labelling": "l", "replicate": 0}
    end = {"algorithm": algorithm, "criterion": None, "status": "ok", "error": None, "acc": value}
    return plain | end | keys


def test_mean_sd_and_counts() -> None:
    rows = [row("a", value, replicate=i) for i, value in enumerate((0.5, 0.7, 0.9))] + [row("b", 0.25)]
    table = score_table(rows, "acc", True)
    assert table.algorithms == ("a", "b")
    assert table.blocks == (Block("d", "l", None),)
    np.testing.assert_allclose(table.mean, [[0.7, 0.25]])
    np.testing.assert_allclose(table.sd, [[0.2, np.nan]])
    assert table.ok.tolist() == table.planned.tolist() == [[3, 1]]


def test_what_failed_is_counted_and_never_averaged() -> None:
    statuses = ["failed", "failed", "timeout", "crashed", "out-of-memory", "skipped", "pending"]
    rows = [row("a", 0.5), *(row("a", None, status=status) for status in statuses), row("b", 0.1)]
    table = score_table(rows, "acc", True)
    assert table.mean.tolist() == [[0.5, 0.1]]
    assert (table.ok.tolist(), table.planned.tolist()) == ([[1, 1]], [[8, 1]])
    assert table.failures[0][0] == {status: statuses.count(status) for status in statuses}
    assert table.failures[0][1] == {}
    assert not best_cells(table).any()
    assert table.waiting.tolist() == [[True, False]]


@pytest.mark.parametrize("undefined", [None, float("nan")])
def test_undefined_metrics_are_left_out_of_means_but_counted(undefined: float | None) -> None:
    table = score_table([row("a", 0.5), row("a", undefined), row("b", 0.1), row("b", 0.3)], "acc", True)
    np.testing.assert_allclose(table.mean, [[0.5, 0.2]])
    assert (table.ok[0, 0], table.undefined[0, 0], table.planned[0, 0]) == (2, 1, 2)
    assert table.complete.tolist() == [[False, True]]


def test_a_metric_that_only_untuned_algorithms_have_leaves_tuned_lines_out() -> None:
    counts = {"n_p": 10, "n_u": 30, "n_test": 20}
    table = score_table([row("a", None, criterion="c", **counts), row("b", 0.4, **counts)], "acc", True)
    assert table.blocks == (Block("d", "l", None),)
    assert table.overlap.tolist() == [0.5]


def test_who_is_left_alone_by_failures_is_not_the_best() -> None:
    for other in (row("b", None, status="failed"), row("b", 0.9, reference=True), row("b", float("nan"))):
        assert not best_cells(score_table([row("a", 0.5), other], "acc", True)).any()
    rows = [row("a", 0.5), row("b", 0.4), row("c", None, status="failed")]
    assert best_cells(score_table(rows, "acc", True)).tolist() == [[True, False, False]]


def test_some_blocks_are_a_table_of_their_own() -> None:
    rows = [row(name, value, dataset=data) for name, value in (("a", 0.1), ("b", 0.2)) for data in "xyz"]
    table = score_table(rows, "acc", True)
    part, own = some_blocks(table, [2, 0]), score_table([r for r in rows if r["dataset"] == "z"], "acc", True)
    assert [block.dataset for block in part.blocks] == ["z", "x"]
    assert part.mean[:1].tolist() == own.mean.tolist()
    assert part.complete.shape == (2, 2)


def test_a_metric_that_no_row_has_is_undefined() -> None:
    table = score_table([row("a", 0.5)], "other", True)
    assert np.isnan(table.mean).all()
    assert table.undefined.tolist() == [[1]]


def test_an_infinite_loss_stays_infinite() -> None:
    table = score_table([row("a", np.inf), row("a", 1.0)], "acc", False)
    assert table.mean[0, 0] == np.inf
    assert np.isnan(table.sd[0, 0])


def test_untuned_algorithms_are_in_the_block_of_every_criterion() -> None:
    rows = [
        row("untuned", 0.5),
        row("tuned", 0.6, criterion="puf"),
        row("tuned", 0.4, criterion="pauc"),
        row("untuned", 0.1, dataset="e"),
    ]
    table = score_table(rows, "acc", True)
    assert table.blocks == (Block("d", "l", "puf"), Block("d", "l", "pauc"), Block("e", "l", None))
    np.testing.assert_array_equal(table.mean, [[0.5, 0.6], [0.5, 0.4], [0.1, np.nan]])
    assert table.planned.tolist() == [[1, 1], [1, 1], [1, 0]]


def test_the_best_follows_the_metrics_direction() -> None:
    rows = [row("a", 0.9), row("b", 0.5), row("c", 0.5)]
    assert best_cells(score_table(rows, "acc", True)).tolist() == [[True, False, False]]
    assert best_cells(score_table(rows, "acc", False)).tolist() == [[False, True, True]]
    assert not best_cells(score_table(rows, "acc", None)).any()


def test_references_are_shown_but_never_best() -> None:
    rows = [row("supervised-lr", 0.99, reference=True), row("a", 0.7), row("b", 0.8)]
    table = score_table(rows, "acc", True)
    assert table.mean[0, 0] == 0.99
    assert best_cells(table).tolist() == [[False, False, True]]


def test_replicates_of_one_number_are_at_one_place() -> None:
    rows = [row("a", 0.1, replicate=0), row("a", 0.3, replicate=2), row("b", 0.5, replicate=2)]
    rows += [row("b", None, replicate=0, status="failed"), row("b", float("nan"), replicate=5)]
    values = score_table(rows, "acc", True).values
    nan = np.nan
    np.testing.assert_array_equal(values, [[[0.1, 0.3, nan], [nan, 0.5, nan]]])


def test_what_splits_share_is_read_from_the_rows() -> None:
    sizes = {"n_p": 10, "n_u": 70, "n_test": 20}
    rows = [row("a", 0.1, **sizes), row("b", 0.2, **sizes | {"n_test": 40}), row("a", 0.3, dataset="e")]
    np.testing.assert_array_equal(score_table(rows, "acc", True).overlap, [0.375, np.nan])


def test_no_rows_no_table() -> None:
    table = score_table([], "acc", True)
    assert table.mean.shape == (0, 0)
    assert best_cells(table).shape == (0, 0)


def test_lines_that_nothing_could_fill_are_left_out():
    def row(dataset, status="ok", value=None):
        names = {"labelling": "l", "algorithm": "a", "criterion": None, "replicate": 0}
        return {"dataset": dataset, "status": status, "f1": value, **names}

    rows = [row("skipped", "skipped"), row("unknown"), row("failed", "failed"), row("fine", value=0.5)]
    assert [block.dataset for block in score_table(rows, "f1", True).blocks] == ["failed", "fine"]
    assert [block.dataset for block in score_table(rows[:2], "f1", True).blocks] == ["skipped", "unknown"]
