"""From resolved parts to cells with keys and seeds, and the jobs that compute them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from pubench.data.labelling import Labelling
from pubench.interpreter import collector_paused
from pubench.plan.datasets import ResolvedDataset
from pubench.plan.jobs import Cell, Job, Limits
from pubench.plan.keys import ReplicateSeeds, cell_key, draw_digest, labelling_digest, search_key
from pubench.plan.prior_source import ResolvedPrior
from pubench.plan.resolved import ResolvedAlgorithm, ResolvedCriterion
from pubench.protocol.parts import CriterionPlan, MetricPlan, PriorPlan
from pubench.suite import Suite

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
    """The cells in order, the jobs of those that can run, and why the cells of a failed data set cannot.

    ``draws`` is that of :class:`pubench.plan.jobs.Plan`.
    """

    cells: list[Cell]
    jobs: list[Job]
    without_data: Mapping[str, str]
    draws: Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class _Combination:
    """What a group of replicates shares."""

    data: ResolvedDataset
    labelling: Labelling
    prior: ResolvedPrior
    algorithm: ResolvedAlgorithm
    criterion: ResolvedCriterion


@dataclass(frozen=True, slots=True)
class _CellSeries:
    """A combination's cells, one for each replicate, of which all but key and number are alike."""

    combination: _Combination
    labelling: str
    labelling_digest: str
    prior_digest: str
    uses_prior: bool
    skip: str

    def cell(self, seed: int, replicate: int, threads: int, training: Sequence[str]) -> Cell:
        """Return the cell of a replicate."""
        one = self.combination
        algorithm, criterion = one.algorithm, one.criterion
        key = cell_key(
            data=one.data.digest,
            labelling=self.labelling_digest,
            algorithm=algorithm.digest,
            criterion=criterion.digest,
            prior=self.prior_digest,
            run=(seed, replicate, threads),
            training=training,
        )
        return Cell(
            key,
            one.data.label,
            one.labelling.scenario,
            self.labelling,
            replicate,
            algorithm.label,
            criterion.name,
            algorithm.reference or criterion.reference,
            self.skip,
            one.prior.factor,
        )


def lay_out(resolved: ResolvedSuite) -> LaidOut:
    """Combine the parts of a suite into cells and jobs.

    What does not depend on the replicate is worked out once for all of them: a suite may have 100,000 cells.
    """
    with collector_paused():
        return _lay_out(_Layout(resolved), resolved.suite)


def _lay_out(layout: _Layout, suite: Suite) -> LaidOut:
    cells: list[Cell] = []
    jobs: list[Job] = []
    without_data: dict[str, str] = {}
    draws: dict[tuple[str, str], str] = {}
    for data, labelling, prior in layout.places():
        groups = layout.groups(data, labelling, prior)
        digest = layout.labelling_digest(labelling)
        draw = draw_digest(seed=suite.seed, rows=data.rows_digest, labelling=digest)
        draws |= {(data.label, one.labelling): draw for series, _ in groups for one in series}
        for replicate in range(suite.replicates):
            seeds = ReplicateSeeds.of(
                seed=suite.seed, replicate=replicate, rows=data.rows_digest, labelling=digest
            )
            for series, make_job in groups:
                made = [layout.cell(one, replicate) for one in series]
                cells += made
                if isinstance(data.plan, str):
                    without_data |= {cell.key: data.plan for cell in made if not cell.skip}
                elif make_job is not None:
                    jobs.append(make_job(made, seeds))
    return LaidOut(cells, jobs, without_data, draws)


_JobMaker = Callable[[Sequence[Cell], ReplicateSeeds], Job]


