"""Mechanisms with a strength: their mean propensity is the frequency asked for, and draws have these propensities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pubench.data.labelling import MECHANISMS, Labelling, Mechanism, Sar, Scar, assign
from pubench.data.labelling.mechanisms.attributes import Attributes
from pubench.data.labelling.mechanisms.drawing import systematic_draw, weighted_draw
from pubench.data.labelling.mechanisms.logistic import Direction, Feature, Groups
from pubench.data.labelling.mechanisms.posterior import Easy, Hard
from pubench.data.labelling.mechanisms.solving import capped, logistic, race, solve
from pubench.errors import DataError

SOLVED = [mechanism for name, mechanism in MECHANISMS.items() if name not in ("scar", "sar")]
seeds = st.integers(0, 2**32 - 1)


def rows(n: int = 200, d: int = 4, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(np.uint8)
    return rng.normal(size=(n, d)) + y[:, np.newaxis], y


def propensities(
    mechanism: Mechanism, X: Any, y: NDArray[np.uint8], c: float = 0.3, seed: int = 0
) -> NDArray[np.float64]:
    return mechanism.propensities(lambda: X, y, c, np.random.default_rng(seed))


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(SOLVED), st.floats(0.0, 100.0), st.floats(0.005, 0.995), seeds, st.sampled_from([30, 200])
)
def test_the_mean_propensity_of_the_positives_is_the_frequency(
    mechanism: type[Mechanism], strength: float, frequency: float, seed: int, n: int
) -> None:
    X, y = rows(n, seed=seed)
    e = propensities(mechanism(strength=strength), X, y, frequency, seed)  # type: ignore[call-arg]
    assert e.shape == (n,)
    assert e.min() > 0
    assert e.max() < 1
    assert abs(e[y == 1].mean() - frequency) < 1e-6


@pytest.mark.parametrize("link", [logistic, capped, race])
@given(seeds, st.floats(0.01, 0.99), st.floats(0.0, 1e3))
@settings(max_examples=30, deadline=None)
def test_solving_shifts_scores_and_keeps_their_order(
    link: Any, seed: int, frequency: float, size: float
) -> None:
    rng = np.random.default_rng(seed)
    score, y = size * rng.normal(size=50), (np.arange(50) % 2).astype(np.uint8)
    e = solve(link, score, y, frequency)
    assert abs(e[y == 1].mean() - frequency) < 1e-6
    assert (np.diff(e[np.argsort(score)]) >= 0).all()


@pytest.mark.parametrize("mechanism", SOLVED)
def test_strength_0_is_scar(mechanism: type[Mechanism]) -> None:
    X, y = rows()
    e = propensities(mechanism(strength=0.0), X, y)  # type: ignore[call-arg]
    np.testing.assert_allclose(e, 0.3, atol=1e-9)


@pytest.mark.parametrize("mechanism", SOLVED)
def test_a_larger_strength_spreads_propensities(mechanism: type[Mechanism]) -> None:
    X, y = rows()
    spread = [propensities(mechanism(strength=a), X, y)[y == 1].std() for a in (0.5, 2.0, 8.0)]  # type: ignore[call-arg]
    assert spread == sorted(spread)
    assert spread[0] < 0.7 * spread[2]


def test_easy_and_hard_go_with_and_against_the_class() -> None:
    X, y = rows(600)
    typical = X.sum(axis=1)[y == 1]
    assert np.corrcoef(typical, propensities(Easy(), X, y)[y == 1])[0, 1] > 0.5
    assert np.corrcoef(typical, propensities(Hard(), X, y)[y == 1])[0, 1] < -0.5


def test_easy_is_a_capped_power_of_the_posterior() -> None:
    """Two rows without a cap differ by the power of the ratio of their probabilities."""
    X, y = rows(400, d=1)
    one, two = (propensities(Easy(strength=a), X, y, 0.05) for a in (1.0, 2.0))
    assert max(one.max(), two.max()) < 0.999
    np.testing.assert_allclose((one / one[0]) ** 2, two / two[0], rtol=1e-6)


@pytest.mark.parametrize("mechanism", [Easy, Hard])
def test_random_labels_bound_the_propensity_from_below(mechanism: type[Easy | Hard]) -> None:
    """With none of them, half the positives may have no chance of a label, and no weight makes up for that."""
    X, y = rows(400)
    none, some, all_random = (propensities(mechanism(50.0, random=r), X, y)[y == 1] for r in (0.0, 0.2, 1.0))
    assert none.min() < 1e-6
    assert some.min() >= 0.06
    np.testing.assert_allclose([none.mean(), some.mean()], 0.3, atol=1e-6)
    np.testing.assert_allclose(some, 0.06 + 0.8 * none, atol=1e-9)
    np.testing.assert_allclose(all_random, 0.3)


def test_keys_hold_the_share_of_random_labels_only_if_it_is_set() -> None:
    assert Hard(5.0).parameters() == {"hard_strength": 5.0}
    assert Hard(5.0, random=0.2).parameters() == {"hard_strength": 5.0, "hard_random": 0.2}
    assert [Hard(5.0).label, Hard(5.0, random=0.2).label] == ["hard 5", "hard 5 random 0.2"]


def test_a_feature_mechanism_depends_on_its_column_only() -> None:
    X, y = rows()
    other = X.copy()
    other[:, [0, 1, 3]] = 7.0
    mechanism = Feature(column=2)
    np.testing.assert_array_equal(propensities(mechanism, X, y), propensities(mechanism, other, y))
    e = propensities(mechanism, X, y)
    z = (X[:, 2] - X[y == 1, 2].mean()) / X[y == 1, 2].std()
    odds = np.log(e / (1 - e))
    np.testing.assert_allclose(odds - odds[0], 2.0 * (z - z[0]), atol=1e-6)
    with pytest.raises(DataError, match=r"feature.column = 9, but the data have columns 0 to 3"):
        propensities(Feature(column=9), X, y)


def test_groups_have_one_propensity_each() -> None:
    X, y = rows(400)
    X[:, 1] = np.arange(400) % 3
    e = propensities(Groups(column=1), X, y)
    assert [len(np.unique(e[X[:, 1] == k])) for k in range(3)] == [1, 1, 1]
    assert len(np.unique(e)) == 3
    assert len(np.unique(propensities(Groups(groups=5), X, y))) == 5


def test_attributes_are_a_geometric_mean() -> None:
    """Bekker et al. (2019): with every factor between .2 and .8, propensities differ by a factor of at most 4."""
    X, y = rows(400)
    e = propensities(Attributes(np.log(4.0), number=3), X, y, 0.1)
    assert 1.5 < e.max() / e.min() < 4
    one = propensities(Attributes(np.log(4.0), number=1), X, y, 0.1)
    assert one.max() / one.min() == pytest.approx(4.0)


@pytest.mark.parametrize("mechanism", SOLVED)
def test_missing_constant_and_sparse_features(mechanism: type[Mechanism]) -> None:
    X, y = rows(120)
    X[::7, 1] = np.nan
    X = np.column_stack([X, np.full(120, 3.0), np.full(120, np.nan)])
    for matrix in (X, csr_array(np.maximum(rows(120)[0], 0)), np.ones((120, 2))):
        e = propensities(mechanism(), matrix, y)
        assert abs(e[y == 1].mean() - 0.3) < 1e-6


@pytest.mark.parametrize("count", [1, 3, 7])
def test_systematic_draws_have_exactly_the_propensities(count: int) -> None:
    y = np.array([1, 1, 0, 1, 1, 1, 0, 1, 1, 1], dtype=np.uint8)
    e = solve(logistic, np.linspace(-2, 2, 10), y, count / 8)
    hits, repeats = np.zeros(10), 4000
    for seed in range(repeats):
        labelled = systematic_draw(e, y, count, np.random.default_rng(seed)).labelled
        assert len(set(labelled)) == count
        hits[labelled] += 1
    deviation = np.abs(hits / repeats - e * y)
    assert (deviation <= 4.5 * np.sqrt(e * (1 - e) / repeats)).all()


def test_weighted_draws_have_nearly_the_propensities_of_exponential_clocks() -> None:
    y = np.ones(200, dtype=np.uint8)
    score = np.linspace(-2, 2, 200)
    drawn = [weighted_draw(score, y, 60, np.random.default_rng(seed)) for seed in range(1500)]
    hits = np.bincount(np.concatenate([one.labelled for one in drawn]), minlength=200) / 1500
    assert drawn[0].propensity.mean() == pytest.approx(0.3)
    assert np.abs(hits - drawn[0].propensity).max() < 5 * np.sqrt(0.25 / 1500)


@pytest.mark.parametrize("mechanism", [Scar(), Sar(), Easy(), Direction()])
def test_an_assignment_knows_the_propensity_of_every_training_row(mechanism: Mechanism) -> None:
    X, y = rows(300)
    for labelling in (
        Labelling("single-training-set", frequency=0.3, mechanism=mechanism),
        Labelling("case-control", 20, mechanism=mechanism, test_from="unlabelled"),
        Labelling("case-control", 500, mechanism=mechanism),
        Labelling("single-training-set", frequency=1.0, mechanism=mechanism),
    ):
        rngs = [np.random.default_rng(seed) for seed in (1, 2)]
        found = assign(y, labelling, split_rng=rngs[0], label_rng=rngs[1], features=lambda: X)
        assert found.propensity is not None
        assert found.propensity.shape == found.train.shape
        assert np.isfinite(found.propensity).all()
        assert found.propensity.max() <= 1
        if labelling.scenario == "single-training-set":
            positive = y[found.train] == 1
            assert found.propensity[positive].mean() == pytest.approx(
                found.s.sum() / positive.sum(), abs=1e-6
            )


def test_real_labels_have_no_propensity() -> None:
    s = np.arange(40, dtype=np.uint8) % 2
    rngs = [np.random.default_rng(seed) for seed in (1, 2)]
    labelling = Labelling("single-training-set", "given")
    assert assign(s, labelling, split_rng=rngs[0], label_rng=rngs[1]).propensity is None


def test_labels_name_the_strength() -> None:
    labelling = Labelling("single-training-set", frequency=0.3, mechanism=Hard(2.5))
    assert labelling.label == "single-training-set c=0.3 hard 2.5"
    assert labelling.identity()["hard_strength"] == 2.5
