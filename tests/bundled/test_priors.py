"""The prior estimators as users call them: right where their assumptions hold, refused or doubting elsewhere."""

from __future__ import annotations

import re

import numpy as np
import pytest
from pubench_datasets.synthetic import checkerboard, gaussians, moons, topics, trifurcate
from pubench_priors import scoring
from pubench_priors.problem import Problem
from pubench_priors.scoring import fold_numbers, score_rows
from scipy.sparse import csr_array
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from pubench import PriorEstimate, estimate_prior
from pubench.data.labelling import Labelling, assign
from pubench.errors import PriorError, UnknownNameError
from pubench.plugins.discovery import discover

BOTH = ("bbe", "dedpul", "km2", "pen-l1", "profile")
SINGLE = ("elkan-noto-e1", "elkan-noto-e2", "elkan-noto-e3", "tice")
EVERY = [(name, "case-control") for name in BOTH] + [(name, "single-training-set") for name in BOTH + SINGLE]
APART = {
    # What e1 and e2 assume holds here as well: the classes do not overlap.
    "gaussians": lambda seed: gaussians(n=6000, d=5, prior=0.3, separation=6.0, seed=seed),
    "checkerboard": lambda seed: checkerboard(n=6000, cells=2, prior=0.3, seed=seed),
    "moons": lambda seed: moons(n=6000, prior=0.3, spread=0.05, seed=seed),
    "trifurcate": lambda seed: trifurcate(mean_p2=50.0, n=6000, prior=0.2, seed=seed),
    "topics": lambda seed: topics(n=6000, prior=0.3, length=200.0, vocabulary=500, separation=1.0, seed=seed),
}


def labelled(data, scenario, frequency=0.6, seed=0):
    """Return X, s and the true prior: all rows but a few for testing, labelled as suites do."""
    y = (np.asarray(data.target) == 1).astype(np.uint8)
    labelling = Labelling(scenario, frequency=frequency, test=0.01)
    rngs = {"split_rng": np.random.default_rng(seed), "label_rng": np.random.default_rng(seed + 1)}
    made = assign(y, labelling, **rngs)
    return data.X[made.train], made.s, made.prior


def clouds(n_p=300, n_u=600, alpha=0.4, delta=6.0, seed=0):
    """Return case-control rows of two Gaussians, quick to score, and s."""
    rng = np.random.default_rng(seed)
    y = np.r_[np.ones(n_p), np.arange(n_u) < alpha * n_u]
    return rng.standard_normal((n_p + n_u, 2)) + [delta, 0] * y[:, None], (np.arange(n_p + n_u) < n_p).astype(
        int
    )


def test_the_estimators_are_registered_with_what_they_assume():
    found = discover().all("priors")
    assert set(BOTH + SINGLE) <= set(found)
    for name in BOTH + SINGLE:
        spec = found[name].spec
        assert spec.scenarios == (
            ("single-training-set",) if name in SINGLE else ("case-control", "single-training-set")
        )
        assert spec.assumes
        assert spec.paper
        assert spec.version


@pytest.mark.parametrize(
    ("name", "scenario"), [*EVERY[::2], *(pytest.param(*one, marks=pytest.mark.slow) for one in EVERY[1::2])]
)
def test_an_estimate_is_near_the_truth_and_holds_it(name, scenario):
    X, s, prior = labelled(gaussians(n=4000, d=2, prior=0.3, separation=6.0, seed=2), scenario)
    found = estimate_prior(X, s, scenario=scenario, estimator=name, random_state=0, classifier="logistic")
    assert isinstance(found, PriorEstimate)
    assert found.value == pytest.approx(prior, abs=0.05)
    assert found.low <= prior <= found.high
    assert found.low <= found.value <= found.high
    assert found.high - found.low < 0.15
    assert found.level == 0.9
    assert found.doubts == ()
    assert float(found) == found.value


@pytest.mark.slow
@pytest.mark.parametrize(("name", "scenario"), EVERY)
def test_the_same_seed_gives_the_same_bits(name, scenario):
    X, s = clouds(60, 150)
    one, two, other = (
        estimate_prior(X, s, scenario=scenario, estimator=name, random_state=seed, n_resamples=20)
        for seed in (1, 1, 2)
    )
    assert one == two
    assert (one.low, one.high) != (other.low, other.high)


def test_generators_and_random_states_are_seeds_too():
    X, s = clouds(60, 150)
    for make in (np.random.RandomState, np.random.default_rng):
        one, two = (
            estimate_prior(X, s, scenario="case-control", random_state=make(5), n_resamples=20)
            for _ in range(2)
        )
        assert one == two