class _Layout:
    """Turns combinations into series of cells, and into what makes their jobs."""

    def __init__(self, resolved: ResolvedSuite) -> None:
        self.resolved, self.suite = resolved, resolved.suite
        self._labellings = {labelling: labelling_digest(labelling) for labelling in self.suite.labellings}
        self._training = tuple(one.digest for one in resolved.training)

    def labelling_digest(self, labelling: Labelling) -> str:
        """Return the digest of a labelling, which is computed once."""
        return self._labellings[labelling]

    def places(self) -> Iterator[tuple[ResolvedDataset, Labelling, ResolvedPrior]]:
        """Yield where algorithms are compared: data sets with each of their labellings and priors."""
        for data in self.resolved.datasets:
            labellings = filter(data.is_given, self.suite.labellings)
            for labelling, prior in product(labellings, self.resolved.priors):
                yield data, labelling, prior

    def groups(
        self, data: ResolvedDataset, labelling: Labelling, prior: ResolvedPrior
    ) -> list[tuple[list[_CellSeries], _JobMaker | None]]:
        """Return the series of cells that share jobs, one for each criterion of a search, and what makes the jobs."""
        criteria = self.resolved.criteria
        shared = [[one] for one in criteria] if self.suite.tuning.is_adaptive else [list(criteria)]
        untuned = [[ResolvedCriterion.none()]]
        found = []
        for algorithm in self.resolved.algorithms:
            if algorithm.is_run_on(data):
                own = data.prepared(algorithm.preprocess)
                for group in shared if algorithm.tuned else untuned:
                    parts = [_Combination(own, labelling, prior, algorithm, one) for one in group]
                    series = [self._series(one) for one in parts]
                    found.append((series, self._job_maker(series)))
        return found

    def cell(self, series: _CellSeries, replicate: int) -> Cell:
        """Return the cell of a replicate."""
        return series.cell(self.suite.seed, replicate, self.suite.limits.threads, self._training)

    def _series(self, combination: _Combination) -> _CellSeries:
        label, factor = combination.labelling.label, combination.prior.factor
        uses_prior = self._uses_prior(combination)
        return _CellSeries(
            combination,
            label if factor is None else f"{label}, prior x {factor:g}",
            self._labellings[combination.labelling],
            # A cell that uses no prior has the same key for every factor: it runs once, for all of their tables.
            combination.prior.digest if uses_prior else "",
            uses_prior,
            self._skip(combination),
        )

    def _job_maker(self, series: Sequence[_CellSeries]) -> _JobMaker | None:
        """Return what makes the job of some cells and a replicate's seeds; None where none of the cells can run."""
        places = [place for place, one in enumerate(series) if not one.skip]
        data = series[0].combination.data.plan if series else ""
        if not places or isinstance(data, str):
            return None
        kept = [series[place] for place in places]
        first, own = kept[0].combination, self.suite.limits
        prior = first.prior.plan if any(one.uses_prior for one in kept) else PriorPlan(source="none")
        limits = Limits(own.seconds, own.memory_mb, own.threads, own.on_timeout, own.isolation)
        criteria = tuple(one.combination.criterion.plan for one in kept)
        metrics = self.resolved.metrics if first.data.judged else ()
        pu_criteria = () if first.data.judged else self.resolved.pu_criteria
        training, watched = tuple(one.plan for one in self.resolved.training), self._watched(kept)

        def make(cells: Sequence[Cell], seeds: ReplicateSeeds) -> Job:
            own_cells = tuple(cells[place] for place in places)
            searched = first.criterion.search is not None
            return Job(
                own_cells,
                criteria,
                data,
                first.labelling,
                first.algorithm.plan,
                first.criterion.search,
                prior,
                limits,
                metrics,
                pu_criteria,
                seeds.of_job(first.algorithm.digest),
                self.resolved.files,
                training,
                watched,
                search_key(cell.key for cell in own_cells) if searched else "",
                self.suite.store.predictions,
                searched and self.suite.store.trials,
            )

        return make

    def _watched(self, kept: Sequence[_CellSeries]) -> tuple[CriterionPlan, ...]:
        """Return the other criteria of the suite that can score the trials of a job without asking for more."""
        first = kept[0].combination
        if first.criterion.search is None:
            return ()
        own = {one.combination.criterion.name for one in kept}
        has_prior = any(one.uses_prior for one in kept)
        return tuple(
            one.plan
            for one in self.resolved.criteria
            if one.name not in own
            and not one.reference
            and (has_prior or not one.needs_prior)
            and not one.unfit(first.data, first.labelling.scenario)
        )

    def _uses_prior(self, combination: _Combination) -> bool:
        scored = not combination.data.judged and any(one.needs_prior for one in self.resolved.pu_criteria)
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
            reasons.append(f'{who} needs a class prior; set [prior] source, to "estimate" for example')
        return next(filter(None, reasons), "")
