"""The state of one job: which tasks come next, and from their outcomes to trials and records.

A job is a prior if that has to be estimated, a search if its algorithm is tuned, and a fit for each distinct choice of
its criteria. The driver hands tasks to workers and outcomes back in whatever order they come; results do not depend on
the order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from pubench.errors import counted
from pubench.plan.jobs import Cell, Job
from pubench.protocol.parts import CriterionPlan
from pubench.protocol.replies import Trial
from pubench.results.record import EvaluatedTrial, Record, StoredTrial
from pubench.run.completing import completed
from pubench.run.search import choose, no_choice, params_name
from pubench.run.searching import Searching
from pubench.run.tasks import (
    FitTask,
    GivenPrior,
    Outcome,
    PriorTask,
    RowCounts,
    RowsTask,
    Task,
    TrialTask,
    timeout,
)
from pubench.run.trial_fits import TrialFits
from pubench.status import Problem, Status

if TYPE_CHECKING:
    from pubench.specs import Params

__all__ = ["JobState"]


class JobState:
    """A job that is under way.

    Parameters
    ----------
    job : Job
    stored : sequence of StoredTrial
        Finished trials of its search, from earlier runs.
    spent : float
        The seconds that its search has used before.
    evaluated : sequence of EvaluatedTrial
        Trials of its search that earlier runs have judged on test rows.

    Attributes
    ----------
    records : list of Record
        The finished cells; who stores them takes them away.
    in_flight : int
        The number of its tasks that were taken and have not come back.
    estimate : tuple or None
        What its estimate of the prior shares with others, while that is its next task; see :attr:`PriorTask.same`.
    """

    def __init__(
        self,
        job: Job,
        stored: Sequence[StoredTrial] = (),
        spent: float = 0.0,
        evaluated: Sequence[EvaluatedTrial] = (),
    ) -> None:
        self.job = job
        self.records: list[Record] = []
        self.in_flight = 0
        pairs = zip(job.cells, job.criteria, strict=True)
        self._open: dict[str | None, tuple[Cell, CriterionPlan]] = {pair[1].name: pair for pair in pairs}
        self._watched = job.watched
        self._queue: deque[Task] = deque()
        self._rows: RowCounts | None = None
        self._heard = False
        self._prior: GivenPrior | None = None
        self._searching = Searching(job, job.tuning, stored, spent) if job.tuning is not None else None
        self._trial_fits = TrialFits(job.search, evaluated)
        self._fitted: list[tuple[FitTask, Outcome]] = []
        self._search_over = False
        self._tried: tuple[int, float] | None = None
        self._sharing: dict[str, list[str | None]] = {}
        self._failed: list[tuple[str | None, Problem]] = []
        self._note = ""
        self.estimate: tuple[object, ...] | None = None
        if job.prior.function:
            first = PriorTask(job)
            self._queue.append(first)
            self.estimate = first.same
        else:
            self._go_on()

    @property
    def is_done(self) -> bool:
        """Whether every cell has its record."""
        return not self._open

    @property
    def has_task(self) -> bool:
        """Whether a task can be taken now."""
        return bool(self._queue)

    def take(self) -> Task:
        """Return the next task."""
        self.in_flight += 1
        self.estimate = None
        task = self._queue.popleft()
        # Since it was queued, time may have passed, and a criterion may have dropped out.
        return self._trial_task(task.params) if isinstance(task, TrialTask) else task

    def take_trials(self) -> list[StoredTrial]:
        """Return the trials that have finished since the last time."""
        if self._searching is None:
            return []
        found, self._searching.new = self._searching.new, []
        return found

    def take_evaluated(self) -> list[EvaluatedTrial]:
        """Return the trials that have been judged on test rows since the last time."""
        found, self._trial_fits.new = self._trial_fits.new, []
        return found

    def accept(self, task: Task, outcome: Outcome) -> None:
        """Take the outcome of a task."""
        self.in_flight -= 1
        self._heard, self._rows = True, self._rows or outcome.rows
        match task:
            case RowsTask():
                pass
            case PriorTask():
                self._accept_prior(outcome.value)
            case TrialTask():
                self._accept_trial(task, outcome)
            case FitTask():
                self._accept_fit(task, outcome)
        for name, problem in self._failed:
            self._finish(name, Record.of_problem("", problem), GivenPrior())
        self._failed.clear()

    def _go_on(self) -> None:
        """Queue what comes next: trials, or the fits of what was chosen."""
        if self._searching is None:
            self._queue_fit(None, {})
            return
        proposed = self._searching.advance({str(name) for name in self._undecided()})
        if proposed is None:
            self._end_search()
        else:
            self._queue.extend(map(self._trial_task, proposed))

    def _accept_prior(self, value: object) -> None:
        if isinstance(value, Problem):
            # An estimator's failure affects only what needs a prior.
            everyone = self.job.algorithm.uses_prior
            for name, (_, criterion) in list(self._open.items()):
                if everyone or criterion.needs_prior:
                    self._fail(name, value)
            self._prior = GivenPrior(error=value.error)
        else:
            assert isinstance(value, GivenPrior)
            self._prior = value
        if self._undecided():
            self._go_on()

    def _undecided(self) -> list[str | None]:
        """Return the criteria whose cells have neither failed nor been chosen for."""
        failed = {name for name, _ in self._failed}
        return [name for name in self._open if name not in failed]

    def _trial_task(self, params: Params) -> TrialTask:
        assert self._searching is not None
        names = self._undecided()
        criteria = [criterion for name, (_, criterion) in self._open.items() if name in names]
        left = max(self.job.limits.seconds - self._searching.spent, 0.0)
        pruning = self._searching.pruning(params)
        return TrialTask(self.job, params, (*criteria, *self._watched), self._prior, left, pruning)

    def _accept_trial(self, task: TrialTask, outcome: Outcome) -> None:
        assert self._searching is not None
        if isinstance(outcome.value, Trial):
            self._searching.keep(outcome.value)
        if self._search_over:
            return
        if isinstance(outcome.value, Problem):
            self._accept_problem(task, outcome.value, outcome.blamed)
            return
        self._go_on()
        if not self._search_over and self._searching.spent > self.job.limits.seconds:
            self._stop_search(timeout(self.job))

    def _accept_problem(self, task: TrialTask, problem: Problem, blamed: str | None) -> None:
        """Take a trial that ended its process: the criterion that was being computed is to blame, or the algorithm."""
        if blamed not in {one.name for one in task.criteria}:
            self._stop_search(problem)
            return
        self._watched = tuple(one for one in self._watched if one.name != blamed)
        if blamed in self._undecided():
            self._fail(blamed, problem)
        if self._undecided():
            self._queue.appendleft(self._trial_task(task.params))

    def _stop_search(self, problem: Problem) -> None:
        """End the search before its end: choose from the finished trials if the suite says so."""
        assert self._searching is not None
        self._queue.clear()
        self._close_search()
        trials, size = self._searching.finished(), self._searching.size
        if problem.status is Status.TIMEOUT and self.job.limits.on_timeout == "best-so-far" and trials:
            self._note = (
                f"the time limit ended the search after {len(trials)} of {counted(size, 'trial')}; "
                "the best of them was chosen"
            )
            self._end_search(problem)
            return
        for name in self._undecided():
            self._fail(name, problem)

    def _close_search(self) -> None:
        """Count the trials: those that come in later are stored, and choose nothing."""
        assert self._searching is not None
        self._search_over = True
        self._tried = len(self._searching.finished()), self._searching.seconds()

    def _end_search(self, stopped: Problem | None = None) -> None:
        """Choose; a cell without a choice fails, or ends as what stopped the search."""
        assert self._searching is not None
        assert self.job.tuning is not None
        trials = self._searching.finished()
        self._close_search()
        for name in self._undecided():
            maximise = self._open[name][1].maximise
            best = choose(trials, str(name), maximise=maximise, rule=self.job.tuning.rule)
            if best is not None:
                self._queue_fit(name, best.params)
            else:
                self._fail(name, stopped or Problem(Status.FAILED, no_choice(trials, str(name))))
        if self.job.evaluate_trials and self._sharing:
            others = [one for one in self._trial_fits.begin(trials) if params_name(one) not in self._sharing]
            self._queue.extendleft(FitTask(self.job, params, self._prior) for params in reversed(others))

    def _queue_fit(self, name: str | None, params: Params) -> None:
        """Queue the fit of what a criterion has chosen; criteria that choose the same share it."""
        sharing = self._sharing.setdefault(params_name(params), [])
        if not sharing:
            self._queue.append(FitTask(self.job, params, self._prior))
        sharing.append(name)

    def _accept_fit(self, task: FitTask, outcome: Outcome) -> None:
        assert isinstance(outcome.value, Record | Problem)
        self._trial_fits.accept(task.params, outcome.value)
        if params_name(task.params) in self._sharing:
            self._fitted.append((task, outcome))
        if self._trial_fits.are_done:
            # A cell on record is not run again: before that all trials are judged.
            for fitted in self._fitted:
                self._finish_sharing(*fitted)
            self._fitted.clear()

    def _finish_sharing(self, task: FitTask, outcome: Outcome) -> None:
        """End the cells whose criteria have chosen what was fitted."""
        for name in self._sharing[params_name(task.params)]:
            if isinstance(outcome.value, Problem):
                self._fail(name, outcome.value)
            else:
                assert isinstance(outcome.value, Record)
                self._finish(name, outcome.value, outcome.prior or GivenPrior())

    def _fail(self, name: str | None, problem: Problem) -> None:
        """Let a cell end without a result, as soon as its rows have been counted."""
        self._failed.append((name, problem))
        if not self._heard and not self._queue:
            # All trials were known from an earlier run.
            self._queue.append(RowsTask(self.job))

    def _finish(self, name: str | None, record: Record, prior: GivenPrior) -> None:
        cell, criterion = self._open.pop(name)
        notes = (*record.notes, self._note) if self._note and record.status is Status.OK else record.notes
        record = msgspec.structs.replace(record, notes=notes)
        self.records.append(completed(self.job, cell, criterion, record, self._rows, prior, self._tried))
