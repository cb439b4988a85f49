"""The base class of PU classifiers that train a PyTorch network: an author writes the network and the loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from pubench.base import (
    PRIOR,
    SCENARIO,
    UNSTATED,
    Either,
    Labels,
    OneOf,
    PUClassifier,
    Real,
    RowRules,
    Rows,
    Rule,
    Whole,
    held_rows,
    validate_rows,
    warn_of_one_decision,
)
from pubench.estimators.deep.devices import find_device
from pubench.estimators.deep.imports import nn, torch
from pubench.estimators.deep.inputs import Inputs
from pubench.estimators.deep.networks import cnn, mlp
from pubench.estimators.deep.risks import Batch, pu_loss
from pubench.estimators.deep.settings import reproducible
from pubench.estimators.deep.stopping import STOPPING, HeldOut
from pubench.estimators.deep.training import Schedule, TrainingRows, network_scores, train
from pubench.priors import prior_to_use
from pubench.risk import signed_weights
from pubench.specs import Scenario

__all__ = ["TorchPUClassifier"]

_NONE = OneOf((None,))


class TorchPUClassifier(PUClassifier):
    """Base class of networks that learn from labelled positive and unlabelled rows.

    A subclass writes what is its own: :meth:`make_network`, and :meth:`batch_loss` or, for more than one loss or
    optimiser, :meth:`train_step`. As it is, the class is nnPU with a perceptron, or a small CNN for images.

    A subclass lists in its ``__init__`` the parameters that it wants to offer; the others keep the defaults below,
    which are attributes of the class. Training is seeded completely by ``random_state``; see
    :func:`pubench.estimators.deep.reproducible`. Rows keep their type (float32, float64 or bytes), may be read-only,
    and become tensors batch by batch.

    Parameters
    ----------
    prior : float, str or None, default=None
        Pr(y = 1), ``"estimate"``, the name of a prior estimator, or None for methods that use none.
    scenario : {"case-control", "single-training-set"}
        Needed with a prior.
    epochs, batch_size : int, default=50 and 256
        Each batch holds P and U in the proportion of the data, and at least one row of both.
    learning_rate, l2 : float, default=1e-3 and 1e-4
        Of Adam.
    early_stopping : str or None, default=None
        A PU criterion ("pu-risk", "nnpu-risk", "puf", "fp-fn", "pa" or "pauc"), computed after each epoch on held-out
        rows of P and of U: the best epoch is kept.
    validation_fraction, patience : float, default=0.2, and int, default=5
        The share held out, and the number of epochs without improvement after which training stops.
    device : str, default="cpu"
        "cpu", "cuda", "cuda:1", "mps", or "auto".
    image_shape : sequence of int, default=()
        (height, width) or (height, width, channels) where rows are images: the network then sees images of shape
        (channels, height, width), each channel standardised.
    deadline : float or None, default=None
        A moment of :func:`time.monotonic` after which no new epoch begins.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    network_ : torch.nn.Module
        On the CPU.
    inputs_ : Inputs
        How rows become its inputs.
    loss_curve_, validation_curve_ : ndarrays of shape (n_iter_,)
        The mean loss of each epoch's batches; with early stopping, the criterion's value (the lower, the better).
    n_iter_ : int
        The number of epochs.
    prior_ : float or None
    feature_importances_ : ndarray of shape (d,)
        Images: the mean size of the score's slope in each pixel, over labelled rows; reports draw it.

    Examples
    --------
    >>> import torch
    >>> from pubench.estimators.deep import mlp, pu_loss
    >>> class Small(pubench.TorchPUClassifier):
    ...     epochs = 30
    ...     def __init__(self, prior=0.5, scenario=None, random_state=None):
    ...         self.prior, self.scenario, self.random_state = prior, scenario, random_state
    ...     def make_network(self, shape):
    ...         return mlp(shape, units=10)
    ...     def batch_loss(self, network, batch):
    ...         return pu_loss(network(batch.X), batch)
    ...
    >>> X = np.repeat([[2.0], [2.0], [-2.0]], [40, 40, 80], axis=0)
    >>> model = Small(prior=1 / 3, scenario="case-control", random_state=0)
    >>> model.fit(X, np.repeat([1, 0], [40, 120])).predict(np.array([[2.0], [-2.0]]))
    array([1, 0])
    """

    prior: float | str | None = None
    scenario: Scenario = UNSTATED
    epochs: int = 50
    batch_size: int = 256
    learning_rate: float = 1e-3
    l2: float = 1e-4
    early_stopping: str | None = None
    validation_fraction: float = 0.2
    patience: int = 5
    device: str = "cpu"
    image_shape: Sequence[int] = ()
    deadline: float | None = None
    random_state: int | np.random.RandomState | None = None

    param_rules: ClassVar[dict[str, Rule]] = {
        "prior": Either(PRIOR, _NONE),
        "scenario": Either(SCENARIO, _NONE),
        "epochs": Whole(low=1),
        "batch_size": Whole(low=2),
        "learning_rate": Real(low=0.0, open_low=True),
        "l2": Real(low=0.0),
        "early_stopping": OneOf((None, *STOPPING)),
        "validation_fraction": Real(0.0, 1.0, open_low=True, open_high=True),
        "patience": Whole(low=1),
    }
    row_rules = RowRules(dtype=(np.float32, np.float64, np.uint8))

    def __init__(
        self,
        prior: float | str | None = None,
        *,
        scenario: Scenario = UNSTATED,
        epochs: int = 50,
        batch_size: int = 256,
        learning_rate: float = 1e-3,
        l2: float = 1e-4,
        early_stopping: str | None = None,
        validation_fraction: float = 0.2,
        patience: int = 5,
        device: str = "cpu",
        image_shape: Sequence[int] = (),
        deadline: float | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.prior = prior
        self.scenario = scenario
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.l2 = l2
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.device = device
        self.image_shape = image_shape
        self.deadline = deadline
        self.random_state = random_state

    def make_network(self, shape: tuple[int, ...]) -> nn.Module:
        """Return a new network: inputs of shape (n, *shape) to scores of shape (n,) or (n, 1).

        ``shape`` is (d,), or (channels, height, width) where ``image_shape`` is given. PyTorch's generator is seeded.
        """
        return mlp(shape) if len(shape) == 1 else cnn(shape)

    def make_optimizer(self, network: nn.Module) -> torch.optim.Optimizer:
        """Return the optimiser of a network."""
        return torch.optim.Adam(network.parameters(), lr=self.learning_rate, weight_decay=self.l2)

    def batch_loss(self, network: nn.Module, batch: Batch) -> torch.Tensor:
        """Return the loss of a batch, a tensor with one number; see :class:`pubench.estimators.deep.Batch`."""
        return pu_loss(network(batch.X), batch)

    def train_step(self, network: nn.Module, optimizer: torch.optim.Optimizer, batch: Batch) -> float:
        """Change the network by a batch, and return the loss as a number."""
        optimizer.zero_grad(set_to_none=True)
        loss = self.batch_loss(network, batch)
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    def _poor_score(self) -> bool:
        return True

    def _fit(self, X: Rows, s: Labels) -> None:
        device = find_device(self.device)
        self.prior_ = None if self.prior is None else prior_to_use(self, X, s)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        self.inputs_ = Inputs.of(X, self.image_shape)
        held_out, fitted = None, np.ones(len(s), dtype=bool)
        if self.early_stopping is not None:
            held = held_rows(s, self.validation_fraction, int(rng.integers(2**31)))
            held_out = HeldOut(X[held], s[held], self.early_stopping, self.prior_, self._known_scenario())
            fitted = ~held
        weights = None if self.prior_ is None else signed_weights(s[fitted], self.prior_, self.scenario)
        kept = X if fitted.all() else X[fitted]
        rows = TrainingRows(kept, s[fitted], weights, self.inputs_, device)
        with reproducible(int(rng.integers(2**31)), device):
            self._train(rows, held_out, rng)
            self.network_.cpu()
            scores = self._scores(X)
            if len(self.inputs_.shape) == 3:
                self.feature_importances_ = self.inputs_.pixel_slopes(self.network_, X[s == 1])
        warn_of_one_decision(scores, "the prior, learning_rate or epochs")

    def _known_scenario(self) -> Scenario:
        # Without a prior no criterion that is allowed here depends on it.
        return "case-control" if self.scenario is None else self.scenario

    def _train(self, rows: TrainingRows, held_out: HeldOut | None, rng: np.random.Generator) -> None:
        self.network_ = self.make_network(self.inputs_.shape).to(rows.device)
        optimizer = self.make_optimizer(self.network_)
        schedule = Schedule(self.epochs, self.batch_size, self.patience, self.deadline)
        try:
            curves = train(self.network_, optimizer, self.train_step, rows, schedule, rng, held_out)
        except FloatingPointError:
            raise ValueError(
                f"training overflowed; lower learning_rate = {self.learning_rate:g}, or scale the features down"
            ) from None
        self.loss_curve_, self.validation_curve_ = np.array(curves.loss), np.array(curves.held_out)
        self.n_iter_ = len(curves.loss)

    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """Return the scores f(x), shape (n,); at least 0 means positive."""
        X = validate_rows(self, X)
        with reproducible(0):
            return self._scores(X)

    def _scores(self, X: Rows) -> NDArray[np.float64]:
        return network_scores(self.network_, X, self.inputs_, torch.device("cpu"))
