"""The record of a finished cell: what its task found, completed with what is known of its job."""

from __future__ import annotations

import msgspec

from pubench.plan.jobs import Cell, Job
from pubench.protocol.parts import CriterionPlan
from pubench.results.record import Record
from pubench.run.tasks import GivenPrior, RowCounts

__all__ = ["completed"]


def completed(
    job: Job,
    cell: Cell,
    criterion: CriterionPlan,
    record: Record,
    rows: RowCounts | None,
    prior: GivenPrior,
    trials: tuple[int, float] | None,
) -> Record:
    """Return a cell's record with its key, rows, prior, search and notes.

    Parameters
    ----------
    rows : RowCounts or None
        None where the rows could not be labelled.
    trials : tuple or None
        How many trials of its search are finished, and their seconds; None where nothing is tuned.
    """
    notes = [*job.data.notes, *(rows.notes if rows is not None else ()), *record.notes]
    used = prior if _uses_prior(job, criterion) else GivenPrior()
    notes += [f"prior by {job.prior.name}: {doubt}" for doubt in used.doubts]
    counts = {} if rows is None else {"n_p": rows.n_p, "n_u": rows.n_u, "n_test": rows.n_test}
    n_trials, seconds = trials or (0, 0.0)
    return msgspec.structs.replace(
        record,
        key=cell.key,
        **counts,
        true_prior=None if rows is None else rows.true_prior,
        prior=used.value,
        prior_low=used.low,
        prior_high=used.high,
        notes=tuple(notes) if rows is not None else record.notes,
        search=job.search if n_trials else "",
        criterion=criterion.name or "",
        n_trials=n_trials or None,
        tune_seconds=None if record.fit_seconds is None else seconds,
    )


def _uses_prior(job: Job, criterion: CriterionPlan) -> bool:
    """Whether the cell used a prior, whatever the others of its job were given."""
    scorers = (criterion, *job.training)
    return job.algorithm.uses_prior or any(one.needs_prior for one in scorers)
