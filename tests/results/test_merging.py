"""Several runs as one."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pubench.errors import PubenchError
from pubench.plan.jobs import Cell, Plan, PlannedMetric, Shard
from pubench.results.merging import merge_results
from pubench.results.table import Results
from pubench.suite.reporting import Rules

ACCURACY = PlannedMetric(True, "1")


def run(folder: str, cells: dict[str, tuple[str, str]], **plan: Any) -> Results:
    """Return a run of cells given as key: (algorithm, status)."""
    planned = [Cell(key, "d", "case-control", "l", 0, name, None, False) for key, (name, _) in cells.items()]
    rows = [
        {"dataset": "d", "labelling": "l", "replicate": 0, "criterion": None, "key": key}
        | {"algorithm": name, "status": status, "acc": 0.5, "run": folder}
        for key, (name, status) in cells.items()
    ]
    keys = {"suite": folder, "description": "", "metrics": {"acc": ACCURACY}, "shown": ("acc",)} | plan
    return Results(Path(folder), Plan(**keys, cells=tuple(planned)), tuple(rows))


def test_one_run_is_itself() -> None:
    one = run("r", {"1": ("a", "ok")})
    assert merge_results([one]) is one


def test_rows_and_metrics_are_put_together() -> None:
    one = run("r", {"1": ("a", "ok")}, description="first")
    other = run("s", {"2": ("b", "ok")}, shown=("acc", "f1"), metrics={"acc": ACCURACY, "f1": ACCURACY})
    merged = merge_results([one, other])
    assert [row["algorithm"] for row in merged.rows] == ["a", "b"]
    assert (merged.plan.suite, merged.plan.description) == ("r + s", "first")
    assert merged.plan.shown == ("acc", "f1")
    assert len(merged.plan.cells) == 2
    assert (merged.rows[0]["acc"], merged.rows[0]["f1"]) == (0.5, None)


def test_what_runs_say_of_priors_and_cuts_is_put_together() -> None:
    one = run("r", {"1": ("a", "ok")}, cut=("a",), priors=("the true one",))
    other = run("s", {"2": ("b", "ok")}, cut=(), priors=("estimated by bbe",))
    merged = merge_results([one, other]).plan
    assert (merged.cut, merged.priors) == (("a",), ("the true one", "estimated by bbe"))
    # An earlier version did not say it, and one name cannot stand for two rules.
    old = merge_results([one, run("s", {"2": ("b", "ok")})]).plan
    assert (old.cut, old.priors) == (None, ())
    assert merge_results([one, run("s", {"1": ("a", "ok")}, cut=())]).plan.cut is None


def test_shards_stand_in_the_order_of_their_suite() -> None:
    whole = run("r", {"1": ("a", "ok"), "2": ("b", "ok"), "3": ("c", "ok")})

    def shard(number: int, *keys: str) -> Results:
        rows = tuple(row for row in whole.rows if row["key"] in keys)
        return replace(whole, plan=replace(whole.plan, shard=Shard(number, 3, frozenset(keys))), rows=rows)

    merged = merge_results([shard(2, "3"), shard(1, "1")])
    assert [row["algorithm"] for row in merged.rows] == ["a", "c"]
    assert [cell.key for cell in merged.plan.cells] == ["1", "3"]
    assert merged.plan.description == "Shards 1, 2 of 3: 2 of 3 cells; see pubench merge."
    merged = merge_results([shard(2, "3"), shard(1, "1"), shard(3, "2")])
    assert (merged.rows, merged.plan) == (whole.rows, whole.plan)


def test_a_shared_cell_is_taken_once_from_the_run_that_has_finished_it() -> None:
    one = run("r", {"1": ("a", "pending"), "2": ("b", "ok")})
    other = run("s", {"1": ("a", "ok"), "2": ("b", "ok")})
    merged = merge_results([one, other])
    assert [(row["algorithm"], row["status"], row["run"]) for row in merged.rows] == [
        ("a", "ok", "s"),
        ("b", "ok", "r"),
    ]
    assert len(merged.plan.cells) == 2


def test_different_cells_under_one_name_are_refused() -> None:
    with pytest.raises(
        PubenchError, match=r"r and s have different results for d / l / 0 / a; give one of them"
    ):
        merge_results([run("r", {"1": ("a", "ok")}), run("s", {"2": ("a", "ok")})])


@pytest.mark.parametrize(("value", "refused"), [(0.5 + 1e-9, False), (0.51, True)])
def test_different_results_of_one_cell_are_refused_but_not_other_rounding(
    value: float, refused: bool
) -> None:
    one, other = (run(folder, {"1": ("a", "ok")}) for folder in "rs")
    other = replace(other, rows=({**other.rows[0], "acc": value},))
    if not refused:
        assert merge_results([one, other]).rows[0]["acc"] == 0.5
        return
    with pytest.raises(PubenchError, match="r and s have different results of the same cell, d / l / 0 / a"):
        merge_results([one, other])


def test_one_cell_under_two_names_is_shown_under_both() -> None:
    merged = merge_results([run("r", {"1": ("a", "ok")}), run("s", {"1": ("b", "ok")})])
    assert [row["algorithm"] for row in merged.rows] == ["a", "b"]


def test_metrics_that_differ_are_refused() -> None:
    other = run("s", {"2": ("b", "ok")}, metrics={"acc": PlannedMetric(True, "2")})
    with pytest.raises(PubenchError, match=r"r and s differ in what metric 'acc' is"):
        merge_results([run("r", {"1": ("a", "ok")}), other])


def test_rules_are_those_of_the_first_and_problems_are_kept() -> None:
    one = run("r", {"1": ("a", "ok")}, report=Rules(alpha=0.1))
    other = replace(run("s", {"2": ("b", "ok")}, report=Rules(alpha=0.05)), problems=("torn",))
    merged = merge_results([one, other])
    assert merged.plan.report == Rules(alpha=0.1)
    assert merged.problems == ("torn", "s: has other keys in [report]; those of r are used")


PLACE = ("d", "l")


def drawn(folder: str, name: str, seed: int | None, draw: str | None) -> Results:
    """Return a run of one algorithm whose splits follow from a seed and what ``draw`` is the digest of."""
    return run(folder, {name: (name, "ok")}, seed=seed, draws={} if draw is None else {PLACE: draw})


@pytest.mark.parametrize(
    ("theirs", "sentence"),
    [
        (
            (3, "y"),
            r"d / l \(seeds 0 and 3\), so .* cannot be paired; run both suites with the same seed, or report",
        ),
        ((3, None), r"d / l \(seeds 0 and 3\)"),
        (
            (0, "y"),
            r"d / l \(other rows or labels under the same names\), .*; give the data set or the labelling an",
        ),
    ],
)
def test_runs_that_draw_different_splits_of_a_data_set_are_refused(
    theirs: tuple[int, str | None], sentence: str
) -> None:
    with pytest.raises(PubenchError, match=rf"r and s draw different splits of {sentence}"):
        merge_results([drawn("r", "a", 0, "x"), drawn("s", "b", *theirs)])


@pytest.mark.parametrize("theirs", [(0, "x"), (3, "x"), (0, None), (None, None)])
def test_runs_on_the_same_splits_are_put_together(theirs: tuple[int | None, str | None]) -> None:
    assert len(merge_results([drawn("r", "a", 0, "x"), drawn("s", "b", *theirs)]).rows) == 2


def test_runs_of_different_data_may_have_different_seeds() -> None:
    other = drawn("s", "b", 3, "y")
    cells = tuple(replace(cell, dataset="e") for cell in other.plan.cells)
    rows = tuple({**row, "dataset": "e"} for row in other.rows)
    other = replace(other, plan=replace(other.plan, cells=cells, draws={("e", "l"): "y"}), rows=rows)
    assert len(merge_results([drawn("r", "a", 0, "x"), other]).rows) == 2


def test_different_numbers_of_replicates_are_named() -> None:
    other = drawn("s", "b", 0, "x")
    cells = (*other.plan.cells, replace(other.plan.cells[0], key="c", replicate=1))
    rows = (*other.rows, {**other.rows[0], "key": "c", "replicate": 1})
    merged = merge_results(
        [drawn("r", "a", 0, "x"), replace(other, plan=replace(other.plan, cells=cells), rows=rows)]
    )
    assert merged.problems == (
        "r and s have 1 and 2 replicates of d / l: their means are over different splits; run both suites with the "
        "same number of replicates",
    )
