"""Cells, seen from inside the learner: what it is given, how often it is called, what comes back."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.suites import plan, read_diary, run

from pubench.run.labels import label_job

CC, STS = {"scenario": "case-control", "positives": 10}, {"scenario": "single-training-set", "frequency": 0.5}
TUNED = [{"use": "toy", "tune": True}]
GRID = {"sampler": "grid", "folds": 2}


def search_fits(entries):
    """Return the fits that are not on all training rows."""
    largest = max(entry["shape"][0] for entry in entries)
    return [entry for entry in entries if entry["shape"][0] < largest]


def by_criterion(results):
    times = ("tune_seconds", "fit_seconds", "score_seconds", "peak_memory_mb")
    return {row["criterion"]: {k: v for k, v in row.items() if k not in times} for row in results.rows}


@pytest.mark.parametrize("sampler", ["grid", "random"])
def test_three_criteria_cost_one_search(tmp_path, diary, sampler):
    tuning = {"sampler": sampler, "folds": 2, "trials": 4}
    run(tmp_path / "one", algorithms=TUNED, tuning=tuning | {"criteria": ["puf"]})
    alone = len(search_fits(read_diary(diary)))
    diary.unlink()
    results = run(
        tmp_path / "three", algorithms=TUNED, tuning=tuning | {"criteria": ["puf", "pauc", "oracle-f1"]}
    )
    assert alone == 4 * 2
    assert len(search_fits(read_diary(diary))) == alone
    assert results.counts == {"ok": 3}


def test_criteria_that_choose_the_same_share_the_final_fit(tmp_path, diary):
    run(tmp_path, algorithms=TUNED, tuning=GRID | {"criteria": ["toy-high", "toy-prior-seen", "pauc"]})
    entries = read_diary(diary)
    final = [entry["shift"] for entry in entries if entry not in search_fits(entries)]
    # All of them choose the smallest shift, one because it sees no difference between the trials.
    assert final == [-2.0]


CRITERIA = ["puf", "pa", "toy-high", "toy-low", "oracle-accuracy", "toy-prior-seen"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "prior"),
    [({"use": "toy"}, "toy-guess"), ({"use": "toy-prior", "params": {"prior": 0.2}}, "true")],
)
def test_a_criterion_gives_the_same_alone_or_among_others(tmp_path, algorithm, prior):
    changes = {"algorithms": [algorithm | {"tune": True}], "prior": {"source": prior}, "labellings": [STS]}
    together = by_criterion(run(tmp_path / "all", **changes, tuning=GRID | {"criteria": CRITERIA}))
    for name in CRITERIA:
        alone = by_criterion(run(tmp_path / name, **changes, tuning=GRID | {"criteria": [name]}))
        assert alone[name] == together[name]


def test_criteria_choose_in_their_own_direction(tmp_path):
    found = by_criterion(run(tmp_path, algorithms=TUNED, tuning=GRID | {"criteria": ["toy-high", "toy-low"]}))
    assert found["toy-high"]["params"] == '{"shift": -2.0}'
    assert found["toy-low"]["params"] == '{"shift": 2.0}'


def test_an_oracle_chooses_by_the_truth_that_the_learner_never_sees(tmp_path, diary):
    criteria = ["oracle-recall", "oracle-precision"]
    changes = {"algorithms": TUNED, "labellings": [STS], "tuning": GRID | {"criteria": criteria}}
    found = by_criterion(run(tmp_path, **changes))
    # The lower the threshold, the higher the recall: only with y can the two be told apart.
    assert found["oracle-recall"]["params"] == '{"shift": -2.0}'
    assert found["oracle-recall"]["params"] != found["oracle-precision"]["params"]
    job = plan(**changes).jobs[0]
    labelled = label_job(job)
    assignment, truth = labelled.assignment, labelled.truth
    assert truth.train.sum() > assignment.s.sum()
    for entry in read_diary(diary):
        assert sum(entry["labels"]) <= assignment.s.sum()


def test_a_reference_learns_from_true_labels_of_the_population_sample(tmp_path, diary):
    for labelling in (CC, STS):
        diary.unlink(missing_ok=True)
        changes = {"algorithms": [{"use": "pn-toy"}], "labellings": [labelling]}
        run(tmp_path / labelling["scenario"], **changes)
        labelled = label_job(plan(**changes).jobs[0])
        assignment, truth = labelled.assignment, labelled.truth
        expected = truth.train[assignment.s == 0] if labelling is CC else truth.train
        assert read_diary(diary)[0]["labels"] == expected.tolist()


def test_a_pu_learner_gets_s(tmp_path, diary):
    run(tmp_path)
    assignment = label_job(plan().jobs[0]).assignment
    assert read_diary(diary)[0]["labels"] == assignment.s.tolist()


@pytest.mark.parametrize(("source", "expected"), [(0.125, 0.125), ("toy-guess", 0.25), ("true", 1 / 3)])
def test_the_prior_reaches_who_asks_for_it(tmp_path, diary, source, expected):
    algorithms = [
        {"use": "toy-prior"},
        {"use": "toy"},
        {"use": "toy-prior", "name": "own", "params": {"prior": 0.9}},
    ]
    rows = run(tmp_path, algorithms=algorithms, prior={"source": source}).rows
    fits = [entry["received"] for entry in read_diary(diary) if "received" in entry]
    assert fits[0]["prior"] == pytest.approx(expected)
    assert fits[1:] == [{}, {"prior": 0.9}]
    assert rows[0]["prior"] == pytest.approx(expected)
    assert [row["prior"] for row in rows[1:]] == [None, None]
    assert all(row["true_prior"] == pytest.approx(1 / 3) for row in rows)


def test_a_prior_estimator_is_called_once_with_the_training_rows_and_its_parameters(tmp_path, diary):
    prior = {"source": "toy-guess", "params": {"value": 0.4}}
    rows = run(tmp_path, algorithms=[{"use": "toy-prior", "tune": True}], prior=prior).rows
    guesses = [entry for entry in read_diary(diary) if "guess" in entry]
    assert guesses == [{"guess": 0.4, "scenario": "case-control", "rows": rows[0]["n_p"] + rows[0]["n_u"]}]


def test_a_prior_outside_0_1_fails_only_what_uses_it(tmp_path):
    prior = {"source": "toy-guess", "params": {"value": 1.5}}
    algorithms = [{"use": "toy-prior"}, {"use": "toy", "tune": True}]
    results = run(tmp_path, algorithms=algorithms, prior=prior, tuning=GRID | {"criteria": ["puf", "pa"]})
    assert [row["status"] for row in results.rows] == ["failed", "ok", "failed"]
    assert "prior estimator 'toy-guess' returned 1.5, which is not inside (0, 1)" in results.rows[0]["error"]


def test_scenario_and_seed_are_filled_in_and_replicates_differ(tmp_path, diary):
    run(tmp_path, algorithms=[{"use": "toy-seeded"}], labellings=[STS], replicates=2)
    first, second = (entry["received"] for entry in read_diary(diary))
    assert first["scenario"] == "single-training-set"
    assert 0 <= first["random_state"] < 2**32
    assert first["random_state"] != second["random_state"]
    draws = [entry["draw"] for entry in read_diary(diary)]
    assert draws[0] != draws[1]


@pytest.mark.parametrize("scenario", ["case-control", "single-training-set"])
@pytest.mark.parametrize("name", ["toy-counted", "pn-toy-counted"])
def test_the_number_of_labelled_rows_is_that_of_the_fit(tmp_path, diary, scenario, name):
    """A reference cannot count them: it sees true labels, and in case-control no row of P."""
    labelling = {"scenario": scenario, "positives": 10}
    results = run(
        tmp_path,
        algorithms=[{"use": name, "tune": True}],
        tuning={"sampler": "grid", "trials": 1, "folds": 5, "criteria": ["puf"]},
        labellings=[labelling],
    )
    assert results.counts == {"ok": 1}
    *folds, last = read_diary(diary)
    assert len(folds) == 5
    assert [entry["received"] for entry in folds] == [{"n_labelled": 8}] * 5
    assert last["received"] == {"n_labelled": 10}
    if name == "toy-counted":
        assert [sum(entry["labels"]) for entry in (*folds, last)] == [8] * 5 + [10]


def test_preprocessing_is_fitted_on_the_fitting_rows_of_every_fit(tmp_path, diary):
    run(tmp_path, algorithms=TUNED, tuning=GRID | {"trials": 1}, labellings=[STS])
    entries = read_diary(diary)
    assert len(entries) == 3
    for entry in entries:
        np.testing.assert_allclose(entry["mean"], 0, atol=1e-12)
        np.testing.assert_allclose(entry["sd"], 1)


def test_a_fixed_validation_share_fits_once_per_trial_on_the_rest(tmp_path, diary):
    tuning = {"sampler": "grid", "validation": 0.25}
    results = run(tmp_path, algorithms=TUNED, tuning=tuning, labellings=[STS])
    n = results.rows[0]["n_p"] + results.rows[0]["n_u"]
    searched = search_fits(read_diary(diary))
    assert len(searched) == 5
    assert all(entry["shape"][0] == pytest.approx(0.75 * n, abs=1) for entry in searched)


def test_sparse_missing_and_categorical_rows_go_all_the_way(tmp_path, diary):
    raw = {"impute": "none", "categorical": "codes", "scale": "none"}
    datasets = [{"use": f"toy-{name}", "preprocess": raw} for name in ("sparse", "holed", "coded")]
    assert run(tmp_path, datasets=datasets, algorithms=[{"use": "toy-any"}]).counts == {"ok": 3}
    sparse, holed, coded = read_diary(diary)
    assert [entry["sparse"] for entry in (sparse, holed, coded)] == [True, False, False]
    assert holed["holes"] > 0
    assert coded["received"] == {"categorical_features": [1]}
    assert 0 <= coded["mean"][1] <= 3


def test_one_hot_columns_are_no_longer_categorical_features(tmp_path, diary):
    run(tmp_path, datasets=[{"use": "toy-coded"}], algorithms=[{"use": "toy-any"}])
    (entry,) = read_diary(diary)
    assert entry["shape"][1] == 3 - 1 + 4
    assert entry["received"] == {"categorical_features": []}


def test_choices_arrive_as_they_were_written(tmp_path):
    results = run(tmp_path, algorithms=[{"use": "toy-modes", "tune": True}])
    assert results.counts == {"ok": 1}


def test_times_memory_sizes_and_notes_are_recorded(tmp_path):
    many = CC | {"positives": 200}
    (row,) = run(tmp_path, algorithms=TUNED, labellings=[many]).rows
    assert row["tune_seconds"] > 0
    assert row["fit_seconds"] > 0
    assert row["score_seconds"] > 0
    assert 5 < row["peak_memory_mb"] < 1000
    assert (row["n_p"], row["n_u"], row["n_test"]) == (200, 63, 27)
    assert "with replacement" in row["notes"]


def test_the_datas_own_split_is_kept(tmp_path):
    (row,) = run(tmp_path, datasets=[{"use": "toy-split"}], labellings=[STS | {"test": "given"}]).rows
    assert (row["n_p"] + row["n_u"], row["n_test"]) == (60, 30)


def test_rows_are_sampled_as_asked(tmp_path):
    data = {"use": "toy-blobs", "sample": {"positive": 20, "negative": 30}}
    (row,) = run(tmp_path, datasets=[data], labellings=[STS]).rows
    assert row["n_p"] + row["n_u"] + row["n_test"] == 50
    assert row["true_prior"] == pytest.approx(0.4)
