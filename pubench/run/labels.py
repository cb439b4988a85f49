"""Where the truth is: choose the rows of a job, split and label them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench.data.labelling import assign, label_all
from pubench.data.labelling.protocol import Labelling
from pubench.data.stored import read_features
from pubench.data.truth import read_given, read_posterior, read_sides, read_split
from pubench.data.values import Assignment, Matrix, Truth
from pubench.plan.jobs import DataPlan, Job

__all__ = ["LabelledRows", "label_job", "label_whole"]


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """Rows of a stored data set, which of them train, test and are labelled, and their true classes.

    The assignment's numbers are positions in ``rows``.
    """

    rows: NDArray[np.int64]
    assignment: Assignment
    truth: Truth

    @property
    def train(self) -> NDArray[np.int64]:
        """The training rows of the stored data set, shape (n,)."""
        return self.rows[self.assignment.train]

    @property
    def test(self) -> NDArray[np.int64]:
        """The test rows of the stored data set."""
        return self.rows[self.assignment.test]


def label_job(job: Job) -> LabelledRows:
    """Choose the rows of a job, split and label them by its seeds."""
    data, seeds = job.data, job.seeds
    if data.given is not None:
        return _label_given(data, np.random.default_rng(seeds.split))
    rows, sides = _used_rows(data)
    if data.sample is not None:
        rows = _sample(rows, sides, data.sample, np.random.default_rng(seeds.sample))
        sides = read_sides(data.stored.truth, data.classes)[rows]
    y = sides.astype(np.uint8)
    assignment = assign(
        y,
        job.labelling,
        split_rng=np.random.default_rng(seeds.split),
        label_rng=np.random.default_rng(seeds.label),
        split=read_split(data.stored.truth)[rows] if data.stored.has_split else None,
        features=lambda: _features(data, rows),
    )
    posterior = None
    if data.stored.has_posterior and data.classes == {0: 0, 1: 1}:
        posterior = read_posterior(data.stored.truth)[rows[assignment.test]]
    return LabelledRows(rows, assignment, Truth(y[assignment.train], y[assignment.test], posterior))


def label_whole(data: DataPlan, labelling: Labelling, seed: int) -> LabelledRows:
    """Label a data set without keeping rows for testing."""
    if data.given is not None:
        return _label_given(data, np.random.default_rng(seed))
    rows, sides = _used_rows(data)
    y = sides.astype(np.uint8)
    rng = np.random.default_rng(seed)
    assignment = label_all(y, labelling, rng=rng, features=lambda: _features(data, rows))
    return LabelledRows(rows, assignment, Truth(y[assignment.train], y[assignment.test]))


def _label_given(data: DataPlan, rng: np.random.Generator) -> LabelledRows:
    """Return the labels that come with the data; rows with a known class test, and are not trained on."""
    assert data.given is not None
    s, y_test = read_given(data.stored.truth)[data.given]
    rows = rng.permutation(s.size)
    unknown = y_test[rows] < 0
    train = np.concatenate([rows[unknown & (s[rows] == label)] for label in (1, 0)])
    test, labels = rows[~unknown], s[train].astype(np.uint8)
    assignment = Assignment(train, labels, test, None)
    return LabelledRows(np.arange(s.size), assignment, Truth(labels, y_test[test].astype(np.uint8)))


def _used_rows(data: DataPlan) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Return the rows of the classes in use, and 1 or 0 for each of them."""
    sides = read_sides(data.stored.truth, data.classes)
    rows = np.flatnonzero(sides >= 0)
    return rows, sides[rows]


def _features(data: DataPlan, rows: NDArray[np.int64]) -> Matrix:
    return read_features(data.stored.for_child())[rows]


def _sample(
    rows: NDArray[np.int64], sides: NDArray[np.int8], sample: tuple[int, int], rng: np.random.Generator
) -> NDArray[np.int64]:
    positive, negative = sample
    chosen = [
        rng.choice(rows[sides == side], size, replace=False) for side, size in ((1, positive), (0, negative))
    ]
    return np.sort(np.concatenate(chosen))
