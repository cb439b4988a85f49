from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pubench.data.labelling import MECHANISMS, Labelling, Mechanism, Sar, Scar, assign, check_counts
from pubench.data.values import Assignment
from pubench.errors import DataError

seeds = st.integers(0, 2**32 - 1)


def classes(n_positive: int, n_negative: int) -> NDArray[np.uint8]:
    return np.repeat(np.array([1, 0], dtype=np.uint8), [n_positive, n_negative])


def run(
    y: NDArray[np.uint8],
    labelling: Labelling,
    seed: int = 0,
    split: NDArray[Any] | None = None,
    features: Callable[[], Any] | None = None,
    label_seed: int | None = None,
) -> Assignment:
    label_seed = seed if label_seed is None else label_seed
    return assign(
        y,
        labelling,
        split_rng=np.random.default_rng([1, seed]),
        label_rng=np.random.default_rng([2, label_seed]),
        split=split,
        features=features,
    )


def parts(a: Assignment) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    return a.train[a.s == 1], a.train[a.s == 0], a.test


@st.composite
def labellings(draw: st.DrawFn) -> Labelling:
    protocol: tuple[Any, Any] = draw(
        st.sampled_from(
            [
                ("case-control", "population"),
                ("case-control", "unlabelled"),
                ("single-training-set", "population"),
            ]
        )
    )
    size: dict[str, Any] = draw(
        st.one_of(
            st.builds(lambda n: {"positives": n}, st.integers(1, 40)),
            st.builds(lambda c: {"frequency": c}, st.floats(0.001, 1.0)),
        )
    )
    scenario, test_from = protocol
    test: Any = draw(st.floats(0.01, 0.99))
    if test_from == "population" and draw(st.integers(0, 3)) == 0:
        test = "given"
    return Labelling(scenario, **size, test=test, test_from=test_from)


def given_counts(y: NDArray[np.uint8], split: NDArray[Any]) -> tuple[int, int]:
    return int((y[split == "train"] == 1).sum()), int((y[split == "train"] == 0).sum())


def message(call: Callable[[], object]) -> str | None:
    try:
        call()
    except DataError as error:
        return str(error)
    return None


@settings(max_examples=200, deadline=None)
@given(labellings(), st.integers(0, 30), st.integers(0, 30), seeds)
def test_the_plan_raises_the_same_errors_as_assign(
    labelling: Labelling, n_positive: int, n_negative: int, seed: int
) -> None:
    y = np.random.default_rng(seed).permutation(classes(n_positive, n_negative))
    split = np.where(np.random.default_rng(seed).random(y.size) < 0.6, "train", "test")
    planned = message(lambda: check_counts(n_positive, n_negative, labelling, given=given_counts(y, split)))
    done = message(lambda: run(y, labelling, seed, split))
    assert planned == done
    if labelling.test == "given" and done is None:
        check_counts(n_positive, n_negative, labelling)


@settings(max_examples=200, deadline=None)
@given(labellings(), st.integers(2, 40), st.integers(2, 40), seeds)
def test_every_assignment_is_sound(labelling: Labelling, n_positive: int, n_negative: int, seed: int) -> None:
    y = np.random.default_rng(seed).permutation(classes(n_positive, n_negative))
    split = np.where(np.arange(y.size) % 3 > 0, "train", "test")
    if message(lambda: check_counts(n_positive, n_negative, labelling, given=given_counts(y, split))):
        return
    a = run(y, labelling, seed, split)
    p, u, test = parts(a)
    assert a.s.dtype == np.uint8
    assert (np.diff(a.s.astype(int)) <= 0).all()
    assert p.size >= 1
    assert y[p].all()
    assert not set(a.train) & set(test)
    assert set(y[test]) == {0, 1}
    assert set(y[a.train]) == {0, 1}
    assert 0 < a.prior < 1
    assert set(p) | set(u) | set(test) == set(range(y.size))
    assert len(set(u)) == u.size
    if labelling.positives is not None:
        assert p.size == labelling.positives
    single = labelling.scenario == "single-training-set"
    if labelling.test_from == "unlabelled" or single:
        assert not set(p) & set(u)
        assert len(set(p)) == p.size
    else:
        assert set(p) <= set(u)
    population = a.train if single else u
    assert a.prior == pytest.approx(y[population].mean())
    assert bool(a.notes) == (
        p.size > y[population].sum() and not single and labelling.test_from == "population"
    )


def test_case_control_from_the_population() -> None:
    y = classes(100, 300)
    p, u, test = parts(run(y, Labelling("case-control", 50)))
    assert (p.size, u.size, test.size) == (50, 280, 120)
    p, *_ = parts(run(y, Labelling("case-control", frequency=0.25)))
    assert p.size == 18  # 0.25 of 70 training positives, halves up


