"""Folds of spatial blocks: neighbours stay together, labelled rows are shared out evenly, coordinates are not seen."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers.suites import plan, run
from hypothesis import given
from hypothesis import strategies as st

from pubench.data.spatial import spatial_folds
from pubench.errors import DataError, SuiteError

GIVEN = [{"scenario": "case-control", "positives": "given", "test": "given"}]
FAMILY = {
    "datasets": [{"use": "toy-family"}],
    "labellings": GIVEN,
    "algorithms": [{"use": "toy", "tune": True}],
    "prior": {"source": 0.3},
}
TUNING = {"criteria": ["puf"], "sampler": "grid", "folds": 2}


def labels(n_p: int, n_u: int) -> np.ndarray:
    return np.repeat(np.array([1, 0], dtype=np.uint8), [n_p, n_u])


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(10, 60), st.integers(50, 200))
def test_every_fold_has_both_kinds_and_equal_places_are_together(
    seed: int, k: int, n_p: int, n_u: int
) -> None:
    rng = np.random.default_rng(seed)
    s, places = labels(n_p, n_u), rng.normal(size=(n_p + n_u, 2)) * (1.0, 50.0)
    # Records at a place that is also in U.
    places[:5] = places[n_p : n_p + 5]
    fold = spatial_folds(s, places, k, rng)
    for number in range(k):
        assert {0, 1} == set(s[fold == number].tolist())
    assert (fold[:5] == fold[n_p : n_p + 5]).all()


def test_folds_have_equally_many_labelled_rows_and_few_neighbours() -> None:
    rng = np.random.default_rng(0)
    s, places = labels(300, 1000), rng.random((1300, 2))
    fold = spatial_folds(s, places, 5, np.random.default_rng(1))
    counts = np.bincount(fold[s == 1])
    assert counts.max() - counts.min() <= 10
    distance = np.hypot(*(places[:, None] - places).transpose(2, 0, 1)) + np.eye(1300)
    nearest = distance.argmin(axis=1)
    # By chance a fifth of all nearest neighbours would be in the same fold.
    assert np.mean(fold == fold[nearest]) > 0.75
    again = spatial_folds(s, places, 5, np.random.default_rng(1))
    np.testing.assert_array_equal(fold, again)


def test_labelled_rows_in_one_corner_are_divided_by_smaller_blocks() -> None:
    rng = np.random.default_rng(0)
    places = np.concatenate([rng.random((20, 2)) / 100, rng.random((200, 2))])
    fold = spatial_folds(labels(20, 200), places, 4, rng)
    assert np.bincount(fold[:20], minlength=4).min() > 0


@pytest.mark.parametrize("places", [np.zeros((30, 2)), np.repeat([[0.0, 0.0], [1.0, 1.0]], 15, axis=0)])
def test_too_few_places_are_refused(places: np.ndarray) -> None:
    with pytest.raises(DataError, match="3 spatial folds need labelled and unlabelled rows at 3 places"):
        spatial_folds(labels(15, 15), places, 3, np.random.default_rng(0))


def test_a_line_is_cut_along_it() -> None:
    places = np.column_stack([np.zeros(60), np.arange(60.0)])
    fold = spatial_folds(np.arange(60, dtype=np.uint8) % 2, places, 3, np.random.default_rng(0))
    assert sorted(np.bincount(fold)) == pytest.approx([20, 20, 20], abs=4)


def test_a_search_can_use_spatial_folds_and_no_algorithm_sees_coordinates(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TOY_DIARY", str(tmp_path / "diary"))
    sizes = {}
    for split in ("random", "spatial"):
        (tmp_path / "diary").unlink(missing_ok=True)
        results = run(tmp_path / split, **FAMILY, tuning={**TUNING, "split": split})
        assert {row["status"] for row in results.rows} == {"ok"}
        fits = [json.loads(line) for line in (tmp_path / "diary").read_text().splitlines()]
        assert {fit["shape"][1] for fit in fits} == {3}
        sizes[split] = [fit["shape"][0] for fit in fits]
    # Blocks hold unequal numbers of rows; random folds differ by one.
    assert sizes["spatial"] != sizes["random"]


def test_random_folds_keep_the_keys_of_cells() -> None:
    plain, random, spatial = (
        [cell.key for cell in plan(**FAMILY, tuning={**TUNING, **more}).plan.cells]
        for more in ({}, {"split": "random"}, {"split": "spatial"})
    )
    assert plain == random
    assert not set(plain) & set(spatial)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"datasets": [{"use": "toy-blobs"}], "labellings": None}, "'toy-blobs' has no coordinates"),
        ({"tuning": {"criteria": ["puf"], "validation": 0.3, "split": "spatial"}}, "with a validation set"),
    ],
)
def test_what_cannot_be_split_by_place_is_named(changes, words) -> None:
    wanted = {**FAMILY, "tuning": {**TUNING, "split": "spatial"}, **changes}
    with pytest.raises(SuiteError, match=words):
        plan(**{name: value for name, value in wanted.items() if value is not None})


def test_coordinates_must_be_two_finite_numbers_for_each_row() -> None:
    from pubench import Data
    from pubench.data.checks import checked_data

    data = Data(np.zeros((3, 1)), np.array([0, 1, 1]), coordinates=np.zeros((3, 2)))
    assert checked_data("it", data).coordinates is not None
    for wrong in (np.zeros((2, 2)), np.zeros((3, 3)), np.full((3, 2), np.nan)):
        with pytest.raises(DataError, match="two finite numbers for each of the 3 rows"):
            checked_data("it", replace(data, coordinates=wrong))
