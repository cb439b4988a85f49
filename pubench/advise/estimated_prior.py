"""The class prior of a person's table, estimated in a process of its own, as methods are fitted."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pubench.advise.fold_fits import AS_IT_IS, FIT_SECONDS, MEMORY_MB, stored_rows
from pubench.advise.thinning import thinned, whole_statement
from pubench.data.truth import hidden_places
from pubench.errors import PriorError
from pubench.estimators.prior_statement import RANGE, PriorStatement, combine_estimates
from pubench.plugins.discovery import discover
from pubench.priors import DEFAULT, PriorEstimate
from pubench.protocol.parts import Features
from pubench.protocol.replies import PriorFound
from pubench.protocol.requests import Prepare, PriorRequest
from pubench.run.asking import TaskError, out_of_turn, replies
from pubench.sandbox import Processes, Sandbox, SandboxError, TaskLimits
from pubench.sandbox.early import ALGORITHMS
from pubench.specs import PriorEstimator, Scenario

__all__ = ["averaged", "state_prior_of"]

_REPEATS, _ENOUGH_ROWS = 3, 5000
"""How often a table is dealt into folds again, and from how many rows on once is enough."""
Floats = NDArray[np.float64]
Labels = NDArray[np.uint8]


def state_prior_of(X: Floats, s: Labels, *, scenario: Scenario, seed: int) -> PriorStatement:
    """State what P and U say about the class prior; a large table is represented by a sample of its rows.

    The estimators score rows out of fold, and in a small table another deal of the rows gives another interval. Three
    deals are averaged, so that the statement depends less on the seed.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    scenario : {"case-control", "single-training-set"}
    seed : int

    Raises
    ------
    PriorError
        If an estimator cannot serve these data, or exceeds the limits of a fit.
    """
    rows = thinned(s, np.random.default_rng(seed))
    repeats = 1 if len(rows) >= _ENOUGH_ROWS else _REPEATS
    seeds = [int(one) for one in np.random.default_rng([seed, len(rows)]).integers(2**31, size=repeats)]
    with tempfile.TemporaryDirectory(prefix="pubench-") as folder:
        asking = _Asking(stored_rows(Path(folder) / "rows", X[rows]), s[rows], scenario, seeds)
        point, plausible = (averaged(found) for found in asking.estimates((DEFAULT, RANGE)))
    return whole_statement(combine_estimates(point, plausible), s, s[rows], scenario)


def averaged(estimates: Sequence[PriorEstimate]) -> PriorEstimate:
    """Return the means of estimates of one prior; the doubts are those of the estimate in the middle."""
    middle = sorted(estimates, key=float)[len(estimates) // 2]
    value, low, high = (
        float(np.mean([getattr(one, name) for one in estimates])) for name in ("value", "low", "high")
    )
    upper = [one.upper for one in estimates if one.upper is not None]
    return replace(middle, value=value, low=low, high=high, upper=float(np.mean(upper)) if upper else None)


@dataclass(frozen=True, slots=True, eq=False)
class _Asking:
    """Asks estimators about the same rows, once for each seed."""

    data: Features
    s: Labels
    scenario: Scenario
    seeds: Sequence[int]

    def estimates(self, names: Sequence[str]) -> list[list[PriorEstimate]]:
        """Return what each estimator says, all in one process: with one seed they share the scores of the rows."""
        specs = [discover().prior(name).spec for name in names]
        prepare = Prepare(files=(), imports=tuple(spec.function for spec in specs))
        processes = Processes(ALGORITHMS, hidden_places)
        try:
            with processes.task(prepare, TaskLimits(FIT_SECONDS, MEMORY_MB)) as sandbox:
                found = [[self._ask(sandbox, spec, seed) for spec in specs] for seed in self.seeds]
        except (TaskError, SandboxError) as failure:
            raise PriorError(
                f"the class prior cannot be estimated: {failure.problem.error}; if you know it, give it"
            ) from None
        finally:
            processes.close()
        return [list(one) for one in zip(*found, strict=True)]

    def _ask(self, sandbox: Sandbox, spec: PriorEstimator, seed: int) -> PriorEstimate:
        request = PriorRequest(
            data=self.data,
            preprocess=AS_IT_IS,
            scenario=self.scenario,
            seed=seed,
            name=spec.name,
            function=spec.function,
            params=dict(spec.params),
        )
        sandbox.allow(FIT_SECONDS)
        found = next(replies(sandbox, request, [np.arange(len(self.s)), self.s])).message
        if not isinstance(found, PriorFound):
            raise out_of_turn(sandbox, found)
        return PriorEstimate(found.value, found.low, found.high, found.level, found.doubts, found.upper)
