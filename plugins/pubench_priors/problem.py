"""What every estimator is handed, checked once: rows, labels, scenario, and the words that refuse the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from pubench.errors import PriorError, did_you_mean
from pubench.specs import SCENARIOS, Scenario

__all__ = ["Floats", "Labels", "Problem", "Settings", "read_problem"]

Floats = NDArray[np.float64]
Labels = NDArray[np.uint8]
# Out-of-fold scores need a labelled and an unlabelled row on both sides of a fold.
_LEAST = 2


@dataclass(frozen=True, slots=True)
class Settings:
    """What all estimators take: how rows are scored, and how the interval is made; see docs/priors.md for ``folds``."""

    classifier: Any = "auto"
    folds: int | None = None
    level: float = 0.9
    n_resamples: int = 100

    @classmethod
    def of(cls, name: str, given: Mapping[str, Any]) -> Settings:
        """Return the settings that an estimator was given by name."""
        known = [field.name for field in fields(cls)]
        for unknown in (key for key in given if key not in known):
            raise PriorError(
                f"prior estimator '{name}' has no parameter '{unknown}'{did_you_mean(unknown, known)}"
            )
        return cls(**given)

    def __post_init__(self) -> None:
        if not 0.0 < self.level < 1.0:
            raise PriorError(
                f"level = {self.level!r} must lie strictly between 0 and 1; give 0.9, for example"
            )
        for name, least in (("folds", 2), ("n_resamples", 20)):
            value = getattr(self, name)
            if name == "folds" and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise PriorError(f"{name} = {value!r} must be a whole number of at least {least}")


@dataclass(frozen=True, slots=True)
class Problem:
    """Rows X (n, d), s (n,) and the scenario that they come from; ``holes`` says that cells are missing."""

    X: Any
    s: Labels
    scenario: Scenario
    seed: int
    holes: bool

    @property
    def sparse(self) -> bool:
        """Whether X is a sparse matrix."""
        return not isinstance(self.X, np.ndarray)

    @property
    def n_labelled(self) -> int:
        """The number of labelled rows."""
        return int(self.s.sum())


def read_problem(
    name: str,
    X: Any,
    s: ArrayLike,
    scenario: Scenario,
    random_state: Any,
    *,
    claimed: tuple[Scenario, ...],
    takes: tuple[Literal["sparse", "missing"], ...] = ("sparse", "missing"),
) -> Problem:
    """Return the data as a problem, or say in one sentence why estimator ``name`` cannot take them.

    Parameters
    ----------
    name : str
    X : array or sparse matrix of shape (n, d)
    s : array-like of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    scenario : str
    random_state : int, RandomState, Generator or None
    claimed : tuple of str
        The scenarios in which the estimator is right.
    takes : tuple of str
        ``"sparse"`` and ``"missing"``, if it takes such rows.
    """
    _check_scenario(name, scenario, claimed)
    rows = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan")
    labels = _labels(name, s, rows.shape[0])
    sparse = not isinstance(rows, np.ndarray)
    holes = bool(np.isnan(rows.data if sparse else rows).any())
    if sparse and "sparse" not in takes:
        raise PriorError(
            f"prior estimator '{name}' cannot take sparse rows; make them dense, or choose 'bbe'"
        )
    if holes and (sparse or "missing" not in takes):
        raise PriorError(f"prior estimator '{name}' cannot take these missing values; impute them first")
    return Problem(rows, labels, scenario, _seed(random_state), holes)


def _check_scenario(name: str, scenario: object, claimed: tuple[Scenario, ...]) -> None:
    if scenario not in SCENARIOS:
        raise PriorError(f"scenario {scenario!r} is unknown; give one of {', '.join(SCENARIOS)}")
    if scenario not in claimed:
        raise PriorError(
            f"prior estimator '{name}' is made for {' and '.join(claimed)} data, not for {scenario} data; "
            "choose one that is, such as 'bbe'"
        )


def _labels(name: str, s: ArrayLike, n: int) -> Labels:
    values = np.asarray(s).ravel()
    if len(values) != n:
        raise PriorError(
            f"prior estimator '{name}': {n} rows but {len(values)} labels; give one for each row"
        )
    if not np.isin(values, (0, 1)).all():
        raise PriorError(f"prior estimator '{name}': labels must be 1 (labelled) and 0 (unlabelled)")
    labels: Labels = values.astype(np.uint8)
    counts = {"labelled": int(labels.sum()), "unlabelled": int(n - labels.sum())}
    for kind, count in counts.items():
        if count < _LEAST:
            rows = "row" if count == 1 else "rows"
            raise PriorError(
                f"prior estimator '{name}': {count} {kind} {rows} cannot determine the class prior; "
                f"give at least {_LEAST}, or the prior itself"
            )
    return labels


def _seed(random_state: Any) -> int:
    """Return a seed; equal states give equal seeds, and a generator moves on as if it had drawn a number."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    try:
        return int(np.random.default_rng(random_state).integers(2**31 - 1))
    except (TypeError, ValueError):
        raise PriorError(
            f"random_state = {random_state!r} must be a whole number of at least 0, a RandomState, a Generator or None"
        ) from None
