"""What the parameters of the estimator may be."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pubench.base import PRIOR, SCENARIO, OneOf, Real, Rule, Whole
from pubench_risk.losses import LOSSES

__all__ = ["OF_A_KIND", "RULES"]

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "prior": PRIOR,
        "scenario": SCENARIO,
        "risk": OneOf(("nnpu", "upu")),
        "model": OneOf(("mlp", "linear", "rbf", "cnn")),
        "loss": OneOf(LOSSES),
        "solver": OneOf(("auto", "exact", "adam")),
        "engine": OneOf(("numpy", "torch")),
        "channels": Whole(low=1),
        "l2": Real(low=0.0, open_low=True),
        "standardize": OneOf((False, True)),
        "n_centers": Whole(low=1),
        "width": Real(1e-10, 1e10),
        "layers": Whole(1, 100),
        "units": Whole(low=1),
        "activation": OneOf(("relu", "softsign")),
        "batch_norm": OneOf((False, True)),
        "dropout": Real(0.0, 1.0, open_high=True),
        "learning_rate": Real(low=0.0, open_low=True),
        "batch_size": Whole(low=2),
        "epochs": Whole(low=1),
        "average_epochs": Whole(low=1),
        "beta": Real(low=0.0),
        "gamma": Real(0.0, 1.0),
        "early_stopping": OneOf((False, True)),
        "validation_fraction": Real(0.0, 1.0, open_low=True, open_high=True),
        "n_iter_no_change": Whole(low=1),
        "stages": Whole(low=0),
        "tol": Real(low=0.0, open_low=True),
        "max_iter": Whole(low=1),
    }
)
"""The parameters by name."""

OF_A_KIND = (
    "coef_",
    "basis_",
    "basis_coef_",
    "network_",
    "stages_",
    "stage_numbers_",
    "correction_curve_",
    "validation_curve_",
    "feature_importances_",
)
"""Fitted attributes that not every kind of model has."""
