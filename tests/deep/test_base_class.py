"""Laws of TorchPUClassifier: risks, seeds, early stopping, what an author writes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from pubench.risk import LOSSES, pu_risk, signed_weights

SETTING = {"prior": 0.4, "scenario": "single-training-set", "epochs": 6, "random_state": 0}


def sample(n=300, d=5, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    X = (rng.normal(size=(n, d)) + 1.5 * y[:, None]).astype(np.float32)
    X.flags.writeable = False
    return X, (y & (rng.random(n) < 0.5)).astype(np.uint8), y


def classifier(**params):
    from pubench import TorchPUClassifier

    return TorchPUClassifier(**{**SETTING, **params})


@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss != "zero-one"])
def test_the_loss_of_a_batch_of_all_rows_is_the_pu_risk(loss):
    import torch

    from pubench.estimators.deep import Batch, pu_loss

    X, s, _ = sample()
    P, U = torch.from_numpy(X[s == 1]), torch.from_numpy(X[s == 0])
    batch = Batch(P, U, signed_weights(s, 0.4, "case-control"), 1, 1)
    scores = batch.X.sum(dim=1)
    expected = pu_risk(
        scores.numpy(), np.repeat([1, 0], [len(P), len(U)]), prior=0.4, scenario="case-control", loss=loss
    )
    assert float(pu_loss(scores, batch, loss=loss, non_negative=False)) == pytest.approx(expected, rel=1e-4)


def test_a_step_back_goes_up_the_negative_part():
    import torch

    from pubench.estimators.deep import Batch, pu_loss

    scores = torch.tensor([5.0, -9.0], requires_grad=True)
    batch = Batch(torch.zeros(1, 1), torch.zeros(1, 1), signed_weights([1, 0], 0.9, "case-control"), 1, 1)
    pu_loss(scores, batch, gamma=0.5).backward()
    assert scores.grad[0] > 0  # lowers the score of P, whose loss as a negative is subtracted
    assert scores.grad[1] < 0


def test_the_same_seed_gives_the_same_bits_and_leaves_torch_as_it_was(recwarn):
    import torch

    X, s, y = sample()
    before = torch.random.get_rng_state(), torch.get_num_threads()
    model = classifier(early_stopping="nnpu-risk", learning_rate=0.01, batch_size=64)
    scores = model.fit(X, s).decision_function(X)
    torch.rand(3)
    assert (clone(model).fit(X, s).decision_function(X) == scores).all()
    assert (classifier(random_state=1).fit(X, s).decision_function(X) != scores).any()
    assert ((scores >= 0) == y).mean() > 0.8
    torch.random.set_rng_state(before[0])
    model.fit(X, s)
    assert (torch.random.get_rng_state() == before[0]).all()
    assert torch.get_num_threads() == before[1]
    assert not torch.are_deterministic_algorithms_enabled()
    assert not [one for one in recwarn if "writ" in str(one.message)]


@pytest.mark.parametrize("criterion", ["pu-risk", "puf", "pauc"])
def test_early_stopping_keeps_the_best_epoch(criterion):
    X, s, _ = sample()
    model = classifier(early_stopping=criterion, patience=2, epochs=40, learning_rate=0.05).fit(X, s)
    best = int(np.argmin(model.validation_curve_))
    assert model.n_iter_ == len(model.validation_curve_) <= best + 3


def test_an_author_writes_the_network_and_the_loss():
    from torch import nn

    from pubench import TorchPUClassifier

    class Margin(TorchPUClassifier):
        learning_rate = 0.05

        def __init__(self, margin=1.0, random_state=None):
            self.margin = margin
            self.random_state = random_state

        def make_network(self, shape):
            return nn.Linear(*shape, 1)

        def batch_loss(self, network, batch):
            in_p, in_u = batch.split(network(batch.X))
            return nn.functional.relu(self.margin - in_p.mean() + in_u.mean()) + in_u.square().mean()

    X, s, y = sample()
    model = Margin(random_state=0).fit(X, s)
    assert clone(model).get_params() == {"margin": 1.0, "random_state": 0}
    scores = model.decision_function(X)
    assert scores[y].mean() > scores[~y].mean()


def test_a_risk_without_a_prior_is_refused():
    X, s, _ = sample()
    with pytest.raises(ValueError, match="needs prior and scenario"):
        classifier(prior=None).fit(X, s)


def test_no_epoch_begins_after_the_deadline():
    X, s, _ = sample()
    assert classifier(deadline=0.0, epochs=50).fit(X, s).n_iter_ == 1
