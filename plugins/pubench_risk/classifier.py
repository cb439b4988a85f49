"""The estimator of this plugin: it minimises the unbiased or the non-negative PU risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from pubench.base import UNSTATED, Labels, RowRules, Rows, Rule, warn_of_one_decision
from pubench.priors import prior_to_use
from pubench.specs import Scenario
from pubench_risk.basis import Basis
from pubench_risk.engines import Engine
from pubench_risk.exact import Limits, Problem, solve
from pubench_risk.losses import Loss, Masses, Risk
from pubench_risk.network import Activation
from pubench_risk.recipe import Recipe
from pubench_risk.rules import OF_A_KIND, RULES
from pubench_risk.scaling import Scaling
from pubench_risk.scores import RiskScores
from pubench_risk.training import Curves, scores_to_both_sides

__all__ = ["PURiskClassifier"]

Floats = NDArray[np.float64]

_PIXELS = (np.float32, np.float64, np.uint8)


class PURiskClassifier(RiskScores):
    r"""Linear models, radial basis functions, perceptrons and CNNs that minimise a PU risk.

    With the signed weights of :func:`pubench.risk.signed_weights`, the unbiased risk (uPU; du Plessis et al., 2015) of
    the score f is

    .. math:: \hat R(f) = \sum_P w(+1|P)\, \ell(f) + r, \qquad
        r = \sum_P w(-1|P)\, \ell(-f) + \sum_U w(-1|U)\, \ell(-f),

    where r estimates the risk on negatives, and falls below 0 when a model over-fits. The non-negative risk (nnPU;
    Kiryo et al., 2017) then steps back. The objective adds :math:`\frac{l2}{2} \|W\|^2`; biases are not penalised.

    Parameters
    ----------
    prior : float or str, default="estimate"
        Pr(y = 1), strictly between 0 and 1, or ``"estimate"``, or the name of a prior estimator.
    scenario : {"case-control", "single-training-set"}
        Whether U, or P and U together, are a sample of the population; it determines the weights.
    risk : {"nnpu", "upu"}, default="nnpu"
        The non-negative or the unbiased PU risk.
    model : {"mlp", "linear", "rbf", "cnn"}, default="mlp"
        "rbf" is linear in radial basis functions around ``n_centers`` rows. "cnn" is for images, with engine="torch".
    loss : {"sigmoid", "logistic", "quadratic", "double-hinge"}, default="sigmoid"
        The sigmoid loss is bounded, which suits networks; with the others uPU is convex for "linear" and "rbf".
    solver : {"auto", "exact", "adam"}, default="auto"
        "exact" finds the minimum of uPU for "linear" and "rbf" (for the sigmoid loss a local minimum, starting from
        the logistic one); "adam" takes minibatch steps. "auto" is "exact" where possible, else "adam".
    engine, device : {"numpy", "torch"}, default="numpy", and str, default="cpu"
        What takes Adam's steps, and PyTorch's device ("cuda", "mps", "auto", ...); it needs ``pubench[torch]``.
    image_shape, channels : sequence of int, default=(), and int, default=16
        "cnn": height, width and, for colours, channels of the images; and the filters of the first convolutions.
    l2 : float, default=0.005
        The penalty on weights, above 0.
    standardize : bool, default=True
        Whether columns are divided by their standard deviation and, unless sparse, centred, as the defaults assume.
    n_centers, width : int, default=300, and float, default=0.5
        "rbf": functions exp(-squared distance / (2 width^2)) around randomly drawn rows; width in units of the
        root mean squared distance of two rows.
    layers, units, activation : int, default=3 and 100, and {"relu", "softsign"}, default="relu"
        "mlp": the number of linear layers (three have two hidden ones between), and width and function of hidden ones.
    batch_norm : bool, default=False
        Whether hidden layers are normalised over the batch, before the activation.
    dropout : float, default=0.0
        The share of the last hidden layer that each step drops.
    learning_rate : float, default=3e-3
        The learning rate of Adam.
    batch_size, epochs, average_epochs : int, default=256, 100 and 20
        Rows in a step, with P and U in the proportion of the data but at least one labelled row; the maximal number
        of epochs; and the number of last epochs over which parameters are averaged.
    beta : float, default=0.0
        nnPU: how far r may fall below 0 before a step back.
    gamma : float, default=1.0
        nnPU: the relative length of the steps back, in [0, 1].
    early_stopping : bool, default=False
        Adam: whether to hold out a share of P and of U, and to restore the epoch with their smallest unbiased risk.
    validation_fraction, n_iter_no_change : float, default=0.2, and int, default=10
        The share held out, and the number of epochs without improvement after which training stops.
    stages : int, default=0
        Adam: after how many epochs, evenly spaced, the network is kept for ``staged_decision_function``; 0 keeps none.
    tol, max_iter : float, default=1e-5, and int, default=5000
        Exact solvers stop at this relative change or residual, or, with a ConvergenceWarning, after max_iter steps.
    random_state : int, RandomState instance or None, default=None
        Seed of centres, initial weights, batches, dropout and held-out rows. Exact linear models draw nothing.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    prior_, prior_interval_ : float and tuple of float
        The prior that was used, and the ends of its interval; both are the prior if it was given.
    coef_ : ndarray of shape (1, d)
        "linear": in the units of X.
    intercept_ : ndarray of shape (1,)
    basis_, basis_coef_ : Basis, and ndarray of shape (m,)
        "rbf": the centres, among scaled rows, with gamma, and the weights of the functions around them.
    stages_, stage_numbers_ : tuple of Network or ConvolutionalNetwork, and tuple of int
        Adam: the networks that ``stages`` keeps, and their epochs, counted from 1.
    network_ : Network or ConvolutionalNetwork
        "mlp": the network in double precision, trained in single precision; "cnn": the module and its inputs.
    feature_importances_ : ndarray of shape (d,)
        "cnn": mean size of the score's slope in each pixel, on P.
    scaling_ : Scaling
    risk_curve_ : ndarray of shape (t,)
        Adam: the mean risk over the batches of each epoch; exact: the objective at the iterations that compute it.
    correction_curve_ : ndarray of shape (t,)
        Adam: the share of batches in which nnPU stepped back.
    validation_curve_ : ndarray of shape (t,)
        With early stopping, the risk on the held-out rows after each epoch.
    n_iter_ : int
        The number of epochs, or the length of the exact solver's curve (1 for a closed form).
    n_features_in_ : int

    Notes
    -----
    Memory: a scaled copy of X (single precision for Adam) or n times ``n_centers`` numbers; twice for exact solvers.
    """

    param_rules: ClassVar[Mapping[str, Rule]] = RULES

    @property
    def row_rules(self) -> RowRules:
        """Dense or sparse rows; for a CNN dense ones, which keep their type."""
        return RowRules(dtype=_PIXELS) if self.model == "cnn" else RowRules(sparse="csr", dtype=np.float64)

    def __init__(
        self,
        prior: float | str = "estimate",
        *,
        scenario: Scenario = UNSTATED,
        risk: Risk = "nnpu",
        model: Literal["mlp", "linear", "rbf", "cnn"] = "mlp",
        loss: Loss = "sigmoid",
        solver: Literal["auto", "exact", "adam"] = "auto",
        engine: Engine = "numpy",
        device: str = "cpu",
        image_shape: Sequence[int] = (),
        channels: int = 16,
        l2: float = 0.005,
        standardize: bool = True,
        n_centers: int = 300,
        width: float = 0.5,
        layers: int = 3,
        units: int = 100,
        activation: Activation = "relu",
        batch_norm: bool = False,
        dropout: float = 0.0,
        learning_rate: float = 3e-3,
        batch_size: int = 256,
        epochs: int = 100,
        average_epochs: int = 20,
        beta: float = 0.0,
        gamma: float = 1.0,
        early_stopping: bool = False,
        validation_fraction: float = 0.2,
        n_iter_no_change: int = 10,
        stages: int = 0,
        tol: float = 1e-5,
        max_iter: int = 5000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.prior = prior
        self.scenario = scenario
        self.risk = risk
        self.model = model
        self.loss = loss
        self.solver = solver
        self.engine = engine
        self.device = device
        self.image_shape = image_shape
        self.channels = channels
        self.l2 = l2
        self.standardize = standardize
        self.n_centers = n_centers
        self.width = width
        self.layers = layers
        self.units = units
        self.activation = activation
        self.batch_norm = batch_norm
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.epochs = epochs
        self.average_epochs = average_epochs
        self.beta = beta
        self.gamma = gamma
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.stages = stages
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _poor_score(self) -> bool:
        # With a prior of one half, half of U is called positive, but in scikit-learn's checks U holds no positives.
        return self.risk == "upu" or self.scenario == "case-control"

    def _fit(self, X: Rows, s: Labels) -> None:
        for name in OF_A_KIND:  # left by an earlier fit of another kind
            self.__dict__.pop(name, None)
        self.prior_ = prior_to_use(self, X, s)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        if self.model == "cnn":
            self._fit_images(X, s, rng)
            return
        self.scaling_ = Scaling.of(X, self.standardize)
        A = self.scaling_.apply(X)
        if self.model == "rbf":
            self.basis_ = Basis.drawn(A, self.n_centers, self.width, rng)
            A = self.basis_.features(A)
        with np.errstate(over="ignore", invalid="ignore"):
            weights, bias = self._solve(A, s) if self._exact() else self._train(A, s, rng)
        if not (np.isfinite(weights).all() and np.isfinite(bias)):
            raise ValueError("the fit overflowed; scale the features down, or raise l2")
        if self.model == "linear":
            weights, bias = self.scaling_.unscaled(weights, bias)
            self.coef_ = weights[None, :]
        elif self.model == "rbf":
            self.basis_coef_ = weights
        self.intercept_ = np.array([bias])
        warn_of_one_decision(scores_to_both_sides(self._scores, X), "the prior, l2 or the features")

    def _fit_images(self, X: Rows, s: Labels, rng: np.random.Generator) -> None:
        if self.engine != "torch" or not len(self.image_shape):
            raise ValueError(
                "model='cnn' needs engine='torch' and image_shape, the height and width of images"
            )
        self._set_curves(self._recipe().trained(X, s, rng))
        self.feature_importances_ = self.network_.importances(X[s == 1])
        warn_of_one_decision(self._scores(X), "the prior, l2 or learning_rate")

    def _exact(self) -> bool:
        possible = self.risk == "upu" and self.model in ("linear", "rbf")
        if self.solver == "exact" and not possible:
            raise ValueError(
                f"solver='exact' is for risk='upu' with model='linear' or 'rbf', not for risk={self.risk!r} with "
                f"model={self.model!r}; use solver='adam'"
            )
        return possible and self.solver != "adam"

    def _solve(self, A: Rows, s: Labels) -> tuple[Floats, float]:
        masses = Masses.of(s, self.prior_, self.scenario_)
        found = solve(Problem(A, s, masses, self.loss, self.l2), Limits(self.tol, self.max_iter))
        self.risk_curve_, self.n_iter_ = np.array(found.curve), max(1, len(found.curve))
        return found.weights, found.bias

    def _train(self, A: Rows, s: Labels, rng: np.random.Generator) -> tuple[Floats, float]:
        self._set_curves(self._recipe().trained(A.astype(np.float32), s, rng))
        return cast("tuple[Floats, float]", self.network_.last())

    def _set_curves(self, trained: tuple[Any, Curves]) -> None:
        self.network_, curves = trained
        self.risk_curve_, self.n_iter_ = np.array(curves.risk), len(curves.risk)
        self.correction_curve_ = np.array(curves.corrections)
        self.validation_curve_ = np.array(curves.held_out)
        self.stages_, self.stage_numbers_ = tuple(curves.networks), tuple(curves.kept)

    def _recipe(self) -> Recipe:
        return Recipe.of(self.get_params(deep=False) | {"prior": self.prior_})
