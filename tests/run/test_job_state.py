"""The state of a job, without any process: which tasks come, in which order outcomes may come, what limits do."""

from __future__ import annotations

import random

import pytest
from helpers.suites import plan

from pubench.protocol.replies import Trial
from pubench.results.record import Record
from pubench.run.job_state import JobState
from pubench.run.search import params_name
from pubench.run.tasks import FitTask, GivenPrior, Outcome, PriorTask, RowCounts, RowsTask, TrialTask, timeout
from pubench.status import Problem, Status

ROWS = RowCounts(10, 63, 27, 1 / 3, ())
TUNED = [{"use": "toy", "tune": True}]


def job_of(limits=None, prior="true", algorithm="toy", **tuning):
    tuning = {"sampler": "grid", "folds": 2, "criteria": ["puf", "pauc"]} | tuning
    changes = {"limits": limits or {}, "prior": {"source": prior}}
    (job,) = plan(algorithms=[{"use": algorithm, "tune": True}], tuning=tuning, **changes).jobs
    return job


def value_of(params):
    return -((params["shift"] - 1.0) ** 2)


def outcome_of(task, seconds=0.1):
    """Return what a worker would say: the criteria agree that a shift of 1 is best."""
    match task:
        case TrialTask():
            folds = {str(one.name): (value_of(task.params),) * 2 for one in task.criteria}
            return Outcome(ROWS, Trial(params=task.params, folds=folds, seconds=seconds))
        case FitTask():
            return Outcome(ROWS, Record(key="", status=Status.OK, params=task.params, fit_seconds=0.1))
        case PriorTask():
            return Outcome(ROWS, GivenPrior(0.25))
        case RowsTask():
            return Outcome(ROWS, None)


def finish(state, answer=outcome_of, order=None):
    """Give each task its outcome, in the order they are taken or in a random one; return trials and tasks."""
    rng, running, trials, tasks = random.Random(order), [], [], []
    while not state.is_done:
        while state.has_task:
            running.append(state.take())
        task = running.pop(0 if order is None else rng.randrange(len(running)))
        tasks.append(task)
        state.accept(task, answer(task))
        trials += state.take_trials()
    return trials, tasks


def as_read(trials):
    """Return stored trials as a store gives them back: the latest of each number, in order."""
    return sorted({line.number: line for line in trials}.values(), key=lambda line: line.number)


@pytest.mark.parametrize("sampler", ["grid", "random", "tpe"])
@pytest.mark.parametrize("order", [1, 2])
def test_the_order_of_outcomes_does_not_matter(sampler, order):
    job = job_of(sampler=sampler, trials=5, criteria=["puf"])
    states = JobState(job), JobState(job)
    first, _ = finish(states[0])
    second, _ = finish(states[1], order=order)
    assert states[0].records == states[1].records
    assert as_read(first) == as_read(second)


@pytest.mark.parametrize("sampler", ["grid", "random", "tpe"])
@pytest.mark.parametrize("stored", [0, 1, 3, 5])
def test_stored_trials_are_not_run_again(sampler, stored):
    job = job_of(sampler=sampler, trials=5, criteria=["puf"])
    undisturbed = JobState(job)
    trials, _ = finish(undisturbed)
    resumed = JobState(job, as_read(trials)[:stored])
    again, tasks = finish(resumed)
    assert resumed.records == undisturbed.records
    assert as_read([*trials[:stored], *again]) == as_read(trials)
    run = [params_name(task.params) for task in tasks if isinstance(task, TrialTask)]
    assert not {params_name(line.trial.params) for line in trials[:stored]} & set(run)


def test_every_criterion_of_the_suite_is_stored_on_each_fold():
    jobs = plan(algorithms=TUNED, tuning={"sampler": "tpe", "trials": 4, "criteria": ["puf", "pauc"]}).jobs
    assert [[one.name for one in job.criteria] for job in jobs] == [["puf"], ["pauc"]]
    for job in jobs:
        trials, _ = finish(JobState(job))
        assert all(line.trial.folds.keys() == {"puf", "pauc"} for line in trials)


def test_a_search_beyond_its_time_is_a_timeout_and_its_trials_are_stored():
    state = JobState(job_of(limits={"seconds": 10.0}))
    trials, _ = finish(state, lambda task: outcome_of(task, seconds=4.0))
    assert {record.status for record in state.records} == {Status.TIMEOUT}
    assert {record.error for record in state.records} == {"did not finish within 10 seconds"}
    assert all(record.n_p == 10 for record in state.records)
    assert len(trials) == 3


def test_what_timed_out_goes_on_where_it_stopped_when_it_is_tried_again():
    job = job_of(limits={"seconds": 10.0})
    trials, _ = finish(JobState(job), lambda task: outcome_of(task, seconds=4.0))
    retried = JobState(job, as_read(trials))
    _, tasks = finish(retried, lambda task: outcome_of(task, seconds=4.0))
    assert {record.status for record in retried.records} == {Status.OK}
    assert sum(isinstance(task, TrialTask) for task in tasks) == 2


def test_a_killed_run_has_no_more_time_than_one_that_was_not():
    job = job_of(limits={"seconds": 10.0})
    trials, _ = finish(JobState(job), lambda task: outcome_of(task, seconds=4.0))
    resumed = JobState(job, as_read(trials)[:2], spent=8.0)
    finish(resumed, lambda task: outcome_of(task, seconds=4.0))
    assert {record.status for record in resumed.records} == {Status.TIMEOUT}


