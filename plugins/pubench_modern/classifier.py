"""The base class of this plugin's methods: a perceptron on standardised rows, whatever it is trained to lower."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pubench_risk.engines import Design, Engine, engine_settings, new_model
from pubench_risk.network import Activation, Shape
from pubench_risk.scaling import Scaling
from pubench_risk.training import Model, Schedule, blockwise
from scipy.special import expit
from sklearn.utils import check_random_state

from pubench.base import (
    PRIOR,
    SCENARIO,
    UNSTATED,
    Labels,
    OneOf,
    PUClassifier,
    Real,
    RowRules,
    Rows,
    Rule,
    Whole,
    validate_rows,
    warn_of_one_decision,
)
from pubench.priors import prior_to_use
from pubench.specs import Scenario
from pubench_modern.rows import Sample

__all__ = ["NetworkClassifier"]

Floats = NDArray[np.float64]


@dataclass(eq=False, repr=False, kw_only=True)
class NetworkClassifier(PUClassifier):
    """Base class: a subclass writes ``_train(model, sample, rng)`` and perhaps ``_decide(population)``.

    Fields are the arguments of the constructor, which the dataclass writes: a subclass declares only those that it adds
    or whose default differs, and scikit-learn finds all of them in the signature.

    Parameters
    ----------
    prior : float or str, default="estimate"
        Pr(y = 1), strictly between 0 and 1, or ``"estimate"``, or the name of a prior estimator.
    scenario : {"case-control", "single-training-set"}
        Whether U, or P and U together, are a sample of the population.
    engine, device : str, default="numpy" and "cpu"
        ``"torch"`` trains by PyTorch, on a device that it knows.
    l2 : float, default=0.005
        The penalty on weights.
    standardize : bool, default=True
        Whether columns are divided by their standard deviation and, unless sparse, centred.
    layers, units : int, default=3 and 100
        The number of linear layers and the width of hidden ones.
    activation : {"relu", "softsign"}, default="relu"
        The function of the hidden layers.
    learning_rate : float, default=1e-3
        The learning rate of Adam.
    batch_size, epochs, average_epochs : int, default=256, 60 and 10
        The number of rows in a step, of epochs, and of last epochs over which parameters are averaged.
    random_state : int, RandomState instance or None, default=None
        Seed of initial weights and batches.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    prior_, prior_interval_ : float and tuple of float
        The prior that was used, and the ends of its interval.
    network_ : Network
    scaling_ : Scaling
    cut_ : float
        The least output of the network that means "positive".
    loss_curve_ : ndarray of shape (t,)
        The mean loss over the batches of each epoch.
    n_iter_ : int
        The number of epochs.
    n_features_in_ : int
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "prior": PRIOR,
        "scenario": SCENARIO,
        "engine": OneOf(("numpy", "torch")),
        "l2": Real(low=0.0),
        "standardize": OneOf((False, True)),
        "layers": Whole(1, 100),
        "units": Whole(low=1),
        "activation": OneOf(("relu", "softsign")),
        "learning_rate": Real(low=0.0, open_low=True),
        "batch_size": Whole(low=2),
        "epochs": Whole(low=1),
        "average_epochs": Whole(low=1),
    }

    row_rules = RowRules(sparse="csr", dtype=np.float64)

    prior: float | str | None = field(default="estimate", kw_only=False)
    scenario: Scenario = UNSTATED
    engine: Engine = "numpy"
    device: str = "cpu"
    l2: float = 0.005
    standardize: bool = True
    layers: int = 3
    units: int = 100
    activation: Activation = "relu"
    learning_rate: float = 1e-3
    batch_size: int = 256
    epochs: int = 60
    average_epochs: int = 10
    random_state: int | np.random.RandomState | None = None

    def _poor_score(self) -> bool:
        # In scikit-learn's checks all positive rows are labelled, so U holds none.
        return self.scenario != "single-training-set"

    def _fit(self, X: Rows, s: Labels) -> None:
        self._find_prior(X, s)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        self.scaling_ = Scaling.of(X, self.standardize)
        A = self.scaling_.apply(X).astype(np.float32)
        sample = Sample(A, s, self.scenario_)
        with np.errstate(over="ignore", invalid="ignore"):
            self._learn(sample, rng)
        self.cut_ = self._decide(sample.against_population())
        warn_of_one_decision(blockwise(self._scores, X), "the prior, l2 or the features")

    def _find_prior(self, X: Rows, s: Labels) -> None:
        """Set ``prior_``; a method that needs none writes its own."""
        self.prior_ = prior_to_use(self, X, s)

    def _learn(self, sample: Sample, rng: np.random.Generator) -> None:
        # NumPy draws from rng alone.
        seed = 0 if self.engine == "numpy" else int(rng.integers(2**31))
        try:
            with engine_settings(self.engine, seed, self.device):
                model = new_model(self._design(sample.X.shape[1]), sample.X, rng)
                self.loss_curve_ = np.array(self._train(model, sample, rng))
        except FloatingPointError:
            raise ValueError(
                f"training overflowed; lower learning_rate = {self.learning_rate:g} or l2 = "
                f"{self.l2:g}, or scale the features down"
            ) from None
        self.n_iter_ = len(self.loss_curve_)
        self.network_ = model.trained()

    def _design(self, inputs: int) -> Design:
        return Design(
            shape=Shape(inputs, self.layers, self.units, self.activation),
            learning_rate=self.learning_rate,
            l2=self.l2,
            engine=self.engine,
            device=self.device,
        )

    def _train(self, model: Model, sample: Sample, rng: np.random.Generator) -> list[float]:
        """Train the model on scaled rows; return the loss of each epoch."""
        raise NotImplementedError

    def _decide(self, population: Sample) -> float:
        """Return the least output of the trained network that means "positive"."""
        return 0.0

    def _prior_cut(self, population: Sample) -> float:
        """Return the output above which a share of the population lies that is the prior."""
        outputs = blockwise(self.network_.scores, population.X[population.s == 0])
        return float(np.quantile(outputs, 1.0 - self.prior_))

    def _schedule(self) -> Schedule:
        return Schedule(self.epochs, self.batch_size, self.average_epochs)

    def decision_function(self, X: Rows) -> Floats:
        """Return the network's output minus the cut, shape (n,); at least 0 means positive."""
        return blockwise(self._scores, validate_rows(self, X))

    def _scores(self, X: Rows) -> Floats:
        return np.asarray(self.network_.scores(self.scaling_.apply(X))) - self.cut_

    def predict_proba(self, X: Rows) -> Floats:
        """Return the probabilities of both classes, shape (n, 2): the logistic function of the decision."""
        positive = expit(self.decision_function(X))
        return np.column_stack([1.0 - positive, positive])
