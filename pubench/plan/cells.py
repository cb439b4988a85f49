"""From resolved parts to cells with keys and seeds, and the jobs that compute them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from pubench.data.labelling import Labelling
from pubench.plan.datasets import ResolvedDataset
from pubench.plan.jobs import Cell, DataPlan, Job, Limits
from pubench.plan.keys import cell_key, job_seeds, labelling_digest, search_key
from pubench.plan.resolved import ResolvedAlgorithm, ResolvedCriterion, ResolvedPrior
from pubench.suite import Suite
from pubench.tasks import CriterionPlan, MetricPlan, PriorPlan

__all__ = ["LaidOut", "ResolvedSuite", "lay_out"]


@dataclass(frozen=True, slots=True)
class ResolvedSuite:
    """Everything that a suite names, resolved.

    ``pu_criteria`` replace metrics where true classes are unknown; ``training`` score models on their training rows.
    """

    suite: Suite
    datasets: Sequence[ResolvedDataset]
    algorithms: Sequence[ResolvedAlgorithm]
    criteria: Sequence[ResolvedCriterion]
    priors: Sequence[ResolvedPrior]
    metrics: tuple[MetricPlan, ...]
    pu_criteria: tuple[CriterionPlan, ...]
    files: tuple[str, ...]
    training: Sequence[ResolvedCriterion] = ()


@dataclass(frozen=True, slots=True)
class LaidOut:
    """The cells in order, the jobs of those that can run, and why the cells of a failed data set cannot."""

    cells: list[Cell]
    jobs: list[Job]
    without_data: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Combination:
    """What a group of replicates shares."""

    data: ResolvedDataset
    labelling: Labelling
    prior: ResolvedPrior
    algorithm: ResolvedAlgorithm
    criterion: ResolvedCriterion


def lay_out(resolved: ResolvedSuite) -> LaidOut:
    """Combine the parts of a suite into cells and jobs."""
    layout = _Layout(resolved)
    cells: list[Cell] = []
    jobs: list[Job] = []
    without_data: dict[str, str] = {}
    for replicate, group in layout.groups():
        made = [layout.cell(replicate, combination) for combination in group]
        cells += made
        data = group[0].data.plan
        if isinstance(data, str):
            without_data |= {cell.key: data for cell in made if not cell.skip}
            continue
        kept = [(cell, c) for cell, c in zip(made, group, strict=True) if not cell.skip]
        if kept:
            jobs.append(layout.job(replicate, kept, data))
    return LaidOut(cells, jobs, without_data)


class _Layout:
    """Turns combinations into cells and jobs; the digests of labellings are computed once."""

    def __init__(self, resolved: ResolvedSuite) -> None:
        self.resolved, self.suite = resolved, resolved.suite
        self._labellings = {labelling: labelling_digest(labelling) for labelling in self.suite.labellings}

    def groups(self) -> Iterator[tuple[int, list[_Combination]]]:
        """Yield for each job its replicate and its combinations, one for each criterion that shares the search."""
        criteria = self.resolved.criteria
        shared = [[one] for one in criteria] if self.suite.tuning.is_adaptive else [list(criteria)]
        untuned = [[ResolvedCriterion.none()]]
        for data in self.resolved.datasets:
            labellings = filter(data.is_given, self.suite.labellings)
            algorithms = [one for one in self.resolved.algorithms if one.is_run_on(data)]
            for labelling, prior in product(labellings, self.resolved.priors):
                for replicate, algorithm in product(range(self.suite.replicates), algorithms):
                    for group in shared if algorithm.tuned else untuned:
                        yield (
                            replicate,
                            [_Combination(data, labelling, prior, algorithm, one) for one in group],
                        )

    def cell(self, replicate: int, combination: _Combination) -> Cell:
        """Return a planned cell."""
        data, algorithm, criterion = combination.data, combination.algorithm, combination.criterion
        labelling, factor = combination.labelling, combination.prior.factor
        key = cell_key(
            data=data.digest,
            labelling=self._labellings[labelling],
            algorithm=algorithm.digest,
            criterion=criterion.digest,
            # A cell that uses no prior has the same key for every factor: it runs once, for all of their tables.
            prior=combination.prior.digest if self._uses_prior(combination) else "",
            run=(self.suite.seed, replicate, self.suite.limits.threads),
            training=[one.digest for one in self.resolved.training],
        )
        return Cell(
            key=key,
            dataset=data.label,
            scenario=labelling.scenario,
            labelling=labelling.label if factor is None else f"{labelling.label}, prior x {factor:g}",
            replicate=replicate,
            algorithm=algorithm.label,
            criterion=criterion.name,
            reference=algorithm.reference or criterion.reference,
            skip=self._skip(combination),
            prior_factor=factor,
        )

    def job(self, replicate: int, kept: list[tuple[Cell, _Combination]], data: DataPlan) -> Job:
        """Return the job that computes some cells of a group."""
        first, limits = kept[0][1], self.suite.limits
        uses_prior = any(self._uses_prior(combination) for _, combination in kept)
        return Job(
            cells=tuple(cell for cell, _ in kept),
            criteria=tuple(combination.criterion.plan for _, combination in kept),
            data=data,
            labelling=first.labelling,
            algorithm=first.algorithm.plan,
            tuning=first.criterion.search,
            prior=first.prior.plan if uses_prior else PriorPlan(source="none"),
            limits=Limits(
                limits.seconds, limits.memory_mb, limits.threads, limits.on_timeout, limits.isolation
            ),
            metrics=() if first.data.pu else self.resolved.metrics,
            pu_criteria=self.resolved.pu_criteria if first.data.pu else (),
            seeds=job_seeds(
                seed=self.suite.seed,
                replicate=replicate,
                rows=first.data.rows_digest,
                labelling=self._labellings[first.labelling],
                algorithm=first.algorithm.digest,
            ),
            files=self.resolved.files,
            training=tuple(one.plan for one in self.resolved.training),
            watched=self._watched(kept),
            search=search_key(cell.key for cell, _ in kept) if first.criterion.search is not None else "",
            keep_predictions=self.suite.store.predictions,
        )

    def _watched(self, kept: list[tuple[Cell, _Combination]]) -> tuple[CriterionPlan, ...]:
        """Return the other criteria of the suite that can score the trials of a job without asking for more."""
        first = kept[0][1]
        if first.criterion.search is None:
            return ()
        own = {combination.criterion.name for _, combination in kept}
        has_prior = any(self._uses_prior(combination) for _, combination in kept)
        return tuple(
            one.plan
            for one in self.resolved.criteria
            if one.name not in own
            and not one.reference
            and (has_prior or not one.needs_prior)
            and not one.unfit(first.data, first.labelling.scenario)
        )

    def _uses_prior(self, combination: _Combination) -> bool:
        scored = combination.data.pu and any(one.needs_prior for one in self.resolved.pu_criteria)
        trained = any(one.needs_prior for one in self.resolved.training)
        return combination.algorithm.uses_prior or combination.criterion.needs_prior or scored or trained

    def _skip(self, combination: _Combination) -> str:
        """Say why an algorithm cannot be run on this data, at plan time; empty if it can."""
        scenario = combination.labelling.scenario
        data, algorithm, criterion = combination.data, combination.algorithm, combination.criterion
        reasons = [
            data.unfit(combination.labelling),
            algorithm.unfit(data, scenario),
            criterion.unfit(data, scenario),
            combination.prior.unfit(data, scenario) if self._uses_prior(combination) else "",
        ]
        source = combination.prior.plan.source
        unknown = source == "none" or (source == "true" and data.pu)
        if unknown and (algorithm.needs_prior or criterion.needs_prior):
            who = algorithm.label if algorithm.needs_prior else f"criterion '{criterion.name}'"
            reasons.append(f"{who} needs a class prior; set [prior] source")
        return next(filter(None, reasons), "")
