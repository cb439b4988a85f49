"""The contract of prior estimators: numbers inside (0, 1), close to the true prior on easy data."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import ClassVar, cast

import numpy as np

from pubench.errors import PriorError
from pubench.plugins.imports import resolve
from pubench.priors import PriorEstimate, checked
from pubench.specs import PriorEstimator, Scenario
from pubench.testing.contract import Contract, attempt, fail, skip
from pubench.testing.decoys import beside
from pubench.testing.functions import check_signature
from pubench.testing.samples import DEGENERATE, Sample, degenerate, easy_sample

__all__ = ["PriorContract"]

NEAR = 0.15


class PriorContract(Contract):
    """What pubench expects of a prior estimator; see :class:`pubench.specs.PriorEstimator`."""

    kind: ClassVar[str] = "priors"
    required: ClassVar[tuple[str, ...]] = ("summary", "assumes", "paper")

    @property
    def spec(self) -> PriorEstimator:
        """The spec."""
        return cast("PriorEstimator", self.registered.spec)

    def test_signature(self) -> None:
        """It is called as function(X, s, scenario=..., random_state=...) with its params."""
        call = "function(X, s, scenario=..., random_state=..., **params)"
        options = {"scenario": "", "random_state": 0, **self.spec.params}
        check_signature(self.spec.function, call, (None, None), options)

    def test_near_the_truth(self) -> None:
        """It is close to the true prior on easy data in the scenarios it declares."""
        for scenario in self.spec.scenarios:
            for truth in (0.3, 0.6):
                estimate = self._estimate(_sample(scenario, truth))
                if abs(estimate.value - truth) > NEAR:
                    fail(
                        f"on easy {scenario} data with prior {truth} it estimates {estimate.value:.2f}, which is "
                        f"more than {NEAR} off; correct it, or remove the scenario from the spec if it does not "
                        "support it"
                    )

    def test_interval(self) -> None:
        """Its interval contains its estimate."""
        estimate = self._estimate(_sample(self.spec.scenarios[0], 0.4))
        if not 0.0 <= estimate.low <= estimate.value <= estimate.high <= 1.0:
            fail(
                f"it returns {estimate.value} with the interval {estimate.low} to {estimate.high}; return values with "
                "0 <= low <= value <= high <= 1"
            )
        if not 0.0 < estimate.level <= 1.0:
            fail(f"the level of its interval is {estimate.level}; return a level above 0 and at most 1")

    def test_learns_from_s_alone(self) -> None:
        """It learns from s alone, even if true labels are accessible."""
        sample = _sample(self.spec.scenarios[0], 0.4)
        if self._estimate(sample) != self._estimate(sample):
            skip("its estimates vary anyway: see the check of random_state")
        package = resolve(self.spec.function).__module__.partition(".")[0]
        decoys = (sample.y, np.random.default_rng(0).permutation(sample.y), np.ones_like(sample.y))
        estimates = [beside(decoy, package, lambda: self._estimate(sample)) for decoy in decoys]
        if any(estimate != estimates[0] for estimate in estimates):
            fail(
                "its estimate changes with a variable named y or similar, which is not one of its inputs: it reads "
                "true labels from globals or from its caller; use only X and s"
            )

    def test_random_state(self) -> None:
        """It respects random_state."""
        sample = _sample(self.spec.scenarios[0], 0.4)
        first, second = (self._estimate(sample, global_seed=seed) for seed in (1, 2))
        if first != second:
            fail(
                f"with random_state=0 it estimates {first.value!r} and then {second.value!r}, so that it ignores the "
                "seed; draw from numpy.random.default_rng(random_state)"
            )

    def test_input_untouched(self) -> None:
        """It does not modify its input."""
        sample = _sample(self.spec.scenarios[0], 0.4)
        given = replace(sample, X=sample.X.copy(), s=sample.s.copy())
        self._estimate(given)
        for name in ("X", "s"):
            if not np.array_equal(getattr(sample, name), getattr(given, name)):
                fail(f"it modified its input {name}; work on a copy")

    def test_degenerate_inputs(self) -> None:
        """It handles degenerate inputs, or refuses them with a PriorError."""
        for kind, words in DEGENERATE.items():
            for sample in degenerate(kind, self.spec.scenarios[0]):
                self._estimate(sample, what=f"on {kind} ({words}) it", may_refuse=True)

    def test_sparse_rows(self) -> None:
        """It accepts sparse rows if it declares so."""
        from scipy.sparse import csr_array

        if "sparse" not in self.spec.accepts:
            skip("it does not declare sparse rows")
        sample = _sample(self.spec.scenarios[0], 0.4)
        sparse = self._estimate(replace(sample, X=csr_array(sample.X)), what="on sparse rows it")
        dense = self._estimate(sample)
        if abs(sparse.value - dense.value) > NEAR:
            fail(
                f"it estimates {sparse.value:.2f} from sparse rows and {dense.value:.2f} from the same rows in dense "
                "form; treat both alike"
            )

    def _estimate(
        self, sample: Sample, *, global_seed: int = 0, what: str = "it", may_refuse: bool = False
    ) -> PriorEstimate:
        spec = self.spec
        random.seed(global_seed)
        np.random.seed(global_seed)  # noqa: NPY002 - a check detects plugins that use the global generator
        with attempt(what):
            try:
                options = {"scenario": sample.scenario, "random_state": 0, **spec.params}
                return checked(resolve(spec.function)(sample.X, sample.s, **options), spec.name)
            except PriorError:
                if may_refuse:
                    return PriorEstimate(0.5, 0.0, 1.0)
                raise


def _sample(scenario: Scenario, prior: float) -> Sample:
    return easy_sample(scenario, n=600, prior=prior)
