"""The contract of prior estimators: a number inside (0, 1), near the truth where the truth is easy to see."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any, ClassVar

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

    def test_signature(self) -> None:
        """It is called as function(X, s, scenario=..., random_state=...) with its params."""
        spec: PriorEstimator = self.spec
        written = "function(X, s, scenario=..., random_state=..., **params)"
        check_signature(
            spec.function, written, (None, None), {"scenario": "", "random_state": 0, **spec.params}
        )

    def test_near_the_truth(self) -> None:
        """It is near the truth on easy data in the scenarios it claims."""
        for scenario in self.spec.scenarios:
            for truth in (0.3, 0.6):
                found = self._estimate(_sample(scenario, truth))
                if abs(found.value - truth) > NEAR:
                    fail(
                        f"on easy {scenario} data with prior {truth} it says {found.value:.2f}, more than {NEAR} off; "
                        "leave the scenario out of the spec if it is not made for it"
                    )

    def test_interval(self) -> None:
        """Its interval holds its estimate."""
        found = self._estimate(_sample(self.spec.scenarios[0], 0.4))
        if not 0.0 <= found.low <= found.value <= found.high <= 1.0:
            fail(
                f"it returns {found.value} with the interval {found.low} to {found.high}; order them within [0, 1]"
            )
        if not 0.0 < found.level <= 1.0:
            fail(f"the level of its interval is {found.level}; it lies above 0 and at most at 1")

    def test_learns_from_s_alone(self) -> None:
        """It learns from s alone, whatever true labels lie about."""
        sample = _sample(self.spec.scenarios[0], 0.4)
        if self._estimate(sample) != self._estimate(sample):
            skip("its estimates vary anyway: see the check of random_state")
        package = resolve(self.spec.function).__module__.partition(".")[0]
        decoys = (sample.y, np.random.default_rng(0).permutation(sample.y), np.ones_like(sample.y))
        seen = [beside(decoy, package, lambda: self._estimate(sample)) for decoy in decoys]
        if any(other != seen[0] for other in seen):
            fail(
                "its estimate changes with a variable named y or the like, which it is not given: it reads true labels "
                "from the globals or from its caller"
            )

    def test_random_state(self) -> None:
        """It honours random_state."""
        sample = _sample(self.spec.scenarios[0], 0.4)
        one, other = (self._estimate(sample, world=world) for world in (1, 2))
        if one != other:
            fail(
                f"asked twice with random_state=0, it says {one.value!r} and {other.value!r}: it ignores the seed; "
                "draw from numpy.random.default_rng(random_state)"
            )

    def test_input_untouched(self) -> None:
        """It does not write into its input."""
        sample = _sample(self.spec.scenarios[0], 0.4)
        given = replace(sample, X=sample.X.copy(), s=sample.s.copy())
        self._estimate(given)
        for name in ("X", "s"):
            if not np.array_equal(getattr(sample, name), getattr(given, name)):
                fail(f"it wrote into the {name} it was given; work on a copy")

    def test_degenerate_inputs(self) -> None:
        """It survives degenerate inputs, or refuses them with a PriorError."""
        for kind, words in DEGENERATE.items():
            for sample in degenerate(kind, self.spec.scenarios[0]):
                self._estimate(sample, what=f"on {kind} ({words}) it", may_refuse=True)

    def test_sparse_rows(self) -> None:
        """It takes sparse rows where it claims to."""
        from scipy.sparse import csr_array

        if "sparse" not in self.spec.accepts:
            skip("it claims no sparse rows")
        sample = _sample(self.spec.scenarios[0], 0.4)
        found = self._estimate(replace(sample, X=csr_array(sample.X)), what="on sparse rows it")
        dense = self._estimate(sample)
        if abs(found.value - dense.value) > NEAR:
            fail(
                f"it says {found.value:.2f} for sparse rows and {dense.value:.2f} for the same rows when dense"
            )

    def _estimate(
        self, sample: Sample, *, world: int = 0, what: str = "it", may_refuse: bool = False
    ) -> PriorEstimate:
        spec: PriorEstimator = self.spec
        random.seed(world)
        np.random.seed(world)  # noqa: NPY002 - one that draws from the global generator is to be found out
        with attempt(what):
            try:
                options: dict[str, Any] = {"scenario": sample.scenario, "random_state": 0}
                return checked(
                    resolve(spec.function)(sample.X, sample.s, **options, **spec.params), spec.name
                )
            except PriorError:
                if may_refuse:
                    return PriorEstimate(0.5, 0.0, 1.0)
                raise


def _sample(scenario: Scenario, prior: float) -> Sample:
    return easy_sample(scenario, n=600, prior=prior)
