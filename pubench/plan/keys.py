"""Every digest and every seed: what defines a cell's result, and where its randomness comes from.

A digest here decides whether stored cells are still valid. What is listed below is hashed as JSON; fields that came
later leave the digest as it was where they have their default.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

import msgspec

from pubench.data.cache import digest
from pubench.data.labelling import Labelling
from pubench.data.stored import StoredDataset
from pubench.plugins.registry import Registered
from pubench.protocol.parts import AlgorithmPlan, Preprocess, PriorPlan, SearchPlan, Seeds
from pubench.specs import Algorithm, Criterion, Metric, Params, PriorEstimator

__all__ = [
    "DECIDING",
    "PROTOCOL",
    "ReplicateSeeds",
    "algorithm_digest",
    "cell_key",
    "criterion_digest",
    "dataset_digests",
    "draw_digest",
    "failed_dataset_digest",
    "labelling_digest",
    "oracle_digest",
    "prior_digest",
    "search_key",
]

PROTOCOL = "1"
"""Change it when pubench itself changes results: every stored cell is then run again."""

DECIDING = "2"
"""Change it when cuts at the prior or calibrated probabilities change: only cells that have them are run again."""

_DECIDING_OF = dict.fromkeys(("blssvm", "bsvm", "gllc", "one-class-svm", "pual"), "3")
"""The same for cells of single algorithms: these are now cut on scores without the shift of their own decisions."""

_FIRST_ADDRESS = {"pubench.estimators.foreign:foreign": "pubench.foreign:foreign"}
"""Import strings that moved, and the one under which stored cells know them."""

_FIRST_DEFAULTS: Mapping[str, Params] = {
    "nnpu": {"loss": "sigmoid", "l2": 0.005},
    "nnpu-linear": {"loss": "sigmoid"},
    "novelgb": {"l2": 50.0},
    "one-class-svm": {"border": "fitted"},
    "pu-bagging-et": {"labeled_weight": 1.0, "estimator__min_samples_leaf": 1},
    "upu-mlp": {"loss": "sigmoid"},
}
"""Values that algorithms had by default when the papers' cells were stored: a suite that gives them has those cells."""


def cell_key(
    *,
    data: str,
    labelling: str,
    algorithm: str,
    criterion: str,
    prior: str,
    run: tuple[int, int, int],
    training: Iterable[str],
) -> str:
    """Return the key of a cell from the digests of its parts; ``run`` is seed, replicate and threads.

    Criteria on training rows come last, so that cells without them keep their keys.
    """
    parts = (
        PROTOCOL,
        data,
        labelling,
        algorithm,
        criterion,
        prior,
        "/".join(map(str, run)),
        *sorted(training),
    )
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:24]


def search_key(cells: Iterable[str]) -> str:
    """Return the key of the search that some cells share: stored trials of another search are not taken for its own."""
    return digest(["search", *sorted(cells)])[:24]


def draw_digest(*, seed: int, rows: str, labelling: str) -> str:
    """Return the digest of all that splits and labels follow from, but for the number of the replicate."""
    return digest(["draw", PROTOCOL, seed, rows, labelling])[:24]


@dataclass(frozen=True, slots=True)
class ReplicateSeeds:
    """The seeds that all algorithms on one replicate of labelled data share.

    Splits and labels do not depend on the algorithm, so that algorithms are compared on the same rows; the split
    does not depend on the labelling either, so that a sweep over label frequency keeps its test rows.
    """

    labelled: str
    sample: int
    split: int
    label: int
    folds: int
    prior: int

    @classmethod
    def of(cls, *, seed: int, replicate: int, rows: str, labelling: str) -> ReplicateSeeds:
        """Return them, from the suite's seed and the digests of the rows and of the labelling."""
        drawn = f"{seed}|{rows}|{replicate}"
        labelled = f"{drawn}|{labelling}"
        return cls(
            labelled,
            sample=_seed(drawn, "sample"),
            split=_seed(drawn, "split"),
            label=_seed(drawn, "label"),
            folds=_seed(labelled, "folds"),
            prior=_seed(labelled, "prior"),
        )

    def of_job(self, algorithm: str) -> Seeds:
        """Return a seed for each source of randomness of a job, from the algorithm's digest."""
        fitted = f"{self.labelled}|{algorithm}"
        return Seeds(
            sample=self.sample,
            split=self.split,
            label=self.label,
            folds=self.folds,
            prior=self.prior,
            search=_seed(fitted, "search"),
            fit=_seed(fitted, "fit"),
        )


