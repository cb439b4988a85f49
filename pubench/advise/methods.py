"""The methods that advice compares, and how one is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pubench.errors import PubenchError
from pubench.plugins.discovery import discover
from pubench.plugins.imports import resolve
from pubench.protocol.parts import AlgorithmPlan

if TYPE_CHECKING:
    from pubench.estimators.rows import Estimator
    from pubench.plugins.registry import Registry
    from pubench.specs import Algorithm, JSONValue, Scenario

__all__ = ["DECIDERS", "POOL", "PREFERRED", "Method", "make_method", "resolve_methods"]

POOL = (
    "naive-lr-prior",
    "pu-bagging-tree",
    "puet",
    "naive-et-prior",
    "pu-bagging-svm",
    "purf",
    "wlr",
    "novelgb",
    "naive-svc-prior",
)
"""The candidates, quick ones first: if the budget ends early, these have been compared."""
PREFERRED = ("pu-bagging-svm", "pu-bagging-tree", "puet", *POOL)
"""Which method to take among those that cannot be distinguished, the first one first."""
DECIDERS = ("pu-bagging-tree", "pu-bagging-svm")
"""Methods that decide without a prior, and well."""
_RANKER = "naive"
_SETTINGS: Mapping[str, Mapping[str, JSONValue]] = {
    "puet": {"n_estimators": 500, "min_samples_leaf": 5},
    "naive-et-prior": {"n_estimators": 300},
    "pu-bagging-tree": {"n_estimators": 300},
}
"""What is set otherwise than registered: more trees, and leaves that hold more than one row, rank rows better."""


@dataclass(frozen=True, slots=True)
class Method:
    """A candidate as it is compared: one fit ranks the rows.

    Attributes
    ----------
    name : str
    plan : AlgorithmPlan
        What is fitted in the sandbox.
    cuts : bool
        Whether decisions come from a cut of its scores at the prior; otherwise they are its own.
    needs_prior : bool
    takes_codes : bool
        Whether it is fitted on categories as codes, as its spec accepts them, and not on their indicators.
    """

    name: str
    plan: AlgorithmPlan
    cuts: bool
    needs_prior: bool
    takes_codes: bool


def resolve_methods(names: Sequence[str]) -> tuple[Method, ...]:
    """Return the candidates of these registered names, each once.

    Raises
    ------
    PubenchError
        If a name is unknown, or stands for a reference that learns from true classes.
    """
    registry = discover()
    return tuple(_method(name, registry) for name in dict.fromkeys(names))


def _method(name: str, registry: Registry) -> Method:
    spec = _usable(name, registry)
    cuts, ranker = spec.threshold != "own", spec
    params = dict(spec.params)
    if spec.threshold == "built-in" and "classifier" in params:
        # It cuts the scores of a balanced classifier at the prior by five more fits. The classifier alone ranks rows
        # alike, and the comparison has out-of-fold scores of its own to cut.
        ranker, params = registry.algorithm(_RANKER).spec, {**params, "class_weight": "balanced"}
    plan = AlgorithmPlan(
        estimator=ranker.estimator,
        params=params,
        space={},
        receives=ranker.receives,
        labels=ranker.labels,
        scenarios=spec.scenarios,
    )
    return Method(name, plan, cuts, needs_prior="prior" in spec.needs, takes_codes=_takes_codes(spec))


def _takes_codes(spec: Algorithm) -> bool:
    """Whether it takes codes as they are; one that asks which columns hold them does not split them as numbers."""
    return "categorical" in spec.accepts and "categorical_features" not in spec.receives


def _usable(name: str, registry: Registry) -> Algorithm:
    spec = registry.algorithm(name).spec
    if spec.labels == "true" or "propensity" in spec.receives:
        raise PubenchError(
            f"method '{name}' learns from true classes or propensities, which PU data do not have; name another"
        )
    return replace(spec, params={**spec.params, **_SETTINGS.get(name, {})})


def make_method(
    name: str, *, prior: float | None, scenario: Scenario, seed: int, ranks_only: bool = False
) -> Estimator:
    """Return a new estimator for a person's data.

    Parameters
    ----------
    name : str
        A registered name.
    prior : float or None
        Pr(y = 1) in the population; None only for a method that needs none.
    scenario : {"case-control", "single-training-set"}
    seed : int
    ranks_only : bool
        Whether only its scores matter: a method that is cut at the prior is then made without the cut, which saves
        five of six fits.

    Returns
    -------
    Estimator
        Not fitted. Its decisions are cut at the prior where suites do so.
    """
    from pubench.estimators.prior_cut import PriorCut

    registry = discover()
    spec = _usable(name, registry)
    if prior is None and "prior" in spec.needs:
        raise PubenchError(f"method '{name}' needs the class prior; give one, or name another method")
    filled: dict[str, JSONValue] = {"prior": prior, "scenario": scenario, "random_state": seed}
    plan = _method(name, registry).plan if ranks_only else spec
    own = {key: filled[key] for key in plan.receives if key in filled}
    estimator = resolve(plan.estimator)(**{**own, **plan.params})
    if ranks_only or spec.threshold != "prior" or prior is None:
        return estimator
    return PriorCut(estimator, prior=prior, scenario=scenario, random_state=seed)