def test_puals_real_data_protocol() -> None:
    """Section 4.2.3: of 168 positives 7/17 are labelled; 30 % of what is left tests; gamma becomes 0.5."""
    y = classes(170, 168)
    a = run(y, Labelling("case-control", frequency=7 / 17, test_from="unlabelled"))
    p, u, test = parts(a)
    assert (p.size, u.size, test.size) == (70, 188, 80)
    assert p.size / (p.size + y[u].sum()) == 0.5
    assert a.prior == y[u].mean() == 70 / 188


def test_puals_synthetic_protocol() -> None:
    """Section 4.1.2: 70 % train, a quarter of its positives labelled, the rest unlabelled."""
    y = classes(400, 400)
    a = run(y, Labelling("single-training-set", frequency=0.25))
    p, u, test = parts(a)
    assert (p.size, u.size, test.size) == (70, 490, 240)
    assert a.prior == 0.5


def test_all_positives_may_be_labelled_in_a_single_training_set() -> None:
    """Lee and Liu's alpha = 0: U is then the negatives."""
    y = classes(20, 30)
    p, u, _ = parts(run(y, Labelling("single-training-set", frequency=1.0)))
    assert p.size == 14
    assert not y[u].any()


def test_more_positives_than_available() -> None:
    y = classes(384, 300)
    a = run(y, Labelling("case-control", 1000))
    p, u, _ = parts(a)
    assert a.notes == ("1000 positives drawn with replacement from 269",)
    assert p.size == 1000
    assert len(set(p)) < 269
    every = run(y, Labelling("case-control", 269))
    assert set(parts(every)[0]) == set(u[y[u] == 1])
    assert every.notes == ()
    with pytest.raises(DataError, match=r"positives = 1000, but only 269 can be labelled; reduce positives"):
        run(y, Labelling("single-training-set", 1000))
    with pytest.raises(DataError, match=r"positives = 1000, but only 384 can be labelled; reduce positives"):
        run(y, Labelling("case-control", 1000, test_from="unlabelled"))


@pytest.mark.parametrize(
    ("n_positive", "n_negative", "words"),
    [
        (0, 9, "no positive row"),
        (9, 0, "no negative row"),
        (1, 9, "none of the 1 positive rows is left for the test part"),
        (9, 1, "none of the 1 negative rows is left for the test part"),
    ],
)
def test_missing_classes_are_named(n_positive: int, n_negative: int, words: str) -> None:
    with pytest.raises(DataError, match=words):
        run(classes(n_positive, n_negative), Labelling("case-control", 1))


def test_a_given_split_is_used_shuffled_and_required() -> None:
    y = np.tile(np.array([1, 0], dtype=np.uint8), 50)
    split = np.repeat(["train", "test"], 50)
    a = run(y, Labelling("case-control", 5, test="given"), split=split)
    assert set(a.train) == set(range(50))
    assert sorted(a.test) == list(range(50, 100))
    assert a.train[a.s == 0].tolist() != list(range(50))
    with pytest.raises(DataError, match="no split of its own; set a share"):
        run(y, Labelling("case-control", 5, test="given"))
    with pytest.raises(DataError, match="rows is left for the test part"):
        run(y, Labelling("case-control", 5, test="given"), split=np.repeat("train", 100))


def features_of(y: NDArray[np.uint8], d: int = 4, seed: int = 0) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=(y.size, d)) + y[:, np.newaxis]


@settings(max_examples=60, deadline=None)
@given(
    seeds,
    st.sampled_from(
        [
            ("case-control", "population"),
            ("case-control", "unlabelled"),
            ("single-training-set", "population"),
        ]
    ),
    st.sampled_from([Scar(), Sar(), Sar("direction")]),
)
def test_a_larger_p_contains_a_smaller_one_and_the_split_stays(
    seed: int, protocol: tuple[Any, Any], mechanism: Mechanism
) -> None:
    y = classes(60, 60)
    scenario, test_from = protocol
    chosen: set[int] = set()
    tests = []
    for count in (1, 7, 20, 42):
        labelling = Labelling(scenario, count, None, mechanism, 0.3, test_from)
        p, _, test = parts(run(y, labelling, seed, features=lambda: features_of(y)))
        assert chosen < set(p)
        chosen = set(p)
        tests.append(sorted(test))
    if test_from == "population":
        assert all(test == tests[0] for test in tests)


@settings(max_examples=50, deadline=None)
@given(seeds)
def test_a_larger_p_drawn_with_replacement_contains_a_smaller_one(seed: int) -> None:
    y = classes(30, 30)
    counts = [
        np.bincount(parts(run(y, Labelling("case-control", n), seed))[0], minlength=60) for n in (40, 70)
    ]
    assert (counts[0] <= counts[1]).all()


