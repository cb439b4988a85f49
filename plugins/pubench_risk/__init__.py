"""Classifiers on the PU risk, uPU and nnPU: the hook and its specs; only the modules named here import scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from pubench import hookimpl
from pubench.citations import cite
from pubench.specs import Algorithm, Float, Int, Param

__all__ = ["PUBENCH_PINNED", "pubench_algorithms"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""

_UPU = "duplessis2015convex"
_NNPU = "kiryo2017"
_FFNN = "timmons"

# Columns are standardised, so that one range of ridges suits all data: near 1 with few rows, near 1e-5 with many
# thousands. Functions half as wide as the distance of rows suit most data; wider ones are nearly linear,
# narrower ones remember single rows.
_RIDGE: dict[str, Param] = {"l2": Float(1e-5, 1.0, log=True, points=6)}
_WIDTH: dict[str, Param] = {"width": Float(0.125, 2.0, log=True, points=5)}
# What decides over a network is how far it is trained. The rate and the number of epochs say the same, so one of them,
# two decades around the default of 3e-3, next to weight decay and depth. Models without hidden layers want ten
# times that.
_NETWORK: dict[str, Param] = {
    "learning_rate": Float(1e-4, 1e-2, log=True, points=4),
    "l2": Float(1e-5, 1e-1, log=True, points=3),
    "layers": Int(2, 6, points=3),
}
_SHALLOW: dict[str, Param] = {"learning_rate": Float(3e-3, 1e-1, log=True, points=4)}
# The paper's network and loss. Its training (rate 1e-5, 1,000 epochs, l2 0.01) hardly fits small tables: more than half
# of the fits predict one class for all rows.
_FFNN_PARAMS = {
    "risk": "upu",
    "loss": "logistic",
    "layers": 3,
    "units": 10,
    "dropout": 0.3,
    "learning_rate": 0.03,
    "batch_size": 256,
    "epochs": 100,
    "average_epochs": 20,
    "l2": 1e-3,
}
_CONVOLUTIONAL: dict[str, Param] = {
    "learning_rate": Float(1e-4, 1e-2, log=True, points=3),
    "l2": Float(1e-5, 1e-2, log=True, points=3),
}
_PYTORCH: dict[str, Any] = {
    "estimator": "pubench_risk.torch_models:network",
    "version": "1",
    "requires": ("torch>=2.4",),
}
_FFNN_SPACE: dict[str, Param] = {"learning_rate": Float(1e-4, 1e-1, log=True, points=4)}


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return uPU and nnPU with linear models, radial basis functions and perceptrons, and PU-FFNN."""
    upu, nnpu = {"risk": "upu", "loss": "quadratic"}, {"risk": "nnpu"}
    linear, rbf = {"model": "linear"}, {"model": "rbf"}
    rows = (
        (
            "upu",
            "Unbiased PU risk, radial basis functions, closed form",
            upu | rbf | {"l2": 1e-3},
            _RIDGE | _WIDTH,
            _UPU,
            # The square punishes scores beyond 1 as well: where positives are rare, none is above 0.
            "prior",
        ),
        (
            "upu-linear",
            "Unbiased PU risk, linear model, closed form",
            upu | linear | {"l2": 0.01},
            _RIDGE,
            _UPU,
            "prior",
        ),
        # Without nnPU's steps back a network over-fits the sooner, the faster it is trained.
        (
            "upu-mlp",
            "Unbiased PU risk, multilayer perceptron",
            {"risk": "upu", "loss": "logistic", "learning_rate": 1e-3, "l2": 1e-3},
            _NETWORK,
            _UPU,
            "prior",
        ),
        # Where positives are rare, the sigmoid loss has a local minimum in which all rows are negative.
        (
            "nnpu",
            "Non-negative PU risk, multilayer perceptron",
            nnpu | {"loss": "logistic", "l2": 1e-4},
            _NETWORK,
            _NNPU,
        ),
        (
            "nnpu-linear",
            "Non-negative PU risk, linear model",
            nnpu | linear | {"loss": "logistic", "learning_rate": 0.01, "l2": 1e-3},
            _SHALLOW | _RIDGE,
            _NNPU,
            "prior",
        ),
        (
            "nnpu-rbf",
            "Non-negative PU risk, radial basis functions",
            nnpu | rbf | {"loss": "logistic", "learning_rate": 0.03, "epochs": 200, "l2": 1e-4},
            _SHALLOW | _WIDTH,
            _NNPU,
            "prior",
        ),
        (
            "pu-ffnn",
            "Unbiased PU risk, a small perceptron with dropout",
            _FFNN_PARAMS,
            _FFNN_SPACE,
            _FFNN,
            "prior",
        ),
    )
    return [*(_algorithm(*row) for row in rows), *_networks_of_pytorch()]


def _networks_of_pytorch() -> list[Algorithm]:
    """Return CNNs for images, and nnPU's perceptron for a GPU; they need ``pubench[torch]``."""
    cnn = {"model": "cnn", "loss": "logistic", "batch_norm": True, "epochs": 20, "average_epochs": 5}
    rows = (
        (
            "nnpu-cnn",
            "Non-negative PU risk, convolutional network for images",
            {"risk": "nnpu", **cnn},
            _NNPU,
        ),
        ("upu-cnn", "Unbiased PU risk, convolutional network for images", {"risk": "upu", **cnn}, _UPU),
    )
    made = [
        replace(
            _algorithm(name, summary, {**params, "learning_rate": 1e-3, "l2": 1e-4}, _CONVOLUTIONAL, paper),
            receives=("prior", "scenario", "random_state", "image_shape"),
            needs=("prior", "image_shape"),
            accepts=(),
            dtype="uint8",
            **_PYTORCH,
        )
        for name, summary, params, paper in rows
    ]
    perceptron = _algorithm(
        "nnpu-torch",
        "Non-negative PU risk, multilayer perceptron trained by PyTorch",
        {"risk": "nnpu", "loss": "logistic", "l2": 1e-4},
        _NETWORK,
        _NNPU,
    )
    return [*made, replace(perceptron, **_PYTORCH)]


def _algorithm(
    name: str,
    summary: str,
    params: Mapping[str, Any],
    space: Mapping[str, Param],
    paper: str,
    threshold: Literal["own", "prior"] = "own",
) -> Algorithm:
    return Algorithm(
        name=name,
        estimator="pubench_risk.classifier:PURiskClassifier",
        summary=summary,
        version="2",
        params=params,
        space=space,
        receives=("prior", "scenario", "random_state"),
        needs=("prior",),
        accepts=("sparse",),
        threshold=threshold,
        bibtex=cite(paper),
        licence="BSD-3-Clause",
    )
