"""Methods for species distributions: the hook and its specs; only the modules named here import scikit-learn."""

from __future__ import annotations

from pubench import hookimpl
from pubench.specs import Algorithm, Choice

__all__ = ["PUBENCH_PINNED", "pubench_algorithms"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""

_ELAPID = ("elapid>=1.0.4",)
_MAXENT = (
    "S. J. Phillips, R. P. Anderson and R. E. Schapire, Maximum entropy modeling of species geographic distributions, "
    "Ecological Modelling 190, 2006; C. B. Anderson, elapid: Species distribution modeling tools for Python, Journal "
    "of Open Source Software 8, 2023"
)
_ENSEMBLE = (
    "R. Valavi, G. Guillera-Arroita, J. J. Lahoz-Monfort and J. Elith, Predictive performance of presence-only species "
    "distribution models: a benchmark study with reproducible code, Ecological Monographs 92, 2022"
)
_RECEIVES = ("prior", "scenario", "random_state", "categorical_features")


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return MaxEnt, and means of ranks of several methods."""
    return [
        Algorithm(
            name="maxent",
            estimator="pubench_species.maxent:MaxEnt",
            summary="MaxEnt by elapid, with its defaults: linear, hinge and product features; pubench[species]",
            version="1",
            # The penalty hardly matters to elapid's own solver; which features there are does.
            space={"feature_types": Choice(("lh", "lhp", "lqhp"))},
            receives=("random_state", "categorical_features"),
            requires=_ELAPID,
            accepts=("categorical",),
            paper=_MAXENT,
            licence="BSD-3-Clause",
        ),
        Algorithm(
            name="rank-mean",
            estimator="pubench.estimators.rank_mean:RankMean",
            summary="Mean of the ranks that methods give to a row: params.members = ['rf-down', 'brt']",
            version="1",
            receives=_RECEIVES,
            accepts=("categorical",),
            paper=_ENSEMBLE,
            licence="BSD-3-Clause",
        ),
        Algorithm(
            name="rank-mean-maxent",
            estimator="pubench_species.with_maxent:rank_mean_maxent",
            summary="Mean of the ranks of MaxEnt, a down-sampled random forest and boosted trees; pubench[species]",
            version="1",
            receives=_RECEIVES,
            requires=_ELAPID,
            accepts=("categorical",),
            paper=_ENSEMBLE,
            licence="BSD-3-Clause",
        ),
    ]
