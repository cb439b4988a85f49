"""PU samples for the contracts: easy ones, and degenerate ones on which many methods fail."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pubench.data.values import Matrix
from pubench.specs import Scenario

__all__ = ["DEGENERATE", "Sample", "degenerate", "easy_sample", "wide_sample"]


@dataclass(frozen=True, slots=True)
class Sample:
    """Labelled and unlabelled rows with their true classes, and test rows.

    Attributes
    ----------
    X, X_test : array or CSR matrix of shape (n, d) and (m, d)
    s, y : int64 arrays of shape (n,)
        Labels (1 = labelled positive, 0 = unlabelled) and true classes.
    y_test : int64 array of shape (m,)
    prior : float
        Pr(y = 1) in the population.
    scenario : {"case-control", "single-training-set"}
    """

    X: Matrix
    s: NDArray[np.int64]
    y: NDArray[np.int64]
    X_test: Matrix
    y_test: NDArray[np.int64]
    prior: float
    scenario: Scenario


def easy_sample(scenario: Scenario, *, seed: int = 0, n: int = 320, d: int = 4, prior: float = 0.4) -> Sample:
    """Draw from two normal clouds whose centres differ by four standard deviations.

    In the case-control scenario a quarter of the n rows are P, drawn separately, and the other rows are a sample of the
    population. In the single-training-set scenario all n rows are the sample, and each positive is labelled with
    probability 1/2.
    """
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prior).astype(np.int64)
    if scenario == "case-control":
        s = (np.arange(n) < n // 4).astype(np.int64)
        y[s == 1] = 1
    else:
        s = y * (rng.random(n) < 0.5)
    y_test = (rng.random(n) < prior).astype(np.int64)
    return Sample(_clouds(y, d, rng), s, y, _clouds(y_test, d, rng), y_test, prior, scenario)


def _clouds(y: NDArray[np.int64], d: int, rng: np.random.Generator) -> NDArray[np.float64]:
    rows: NDArray[np.float64] = rng.standard_normal((len(y), d)) + 4.0 / d**0.5 * (y[:, np.newaxis] - 0.5)
    return rows


def wide_sample(scenario: Scenario, *, rows: int = 1_200, columns: int = 16_000) -> Sample:
    """Return sparse rows whose dense copy takes 150 megabytes: five frequent words in each, and five rare ones."""
    from scipy.sparse import csr_array

    sample, rng = easy_sample(scenario, n=rows), np.random.default_rng(1)
    halves = [
        np.concatenate([_words(y, rng), rng.integers(20, columns, (rows, 5))], axis=1)
        for y in (sample.y, sample.y_test)
    ]
    starts = np.arange(0, rows * 10 + 1, 10, dtype=np.int32)
    matrices = [
        csr_array((np.ones(rows * 10), half.ravel().astype(np.int32), starts), shape=(rows, columns))
        for half in halves
    ]
    for matrix in matrices:
        matrix.sum_duplicates()
    return replace(sample, X=matrices[0], X_test=matrices[1])


def _words(y: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    return rng.integers(0, 10, (len(y), 5)) + 10 * y[:, np.newaxis]


DEGENERATE = {
    "one positive": "a single labelled row",
    "constant features": "columns that hold one value",
    "duplicated rows": "every row four times",
}


def degenerate(kind: str, scenario: Scenario) -> list[Sample]:
    """Return the samples of a kind of :data:`DEGENERATE`."""
    sample = easy_sample(scenario)
    if kind == "one positive":
        first = np.zeros_like(sample.s)
        first[np.flatnonzero(sample.s)[0]] = 1
        return [replace(sample, s=first)]
    if kind == "duplicated rows":
        rows = np.repeat(np.arange(0, len(sample.s), 4), 4)
        return [replace(sample, X=sample.X[rows], s=sample.s[rows], y=sample.y[rows])]
    return [_constant(sample, columns) for columns in (slice(0, 1), slice(None))]


def _constant(sample: Sample, columns: slice) -> Sample:
    X, X_test = sample.X.copy(), sample.X_test.copy()
    X[:, columns] = X_test[:, columns] = 3.0
    return replace(sample, X=X, X_test=X_test)