@settings(max_examples=50, deadline=None)
@given(seeds, seeds)
def test_the_split_depends_on_its_own_seed_only(seed: int, label_seed: int) -> None:
    y = classes(40, 60)
    labelling = Labelling("case-control", 10)
    one, other = run(y, labelling, seed), run(y, labelling, seed, label_seed=label_seed)
    np.testing.assert_array_equal(one.test, other.test)
    np.testing.assert_array_equal(parts(one)[1], parts(other)[1])


@pytest.mark.parametrize("count", [5, 40])
def test_scar_labels_all_positives_with_equal_probability_in_random_order(count: int) -> None:
    y = classes(20, 20)
    labelling = Labelling("case-control", count, test="given")
    split = np.tile(["train", "train", "train", "test"], 10)
    hits, first = np.zeros(40), np.zeros(40)
    for seed in range(3000):
        p, *_ = parts(run(y, labelling, seed, split))
        np.add.at(hits, p, 1)
        first[p[0]] += 1
    candidates = (y == 1) & (split == "train")
    expected = count / 15
    assert np.abs(hits[candidates] / 3000 - expected).max() < 5 * np.sqrt(expected / 3000)
    assert np.abs(first[candidates] / 3000 - 1 / 15).max() < 5 * np.sqrt(1 / 15 / 3000)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 7])
def test_sar_draws_the_exact_weighted_sample(count: int) -> None:
    """One draw takes row i with p_i = e_i / sum(e), a second one without it with p_i / (1 - p_j)."""
    y = classes(8, 8)
    x = np.array([0.0, 0.3, 0.5, 1.0, 2.0, 4.0, 1.0, 1.0])
    X = np.concatenate([x, x - 9.0])[:, np.newaxis]
    split = np.where(np.arange(16) % 8 < 6, "train", "test")
    e = 1 / (1 + np.exp(-2.0 * (x[:6] - x[:6].mean()) / x[:6].std()))
    p = e / e.sum()
    expected = {1: p, 2: p + p * (p / (1 - p)).sum() - p**2 / (1 - p), 7: 7 * p}[count]
    labelling = Labelling("case-control", count, None, Sar(), "given")
    drawn = [parts(run(y, labelling, seed, split, lambda: X))[0] for seed in range(3000)]
    hits = np.bincount(np.concatenate(drawn), minlength=6) / 3000
    assert np.abs(hits - expected).max() < 4 * np.sqrt(count * 0.25 / 3000)
    assert np.ptp(expected) > 10 * np.sqrt(count * 0.25 / 3000)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_sar_with_strength_0_is_scar(seed: int) -> None:
    y = classes(40, 40)
    scar = run(y, Labelling("single-training-set", 10), seed)
    sar = run(
        y,
        Labelling("single-training-set", 10, mechanism=Sar(strength=0.0)),
        seed,
        features=lambda: features_of(y),
    )
    np.testing.assert_array_equal(scar.train, sar.train)
    np.testing.assert_array_equal(scar.s, sar.s)


def test_linear_sar_prefers_typical_positives_more_the_stronger_it_is() -> None:
    y = classes(400, 400)
    X = features_of(y)
    typical = X.sum(axis=1)

    def mean_typical(strength: float) -> float:
        labelling = Labelling("case-control", 60, mechanism=Sar(strength=strength))
        drawn = [parts(run(y, labelling, seed, features=lambda: X))[0] for seed in range(20)]
        return float(np.mean([typical[p].mean() for p in drawn]))

    means = [mean_typical(strength) for strength in (-2.0, 0.0, 1.0, 4.0)]
    assert means == sorted(means)
    assert means[-1] - means[1] > 0.5


def test_random_direction_sar_is_symmetric_between_the_classes() -> None:
    y = classes(400, 400)
    X = features_of(y)
    typical = X.sum(axis=1)
    labelling = Labelling("case-control", 60, mechanism=Sar("direction"), test="given")
    split = np.tile(["train", "train", "train", "test"], 200)
    drawn = [parts(run(y, labelling, seed, split, lambda: X))[0] for seed in range(300)]
    means = np.array([typical[p].mean() for p in drawn])
    centre = typical[(y == 1) & (split == "train")].mean()
    assert abs(means.mean() - centre) < 4 * means.std() / np.sqrt(300)
    # Yet each single draw is far more one-sided than a uniform one would be.
    assert means.std() > 2 * typical[y == 1].std() / np.sqrt(60)