def test_the_best_so_far_is_chosen_if_the_suite_says_so():
    state = JobState(job_of(limits={"seconds": 10.0, "on_timeout": "best-so-far"}))
    finish(state, lambda task: outcome_of(task, seconds=4.0))
    assert {record.status for record in state.records} == {Status.OK}
    # The grid is -2, -1, 0, 1, 2: three trials were finished.
    assert {params_name(record.params) for record in state.records} == {'{"shift": 0.0}'}
    note = "the time limit ended the search after 3 of 5 trials; the best of them was chosen"
    assert {record.notes for record in state.records} == {(note,)}
    assert {record.n_trials for record in state.records} == {3}


def test_without_a_finished_trial_there_is_no_best_so_far():
    def hangs(task):
        return Outcome(ROWS, timeout(task.job))

    state = JobState(job_of(limits={"seconds": 10.0, "on_timeout": "best-so-far"}))
    finish(state, hangs)
    assert {record.status for record in state.records} == {Status.TIMEOUT}


def test_a_criterion_without_a_value_has_no_best_so_far():
    def empty(task):
        if not isinstance(task, TrialTask):
            return outcome_of(task)
        folds = {"puf": (value_of(task.params),), "pauc": (None,)}
        return Outcome(ROWS, Trial(params=task.params, folds=folds, seconds=4.0))

    state = JobState(job_of(limits={"seconds": 10.0, "on_timeout": "best-so-far"}))
    finish(state, empty)
    assert {record.criterion: record.status for record in state.records} == {
        "puf": Status.OK,
        "pauc": Status.TIMEOUT,
    }


def test_a_criterion_that_ends_the_process_fails_its_own_cell_only():
    def dies(task):
        if isinstance(task, TrialTask) and "pauc" in {one.name for one in task.criteria}:
            return Outcome(ROWS, Problem(Status.CRASHED, "was ended"), blamed="pauc")
        return outcome_of(task)

    for order in (None, 1, 2):
        state = JobState(job_of())
        finish(state, dies, order)
        assert {record.criterion: record.status for record in state.records} == {
            "puf": Status.OK,
            "pauc": Status.CRASHED,
        }


def test_an_algorithm_that_ends_the_process_fails_all_cells_of_its_search():
    def dies(task):
        return Outcome(ROWS, Problem(Status.OUT_OF_MEMORY, "used more than its 10 MB of memory"))

    state = JobState(job_of())
    _, tasks = finish(state, dies)
    assert [record.status for record in state.records] == [Status.OUT_OF_MEMORY] * 2
    assert len(tasks) == 1


def test_a_search_whose_stored_trials_all_failed_still_counts_its_rows():
    def fails(task):
        if isinstance(task, TrialTask):
            return Outcome(ROWS, Trial(params=task.params, error="ValueError: no"))
        return outcome_of(task)

    undisturbed = JobState(job_of())
    trials, _ = finish(undisturbed, fails)
    resumed = JobState(job_of(), as_read(trials))
    _, tasks = finish(resumed, fails)
    assert [type(task) for task in tasks] == [RowsTask]
    assert resumed.records == undisturbed.records


def test_an_estimated_prior_comes_first_and_reaches_every_task():
    state = JobState(job_of(prior="toy-guess", algorithm="toy-prior"))
    _, tasks = finish(state)
    assert [isinstance(task, PriorTask) for task in tasks] == [True] + [False] * (len(tasks) - 1)
    assert {task.prior for task in tasks[1:]} == {GivenPrior(0.25)}


def test_rows_that_cannot_be_labelled_fail_every_cell():
    problem = Problem(Status.FAILED, "too few positives")
    state = JobState(job_of())
    finish(state, lambda task: Outcome(None, problem))
    assert [(record.status, record.error, record.n_p) for record in state.records] == [
        (Status.FAILED, "too few positives", None)
    ] * 2


@pytest.mark.parametrize("sampler", ["grid", "random", "tpe"])
@pytest.mark.parametrize("order", [None, 1, 2])
def test_pruning_depends_on_ended_batches_alone(sampler, order):
    """Trials are compared with those of earlier batches, in whatever order outcomes come, also after a restart."""
    job = job_of(sampler=sampler, trials=9, batch=3, criteria=["puf"], pruner="median")
    seen = {}

    def answer(task):
        outcome = outcome_of(task)
        if isinstance(task, TrialTask):
            pruning = task.pruning
            assert len(pruning.earlier) == pruning.number // 3 * 3
            seen.setdefault(params_name(task.params), []).append(pruning)
            pruned = pruning.number % 3 == 2
            folds = {} if pruned else outcome.value.folds
            trial = Trial(
                params=task.params, folds=folds, pruned=pruned, curves=(((1, float(pruning.number)),),)
            )
            return Outcome(ROWS, trial)
        return outcome

    states = JobState(job), JobState(job)
    trials, _ = finish(states[0], answer)
    again, _ = finish(states[1], answer, order=order)
    assert all(first == second for first, second in (pair for pair in seen.values() if len(pair) == 2))
    assert as_read(trials) == as_read(again)
    resumed = JobState(job, as_read(trials)[:4])
    rest, _ = finish(resumed, answer)
    assert resumed.records[0].params == states[0].records[0].params
    assert as_read([*as_read(trials)[:4], *rest]) == as_read(trials)