@pytest.mark.parametrize("name", SINGLE)
def test_estimators_of_the_label_frequency_refuse_case_control_data(name):
    with pytest.raises(PriorError, match=rf"prior estimator '{name}' does not support case-control data"):
        estimate_prior(*clouds(), scenario="case-control", estimator=name)
    function = discover().prior(name).spec
    from pubench.plugins.imports import resolve

    with pytest.raises(PriorError, match="is made for single-training-set data, not for case-control data"):
        resolve(function.function)(*clouds(), scenario="case-control", random_state=0, **function.params)


@pytest.mark.parametrize(("name", "scenario"), EVERY)
def test_one_labelled_row_is_refused_in_one_sentence(name, scenario):
    X, s = clouds(1, 40)
    with pytest.raises(
        PriorError, match=r"1 labelled row cannot determine the class prior; give at least 2"
    ) as caught:
        estimate_prior(X, s, scenario=scenario, estimator=name)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "scenario"), EVERY)
def test_a_handful_of_rows_gives_an_estimate_that_doubts(name, scenario):
    found = estimate_prior(*clouds(3, 12), scenario=scenario, estimator=name, random_state=0)
    assert 0 < found.value < 1
    assert "fewer than 50 labelled rows" in found.doubts


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.0, 0.01, 0.99, 1.0])
@pytest.mark.parametrize(("name", "scenario"), EVERY)
def test_priors_at_the_edge(name, scenario, alpha):
    X, s = clouds(400, 800, alpha=alpha)
    found = estimate_prior(X, s, scenario=scenario, estimator=name, random_state=0, n_resamples=20)
    n_p, n_u = 400, round(alpha * 800)
    truth = n_u / 800 if scenario == "case-control" else (n_p + n_u) / 1200
    assert 0 < found.value < 1
    # TIcE's is a bound, and at the edges the others see noise only.
    assert found.value == pytest.approx(truth, abs=0.2 if name in ("tice", "km2", "pen-l1") else 0.12)
    if alpha == 1.0:
        assert any("cannot be told" in doubt or "upper edge" in doubt for doubt in found.doubts)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "scenario"), EVERY)
def test_where_positives_are_nowhere_pure_only_profile_holds_the_truth(name, scenario):
    X, s, prior = labelled(gaussians(n=4000, d=2, prior=0.3, separation=1.0, seed=3), scenario)
    found = estimate_prior(X, s, scenario=scenario, estimator=name, random_state=0, n_resamples=20)
    assert (found.low <= prior <= found.high) == (name == "profile")
    if name != "profile":
        assert found.value > prior


@pytest.mark.slow
@pytest.mark.parametrize(("name", "scenario"), EVERY)
def test_rows_that_say_nothing_are_doubted(name, scenario):
    rng = np.random.default_rng(0)
    X, s = rng.standard_normal((600, 3)), (np.arange(600) < 200).astype(int)
    found = estimate_prior(X, s, scenario=scenario, estimator=name, random_state=0, n_resamples=20)
    assert any("cannot be told" in doubt for doubt in found.doubts)


