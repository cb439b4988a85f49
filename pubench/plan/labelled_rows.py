"""The labelled rows of real PU data: whether there are enough of them to compare settings by, and how many differ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pubench.data.splits import held_out
from pubench.data.stored import StoredDataset, read_features
from pubench.data.truth import read_target
from pubench.errors import DataError
from pubench.estimators.copies import few_distinct
from pubench.plan.jobs import DataPlan

if TYPE_CHECKING:
    from pubench.data.labelling import Labelling
    from pubench.plan.datasets import ResolvedDataset
    from pubench.suite.models import TuningConfig

__all__ = ["check_folds", "copies_note", "few_labelled"]

_LEAST_LABELLED = 5
"""Labelled rows in a fold: recall is otherwise known to no better than a quarter."""


def check_folds(labelling: Labelling, *, data: ResolvedDataset, tuning: TuningConfig) -> None:
    """Raise DataError if real PU data have too few labelled rows to compare settings by, or no map to make folds of."""
    if tuning.split == "spatial" and isinstance(data.plan, DataPlan) and not data.plan.stored.has_coordinates:
        raise DataError(f"data set '{data.label}' has no coordinates; set tuning.split to \"random\"")
    if not data.pu or not isinstance(labelling.test, float) or not data.is_given(labelling):
        return
    trained = data.counts[0] - held_out(data.counts[0], labelling.test)
    judged = _judging(trained, tuning)
    if judged < _LEAST_LABELLED:
        raise DataError(
            f"data set '{data.label}': {trained} labelled training rows leave {judged:.3g} to judge a setting by, "
            f"and a search needs at least {_LEAST_LABELLED}; {_remedy(trained, labelling.test, tuning)}"
        )


def few_labelled(labelling: Labelling, tuning: TuningConfig) -> str:
    """Warn where a number of labels that is drawn leaves too few to compare settings by; empty if it does not."""
    drawn = labelling.positives
    if not isinstance(drawn, int) or _judging(drawn, tuning) >= _LEAST_LABELLED:
        return ""
    return (
        f"{drawn} labelled rows leave {_judging(drawn, tuning):.3g} to judge a setting by: a search chooses mostly by "
        f"chance; set tuning.folds to {max(2, drawn // _LEAST_LABELLED)}, or label more positives"
    )


def _judging(labelled: int, tuning: TuningConfig) -> float:
    """Return how many labelled rows judge a setting."""
    return labelled * tuning.validation if tuning.validation else labelled / (tuning.folds or 1)


def _remedy(trained: int, test: float, tuning: TuningConfig) -> str:
    """Say what leaves enough labelled rows, both to fit and to judge a setting by."""
    least = 2 * _LEAST_LABELLED
    if trained < least:
        needed = next(n for n in range(least, 100 * least) if n - held_out(n, test) >= least)
        return f"remove tune, or label at least {needed} rows (there must be {least} for training)"
    if tuning.validation:
        share = math.ceil(100 * _LEAST_LABELLED / trained) / 100
        return f"set tuning.validation to {share:g} or more, remove tune, or label more rows"
    return f"set tuning.folds to {trained // _LEAST_LABELLED} or less, remove tune, or label more rows"


def copies_note(stored: StoredDataset, label: str) -> tuple[str, ...]:
    """Say so if most labelled rows of real PU data are copies of each other."""
    labelled = np.flatnonzero(read_target(stored.truth) == stored.classes.index("1"))
    found = few_distinct(read_features(stored.for_child())[labelled])
    return (f"{label}: {found}",) if found else ()