def _seed(base: str, purpose: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{base}|{purpose}".encode()).digest()[:8], "little") >> 1


def dataset_digests(
    stored: StoredDataset,
    classes: Mapping[int, int],
    sample: tuple[int, int] | None,
    preprocess: Preprocess,
    given: int | None = None,
) -> tuple[str, str]:
    """Return the digests of the data as algorithms see them, and of the rows alone."""
    names = {stored.classes[number]: side for number, side in classes.items()}
    rows = [stored.fingerprint, names, sample, *([] if given is None else [stored.given[given]])]
    steps = asdict(preprocess)
    if preprocess.resample == "none":
        # It came later: what does not use it keeps its key.
        del steps["resample"]
    return digest([*rows, steps]), digest(rows)


def failed_dataset_digest(use: str, params: Params, error: str) -> str:
    """Return the digest of a data set that cannot be loaded."""
    return digest([use, dict(params), error])


def labelling_digest(labelling: Labelling) -> str:
    """Return the digest of what defines rows and labels; the name does not."""
    return digest(labelling.identity())


def algorithm_digest(use: str, registered: Registered[Algorithm], plan: AlgorithmPlan, own_prior: str) -> str:
    """Return the digest of an algorithm with its parameters; ``own_prior`` is that of an estimator it names."""
    estimator = _FIRST_ADDRESS.get(plan.estimator, plan.estimator)
    space = {name: msgspec.to_builtins(param) for name, param in plan.space.items()}
    first = _FIRST_DEFAULTS.get(use, {})
    params = {name: value for name, value in plan.params.items() if name not in first or first[name] != value}
    defining = [use, registered.version, estimator, params, space, plan.labels]
    later = [own_prior] if own_prior else []
    if plan.dtype != "float64":
        later.append(plan.dtype)
    if registered.inferred or registered.origin.file:
        # Another constructor may ask for more.
        later += [f"receives {name}" for name in plan.receives]
    if plan.learns_decisions:
        # Where parameters give the prior, decisions used that of the suite before.
        by = "" if plan.own_prior == "none" else f"/{plan.own_prior}"
        later.append(f"{plan.threshold}/{plan.probability}/{_DECIDING_OF.get(use, DECIDING)}{by}")
    return digest([*defining, *later])


def criterion_digest(registered: Registered[Criterion], search: SearchPlan | None) -> str:
    """Return the digest of a criterion and of its search, if there is one."""
    spec = registered.spec
    searched = [_search_fields(search)] if search is not None else []
    return digest([spec.name, registered.version, spec.function, dict(spec.params), *searched])


def oracle_digest(name: str, metric: Registered[Metric], search: SearchPlan) -> str:
    """Return the digest of an oracle criterion and of its search."""
    return digest([name, metric.version, _search_fields(search)])


def _search_fields(search: SearchPlan) -> dict[str, object]:
    names = ("sampler", "trials", "batch", "folds", "validation")
    fields = {name: getattr(search, name) for name in names}
    later = {"rule": search.rule, "defaults": search.defaults}
    fields = fields if later == {"rule": "best", "defaults": False} else fields | later
    fields |= {"pruner": search.pruner} if search.pruner else {}
    return fields | ({"spatial": True} if search.spatial else {})


def prior_digest(
    plan: PriorPlan,
    registered: Registered[PriorEstimator] | None,
    interval: Registered[PriorEstimator] | None = None,
) -> str:
    """Return the digest of a source of the prior, and of its interval's; a factor of 1 changes nothing."""
    if registered is not None:
        source = digest([plan.name, registered.version, plan.function, plan.params])
        if interval is not None:
            source = digest([source, interval.version])
    elif plan.source == "fixed":
        source = digest(["fixed", plan.value])
    else:
        source = digest(plan.source)
    return source if plan.factor == 1 else digest([source, plan.factor])