@pytest.mark.parametrize("model", ["linear", "direction"])
def test_sar_does_not_depend_on_test_rows(model: Any) -> None:
    y = np.random.default_rng(0).permutation(classes(50, 50))
    X = features_of(y)
    split = np.where(np.arange(100) % 4 > 0, "train", "test")
    labelling = Labelling("single-training-set", 9, mechanism=Sar(model), test="given")
    other_y, other_X = y.copy(), X.copy()
    other_y[split == "test"] = 1 - other_y[split == "test"]
    other_X[split == "test"] *= 100
    for seed in range(5):
        one = run(y, labelling, seed, split, lambda: X)
        other = run(other_y, labelling, seed, split, lambda: other_X)
        np.testing.assert_array_equal(one.train, other.train)


@pytest.mark.parametrize("model", ["linear", "direction"])
def test_sar_takes_missing_constant_and_sparse_features(model: Any) -> None:
    y = classes(60, 60)
    X = features_of(y)
    X[::7, 1] = np.nan
    X = np.column_stack([X, np.full(120, 3.0), np.full(120, np.nan)])
    labelling = Labelling("single-training-set", 10, mechanism=Sar(model))
    assert parts(run(y, labelling, features=lambda: X))[0].size == 10
    sparse = csr_array(np.maximum(features_of(y), 0))
    assert parts(run(y, labelling, features=lambda: sparse))[0].size == 10
    flat = np.ones((120, 2))
    assert parts(run(y, labelling, features=lambda: flat))[0].size == 10


@pytest.mark.parametrize("model", ["linear", "direction"])
def test_sparse_and_dense_features_give_the_same_labels(model: Any) -> None:
    """With columns of mean 0, so that leaving them uncentred changes nothing."""
    y = np.random.default_rng(0).permutation(classes(100, 100))
    split = np.tile(["train", "train", "train", "test"], 50)
    X = features_of(y)
    X -= X[split == "train"].mean(axis=0)
    labelling = Labelling("single-training-set", 30, mechanism=Sar(model), test="given")
    for seed in range(5):
        dense = run(y, labelling, seed, split, lambda: X)
        sparse = run(y, labelling, seed, split, lambda: csr_array(X))
        np.testing.assert_array_equal(dense.train, sparse.train)


def test_scar_does_not_use_features() -> None:
    def refuse() -> Any:
        raise AssertionError

    run(classes(20, 20), Labelling("case-control", 5), features=refuse)
    with pytest.raises(ValueError, match="'case-control n_p=5 sar' needs features"):
        run(classes(20, 20), Labelling("case-control", 5, mechanism=Sar()))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "exactly one of positives and frequency"),
        ({"positives": 3, "frequency": 0.5}, "exactly one of positives and frequency"),
        ({"positives": 0}, "positives = 0 must be at least 1"),
        ({"frequency": 1.5}, r"frequency = 1.5 must lie in \(0, 1\]"),
        ({"frequency": float("nan")}, "frequency = nan must lie"),
        ({"positives": 1, "test": 1.0}, "test = 1.0 must lie"),
        ({"positives": 1, "test": "gvien"}, "test = 'gvien' must lie"),
        ({"positives": 1, "mechanism": "scr"}, "must be a Mechanism such as Scar"),
        ({"positives": 1, "scenario": "case-contrl"}, "did you mean 'case-control'"),
        ({"positives": 1, "test_from": "unlabelled", "scenario": "single-training-set"}, "needs scenario"),
        ({"positives": 1, "test_from": "unlabelled", "test": "given"}, "test as a share"),
    ],
)
def test_a_labelling_checks_itself(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Labelling(**({"scenario": "case-control"} | fields))


def test_labels() -> None:
    assert Labelling("case-control", 100).label == "case-control n_p=100"
    sar = Labelling("single-training-set", frequency=0.25, mechanism=Sar())
    assert sar.label == "single-training-set c=0.25 sar"
    assert Labelling("case-control", 100, name="few").label == "few"


def test_stored_keys_depend_on_the_parameters_of_the_mechanism() -> None:
    """These digests are those of the first release: other ones would make users run finished cells again."""
    labelling = Labelling("case-control", 100, mechanism=Sar("direction", 3.0), name="few")
    assert labelling.identity() == {
        "scenario": "case-control",
        "positives": 100,
        "frequency": None,
        "mechanism": "sar",
        "test": 0.3,
        "test_from": "population",
        "sar_model": "direction",
        "sar_strength": 3.0,
        "name": "",
    }
    scar = Labelling("case-control", 100).identity()
    assert (scar["sar_model"], scar["sar_strength"]) == ("linear", 2.0)


def test_every_mechanism_describes_its_parameters() -> None:
    for name, mechanism in MECHANISMS.items():
        assert name == mechanism.name
        assert mechanism.summary
        assert all(parameter.metadata["description"] for parameter in fields(mechanism))