BAD = {
    "labels": (lambda X, s: (X, s + np.arange(900) % 2), "labels must be 1 (labelled) and 0 (unlabelled)"),
    "lengths": (lambda X, s: (X, s[1:]), "900 rows but 899 labels"),
    "no U": (lambda X, s: (X, np.ones_like(s)), "0 unlabelled rows cannot determine"),
    "one row": (lambda X, s: (np.where(s[:, None] == 1, X[-1], X), s), "all labelled rows are the same row"),
    "holes": (lambda X, s: (csr_array(np.where(X > 7, np.nan, X)), s), "cannot take these missing values"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_in_one_sentence(case):
    spoil, message = BAD[case]
    with pytest.raises(PriorError, match=re.escape(message)):
        estimate_prior(*spoil(*clouds()), scenario="case-control")


def test_bad_parameters_are_told_in_one_sentence():
    asked = {
        "level": (1.5, "level = 1.5 must lie strictly between 0 and 1"),
        "folds": (1, "folds = 1 must be a whole number of at least 2"),
        "n_resamples": (3, "n_resamples = 3 must be"),
        "classifier": ("trees", "classifier 'trees' is unknown; give one of auto, logistic, boosting"),
        "clasifier": (
            "auto",
            "prior estimator 'bbe' has no parameter 'clasifier'; did you mean 'classifier'?",
        ),
    }
    for name, (value, message) in asked.items():
        with pytest.raises(PriorError, match=re.escape(message)):
            estimate_prior(*clouds(), scenario="case-control", estimator="bbe", **{name: value})
    with pytest.raises(PriorError, match="has no predict_proba"):
        estimate_prior(*clouds(), scenario="case-control", classifier=object())
    with pytest.raises(UnknownNameError, match="did you mean 'dedpul'"):
        estimate_prior(*clouds(), scenario="case-control", estimator="dedpull")
    with pytest.raises(PriorError, match="classifier LogisticRegression is a class; give an instance"):
        estimate_prior(*clouds(), scenario="case-control", classifier=LogisticRegression)
    with pytest.raises(
        PriorError, match="'sideways' is unknown; give one of case-control, single-training-set"
    ):
        estimate_prior(*clouds(), scenario="sideways")
    for state in ("a", -1, 0.5):
        with pytest.raises(
            PriorError, match=rf"random_state = {state!r} must be a whole number of at least 0"
        ):
            estimate_prior(*clouds(), scenario="case-control", random_state=state)


@pytest.mark.parametrize(
    "classes", [(-1, 1), (1, 2), (False, True), ("other", "positive"), (0.0, 1.0)], ids=str
)
def test_of_any_two_classes_the_larger_in_sort_order_is_labelled(classes):
    X, s = clouds(60, 150)
    asked = {"scenario": "case-control", "random_state": 0, "n_resamples": 20, "classifier": "logistic"}
    assert estimate_prior(X, np.array(classes)[s], **asked) == estimate_prior(X, s, **asked)


@pytest.mark.parametrize("n_p", [6, 20, 60])
def test_logistic_scores_are_the_same_of_dense_and_sparse_rows(n_p):
    X, s = clouds(n_p, 2 * n_p, delta=2.0)
    rows = np.where(np.abs(X) < 1.0, 0.0, X)
    dense, sparse = (
        score_rows(Problem(kind, s.astype(np.uint8), "case-control", 0, False), "logistic", 5)
        for kind in (rows, csr_array(rows))
    )
    assert dense == pytest.approx(sparse, abs=1e-3)


@pytest.mark.slow
def test_sparse_rows_and_missing_values():
    X, s = clouds()
    for name in BOTH:
        found = estimate_prior(csr_array(X), s, scenario="case-control", estimator=name, random_state=0)
        assert found.value == pytest.approx(0.4, abs=0.1)
    holed = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    assert estimate_prior(holed, s, scenario="case-control", random_state=0).value == pytest.approx(
        0.4, abs=0.1
    )
    for rows, message in (
        (csr_array(X), "cannot take sparse rows"),
        (holed, "missing values; impute them first"),
    ):
        with pytest.raises(PriorError, match=message):
            estimate_prior(rows, s, scenario="single-training-set", estimator="tice")
    with pytest.raises(PriorError, match="classifier 'boosting' cannot take sparse rows"):
        estimate_prior(csr_array(X), s, scenario="case-control", classifier="boosting")


def test_a_classifier_may_be_given():
    X, s = clouds()
    own = LogisticRegression(C=10.0)
    found = estimate_prior(X, s, scenario="case-control", classifier=own, random_state=0)
    assert found.value == pytest.approx(0.4, abs=0.05)
    assert not hasattr(own, "coef_")


def problem(X, s, seed=0):
    return Problem(np.asarray(X, dtype=float), np.asarray(s, dtype=np.uint8), "case-control", seed, False)


def test_scores_never_come_from_a_model_that_saw_the_row():
    # A classifier that only knows shares: out of fold it is never more than what is left of P.
    X, s = clouds(10, 30)
    scores = score_rows(problem(X, s), DummyClassifier(strategy="prior"), 5)
    number = fold_numbers(problem(X, s), 5)
    for fold in range(5):
        assert scores[number == fold] == pytest.approx(s[number != fold].mean())


@pytest.mark.parametrize("sparse", [False, True])
def test_a_labelled_row_and_its_copy_in_u_share_a_fold(sparse):
    rng = np.random.default_rng(0)
    U = rng.standard_normal((200, 3)) * (rng.random((200, 3)) < [1.0, 0.5, 0.5])
    chosen = np.r_[np.arange(20, 60), 33, 33]
    X, s = np.r_[U[chosen], U], (np.arange(242) < 42).astype(np.uint8)
    rows = Problem(csr_array(X) if sparse else X, s, "case-control", 3, False)
    number = fold_numbers(rows, 5)
    assert (number[:42] == number[42:][chosen]).all()
    assert set(np.bincount(number)) <= set(range(40, 58))


def test_of_many_equal_rows_one_goes_with_each_labelled_one():
    X, s = np.repeat([[0.0], [1.0]], [100, 100], axis=0), np.tile([1, 0, 0, 0], 50)
    number = fold_numbers(problem(X, s), 5)
    # Data of two values are no copies of one another: every fold has both values, labelled and not.
    for fold in range(5):
        held = number == fold
        assert {(x, label) for x, label in zip(X[held, 0], s[held], strict=True)} == {
            (0, 0),
            (0, 1),
            (1, 0),
            (1, 1),
        }


@pytest.mark.slow
@pytest.mark.parametrize("kind", APART)
@pytest.mark.parametrize(("name", "scenario"), EVERY)
def test_estimators_are_within_a_twentieth_where_their_assumptions_hold(name, scenario, kind):
    X, s, prior = labelled(APART[kind](1), scenario, seed=1)
    if name == "tice" and not isinstance(X, np.ndarray):
        X = X.toarray()
    found = estimate_prior(X, s, scenario=scenario, estimator=name, random_state=0)
    assert found.value == pytest.approx(prior, abs=0.05)


def plane(apart, scenario, seed, n=3000, prior=0.3):
    """Return rows of two Gaussians, ``apart`` deviations from each other, and s; six positives of ten are labelled."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prior
    X = rng.standard_normal((n, 2)) + [apart, 0.0] * y[:, None]
    if scenario == "single-training-set":
        return X, (y & (rng.random(n) < 0.6)).astype(int)
    n_p = int(0.6 * prior * n)
    X = np.r_[np.add(rng.standard_normal((n_p, 2)), [apart, 0.0]), X]
    return X, (np.arange(n_p + n) < n_p).astype(int)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize(("name", "scenario"), EVERY)
def test_no_interval_is_a_point_where_nothing_or_everything_is_positive(name, scenario, alpha):
    # Twelve deviations apart: every resample says the same.
    X, s = clouds(100, 300, alpha=alpha, delta=12.0)
    found = estimate_prior(X, s, scenario=scenario, estimator=name, random_state=0, n_resamples=20)
    assert found.high - found.low > 0.005
    # A hundred labelled rows and none alike among 300: more than a few in a hundred would be a wonder.
    if alpha == 0.0 and name != "tice":
        assert found.high - found.low < 0.12
    # No prior is 0 or 1: half a row is the least.
    truth = abs(alpha - 0.5 / len(s)) if scenario == "case-control" or alpha else 0.25
    assert found.doubts or found.low <= truth <= found.high


@pytest.mark.slow
@pytest.mark.parametrize("apart", [6.0, 4.0, 3.0])
@pytest.mark.parametrize(("name", "scenario"), EVERY)
def test_intervals_cover_the_truth_about_as_often_as_they_say(name, scenario, apart):
    inside, doubted = [], []
    for seed in range(40):
        X, s = plane(apart, scenario, seed + 1000)
        options = {"classifier": "logistic", "n_resamples": 50, "level": 0.9}
        found = estimate_prior(X, s, scenario=scenario, estimator=name, random_state=seed, **options)
        inside.append(found.low <= 0.3 <= found.high)
        doubted.append(bool(found.doubts))
    # 40 tosses of 0.9: two and a half standard errors are 0.12. The bounds of TIcE cover more than they say.
    assert np.mean(inside) >= 0.78
    if apart == 6.0:
        assert not any(doubted)


@pytest.mark.parametrize("delta", [0, 1, -0.1, 5, float("nan"), "small", None])
def test_bbe_refuses_a_delta_that_is_no_probability(delta):
    X, s = clouds(50, 100)
    with pytest.raises(PriorError, match=r"delta = .* strictly between 0 and 1"):
        estimate_prior(X, s, scenario="case-control", estimator="bbe", delta=delta)


@pytest.mark.parametrize(("n", "folds"), [(15_000, 5), (15_001, 2)])
def test_many_rows_are_scored_by_two_models(n, folds):
    X, s = np.random.default_rng(0).random((n, 1)), np.arange(n) % 7 == 0
    scores, number = (
        score_rows(problem(X, s), DummyClassifier(strategy="prior")),
        fold_numbers(problem(X, s), folds),
    )
    for fold in range(folds):
        assert scores[number == fold] == pytest.approx(s[number != fold].mean())


def test_of_very_many_rows_a_model_learns_from_a_sample_half_of_it_labelled_at_most():
    rows, others = problem(np.zeros((1_000, 1)), np.arange(1_000) < 400), np.arange(1_000) % 2 == 0
    for most, labelled in ((300, 150), (460, 200)):
        learned = scoring._learned_rows(others, rows, most)
        assert not (learned & ~others).any()
        assert (learned.sum(), rows.s[learned].sum()) == (most, labelled)
    assert (scoring._learned_rows(others, rows, 500) == others).all()
