"""From resolved parts to cells with keys and seeds, and the jobs that compute them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from pubench.data.cache import digest
from pubench.data.labelling import Labelling
from pubench.plan.datasets import ResolvedDataset
from pubench.plan.jobs import Cell, CriterionPlan, DataPlan, Job, Limits, MetricPlan, PriorPlan
from pubench.plan.parts import ResolvedAlgorithm, ResolvedCriterion, ResolvedPrior
from pubench.suite import Suite

__all__ = ["Layout", "Parts"]

PROTOCOL = "1"
"""Change it when a change of pubench itself changes results: every stored cell is then run again."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that a suite names, resolved.

    ``judges`` stand in for metrics where true classes are unknown; ``training`` judge models by their training rows.
    """

    datasets: Sequence[ResolvedDataset]
    algorithms: Sequence[ResolvedAlgorithm]
    searches: Sequence[ResolvedCriterion]
    priors: Sequence[ResolvedPrior]
    metrics: tuple[MetricPlan, ...]
    judges: tuple[CriterionPlan, ...]
    files: tuple[str, ...]
    training: Sequence[ResolvedCriterion] = ()


@dataclass(frozen=True, slots=True)
class _Combination:
    """What a group of replicates shares."""

    data: ResolvedDataset
    labelling: Labelling
    prior: ResolvedPrior
    algorithm: ResolvedAlgorithm
    search: ResolvedCriterion


class Layout:
    """Turns combinations into cells and jobs; digests of what repeats are computed once."""

    def __init__(self, suite: Suite, parts: Parts) -> None:
        self.suite, self.parts = suite, parts
        self._labellings = {labelling: digest(labelling.identity()) for labelling in suite.labellings}

    def lay_out(self) -> tuple[list[Cell], list[Job], dict[str, str]]:
        """Return the cells in order, the jobs for those that can run, and why those of a broken data set cannot."""
        cells: list[Cell] = []
        jobs: list[Job] = []
        broken: dict[str, str] = {}
        for replicate, group in self._groups():
            made = [self._cell(replicate, combination) for combination in group]
            cells += made
            if isinstance(group[0].data.plan, str):
                broken |= {cell.key: group[0].data.plan for cell in made if not cell.skip}
                continue
            kept = [(c, g) for c, g in zip(made, group, strict=True) if not c.skip]
            if kept:
                jobs.append(self._job(replicate, kept, group[0].data.plan))
        return cells, jobs, broken

    def _groups(self) -> Iterator[tuple[int, list[_Combination]]]:
        """Yield for each job its replicate and its combinations, one for each criterion that shares the search."""
        searches = self.parts.searches
        shared = [[search] for search in searches] if self.suite.tuning.is_adaptive else [list(searches)]
        for data in self.parts.datasets:
            labellings = filter(data.is_given, self.suite.labellings)
            algorithms = [one for one in self.parts.algorithms if one.is_run_on(data)]
            for labelling, prior in product(labellings, self.parts.priors):
                for replicate in range(self.suite.replicates):
                    for algorithm in algorithms:
                        for group in shared if algorithm.tuned else [[ResolvedCriterion.none()]]:
                            yield (
                                replicate,
                                [_Combination(data, labelling, prior, algorithm, one) for one in group],
                            )

    def _cell(self, replicate: int, combination: _Combination) -> Cell:
        data, algorithm, search = combination.data, combination.algorithm, combination.search
        labelling, factor = combination.labelling, combination.prior.factor
        # What uses no prior has the same key for every factor: it is run once, and stands in each one's table.
        prior = combination.prior.digest if self._uses_prior(combination) else ""
        parts = (
            PROTOCOL,
            data.digest,
            self._labellings[labelling],
            algorithm.digest,
            search.digest,
            prior,
            f"{self.suite.seed}/{replicate}/{self.suite.limits.threads}",
            # Nothing is added where nothing is asked of training rows: such cells keep the key that they had before.
            *sorted(part.digest for part in self.parts.training),
        )
        return Cell(
            key=hashlib.sha256("|".join(parts).encode()).hexdigest()[:24],
            dataset=data.label,
            scenario=labelling.scenario,
            labelling=labelling.label if factor is None else f"{labelling.label}, prior x {factor:g}",
            replicate=replicate,
            algorithm=algorithm.label,
            criterion=search.name,
            reference=algorithm.reference or search.reference,
            skip=self._skip(combination),
            prior_factor=factor,
        )

    def _uses_prior(self, combination: _Combination) -> bool:
        judged = combination.data.pu and any(judge.needs_prior for judge in self.parts.judges)
        trained = any(part.needs_prior for part in self.parts.training)
        return combination.algorithm.uses_prior or combination.search.needs_prior or judged or trained

    def _skip(self, combination: _Combination) -> str:
        """Say why an algorithm cannot be run on this data, at plan time; nothing if it can."""
        scenario = combination.labelling.scenario
        data, algorithm, search = combination.data, combination.algorithm, combination.search
        reasons = [
            data.unfit(combination.labelling),
            algorithm.unfit(data, scenario),
            search.unfit(data, scenario),
            combination.prior.unfit(data, scenario) if self._uses_prior(combination) else "",
        ]
        source = combination.prior.plan.source
        unknown = source == "none" or (source == "true" and data.pu)
        if unknown and (algorithm.needs_prior or search.needs_prior):
            who = algorithm.label if algorithm.needs_prior else f"criterion '{search.name}'"
            reasons.append(f"{who} needs a class prior; set [prior] source")
        return next(filter(None, reasons), "")

    def _job(self, replicate: int, kept: list[tuple[Cell, _Combination]], data: DataPlan) -> Job:
        first = kept[0][1]
        criteria: list[CriterionPlan] = [combination.search.plan for _, combination in kept]
        uses_prior = any(self._uses_prior(combination) for _, combination in kept)
        limits = self.suite.limits
        return Job(
            cells=tuple(cell for cell, _ in kept),
            criteria=tuple(criteria),
            data=data,
            labelling=first.labelling,
            algorithm=first.algorithm.plan,
            tuning=first.search.tuning,
            prior=first.prior.plan if uses_prior else PriorPlan("none"),
            limits=Limits(limits.seconds, limits.memory_mb, limits.threads),
            metrics=() if first.data.pu else self.parts.metrics,
            judges=self.parts.judges if first.data.pu else (),
            seeds=self._seeds(replicate, first),
            files=self.parts.files,
            training=tuple(part.plan for part in self.parts.training),
        )

    def _seeds(self, replicate: int, combination: _Combination) -> dict[str, int]:
        """Name every source of randomness.

        Splits and labels do not depend on the algorithm, so that algorithms are compared on the same rows; the split
        does not depend on the labelling either, so that a sweep over label frequency keeps its test rows.
        """
        rows = f"{self.suite.seed}|{combination.data.rows_digest}|{replicate}"
        labelled = f"{rows}|{self._labellings[combination.labelling]}"
        fitted = f"{labelled}|{combination.algorithm.digest}"
        bases = {"sample": rows, "split": rows, "label": rows, "folds": labelled, "prior": labelled}
        return {name: _seed(base, name) for name, base in (bases | {"search": fitted, "fit": fitted}).items()}


def _seed(base: str, purpose: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{base}|{purpose}".encode()).digest()[:8], "little") >> 1
