"""Laws of the torch engine of uPU and nnPU: the same steps as NumPy's, and a CNN for images."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from pubench_risk.classifier import PURiskClassifier


def sample(n=240, d=5, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    X = rng.normal(size=(n, d)) + 1.2 * y[:, None]
    s = (y & (rng.random(n) < 0.5)).astype(int)
    return X, s, y


def images(n=160, side=8, channels=3, seed=0):
    """Return bright squares (positive) and dark ones among noise, as bytes."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.5
    X = rng.integers(0, 120, size=(n, side, side, channels))
    X[y, 2:6, 2:6] += 120
    s = (y & (rng.random(n) < 0.5)).astype(int)
    return X.reshape(n, -1).astype(np.uint8), s, y


@pytest.mark.parametrize("risk", ["nnpu", "upu"])
@pytest.mark.parametrize("model", ["mlp", "linear", "rbf"])
def test_torch_takes_the_steps_of_numpy(risk, model):
    X, s, _ = sample()
    params = {"prior": 0.4, "scenario": "single-training-set", "risk": risk, "model": model, "solver": "adam"}
    params |= {"epochs": 5, "average_epochs": 2, "units": 8, "n_centers": 10, "random_state": 0}
    fits = [PURiskClassifier(**params, engine=engine).fit(X, s) for engine in ("numpy", "torch")]
    # Batches differ: torch's seed was drawn before them.
    assert fits[0].risk_curve_ == pytest.approx(fits[1].risk_curve_, rel=0.2)
    assert type(fits[0].network_) is type(fits[1].network_)


def test_one_step_is_the_same_to_the_last_digits():
    from pubench_risk.engines import Design, new_model
    from pubench_risk.network import Shape

    X, _, _ = sample()
    X = X.astype(np.float32)
    models = [
        new_model(
            Design(shape=Shape(5, 3, 7, "softsign", batch_norm), learning_rate=0.01, l2=0.1, engine=engine),
            X,
            np.random.default_rng(1),
        )
        for batch_norm in (False, True)
        for engine in ("numpy", "torch")
    ]
    for model in models:
        for _ in range(3):
            model.step(X, lambda scores: np.cos(scores) / len(scores))
    for pair in (models[:2], models[2:]):
        ours, theirs = (model.trained().scores(X) for model in pair)
        assert (
            np.abs(ours - theirs).max() < 2e-3
            if pair[0] is models[2]
            else np.allclose(ours, theirs, atol=1e-5)
        )


def test_a_cnn_learns_from_read_only_bytes_and_repeats_itself(recwarn):
    X, s, y = images()
    X.flags.writeable = False
    model = PURiskClassifier(
        0.5,
        scenario="single-training-set",
        model="cnn",
        engine="torch",
        image_shape=(8, 8, 3),
        channels=4,
        loss="logistic",
        batch_norm=True,
        epochs=15,
        batch_size=32,
        random_state=0,
    )
    first = model.fit(X, s).decision_function(X)
    assert ((first >= 0) == y).mean() > 0.9
    assert (model.fit(X, s).decision_function(X) == first).all()
    assert (pickle.loads(pickle.dumps(model)).decision_function(X) == first).all()
    picture = model.feature_importances_.reshape(8, 8, 3)
    assert picture[2:6, 2:6].mean() > picture[0].mean()
    assert not [one for one in recwarn if "not writable" in str(one.message)]


def test_a_device_that_is_not_there_is_one_sentence():
    X, s, _ = sample()
    model = PURiskClassifier(0.4, scenario="case-control", engine="torch", device="cuda:99")
    with pytest.raises(ValueError, match=r"device = 'cuda:99' is not available.*; set device to one of them"):
        model.fit(X, s)


def test_a_cnn_needs_images():
    X, s, _ = sample()
    with pytest.raises(ValueError, match="image_shape"):
        PURiskClassifier(0.4, scenario="case-control", model="cnn", engine="torch").fit(X, s)
