"""Methods for species distributions: the hook and its specs; only the modules named here import scikit-learn."""

from __future__ import annotations

from pubench import hookimpl
from pubench.citations import cite
from pubench.specs import Algorithm, Choice

__all__ = ["PUBENCH_PINNED", "pubench_algorithms"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""

_ELAPID = ("elapid>=1.0.4",)
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
            bibtex=cite("phillips2006", "anderson2023"),
            licence="BSD-3-Clause",
        ),
        Algorithm(
            name="rank-mean",
            estimator="pubench.estimators.rank_mean:RankMean",
            summary="Mean of the ranks that methods give to a row: params.members = ['rf-down', 'brt']",
            version="1",
            receives=_RECEIVES,
            accepts=("categorical",),
            probability="calibrated",
            bibtex=cite("valavi2022"),
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
            probability="calibrated",
            bibtex=cite("valavi2022"),
            licence="BSD-3-Clause",
        ),
    ]
