"""Where the truth is: data sets in the plane, by t-SNE, for the suites whose report asks for them."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pubench.data.preprocess import fit_preprocess
from pubench.data.stored import read_features
from pubench.data.values import Matrix
from pubench.plan.jobs import Job
from pubench.plan.planning import ExecutionPlan
from pubench.results.record import MapRecord
from pubench.results.store import Store, read_maps
from pubench.run.driver import Progress
from pubench.run.labels import LabelledRows, label_job

__all__ = ["place_rows", "store_maps"]

ROWS = 1500
"""A map has at most so many points: a page must stay small."""


def store_maps(folder: Path, planned: ExecutionPlan, progress: Progress | None) -> None:
    """Store the maps that a suite asks for and its folder lacks; the caller holds the folder."""
    stored, asked = read_maps(folder), planned.plan.report.maps
    jobs = {job.cells[0].dataset: job for job in reversed(planned.jobs)}
    missing = [label for label in asked if label in jobs and label not in stored]
    if not missing:
        return
    store = Store(folder, files=())
    try:
        for label in missing:
            if progress is not None:
                progress.note(f"{label}: rows are placed in the plane by t-SNE")
            store.append_map(_map_of(jobs[label], asked[label]))
    finally:
        store.close()


def _map_of(job: Job, perplexity: float) -> MapRecord:
    """Place some of the training rows of a job in the plane."""
    labelled, data = label_job(job), job.data
    X = read_features(data.stored.for_child())[labelled.train]
    categorical = dict(data.stored.categorical)
    fitted = fit_preprocess(data.preprocess, X, categorical, missing=bool(data.stored.missing))
    total = X.shape[0]
    # Training rows are shuffled within P and within U: evenly spaced ones are a sample of both.
    kept = np.unique(np.linspace(0, total - 1, min(ROWS, total)).round().astype(np.intp))
    perplexity = min(perplexity, float(kept.size - 1))
    points = place_rows(fitted.transform(X)[kept], perplexity, job.seeds.fit)
    return MapRecord(
        dataset=job.cells[0].dataset,
        labelling=job.cells[0].labelling,
        perplexity=perplexity,
        total=total,
        kinds="".join(_kinds(labelled, unknown=data.stored.pu)[kept]),
        points=tuple((_short(x), _short(y)) for x, y in points),
    )


def _kinds(labelled: LabelledRows, *, unknown: bool) -> NDArray[np.str_]:
    """Return a letter for each training row; see `MapRecord`."""
    unlabelled = np.where(labelled.truth.train == 1, "p", "n")
    return np.where(labelled.assignment.s == 1, "l", "u" if unknown else unlabelled)


def place_rows(X: Matrix, perplexity: float, seed: int) -> NDArray[np.float32]:
    r"""Place rows in the plane by t-SNE (van der Maaten and Hinton, 2008).

    With :math:`p_{ij}` the similarity of rows i and j by a Gaussian kernel whose width gives each row ``perplexity``
    neighbours, the points z minimise

    .. math:: \sum_{i \ne j} p_{ij} \log \frac{p_{ij}}{q_{ij}}, \qquad
        q_{ij} \propto (1 + \|z_i - z_j\|^2)^{-1}.

    Parameters
    ----------
    X : matrix of shape (n, d)
    perplexity : float
        Less than n.
    seed : int

    Returns
    -------
    ndarray of shape (n, 2)
    """
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    # The number of threads would decide about the last digits.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        start = "pca" if isinstance(X, np.ndarray) and X.shape[1] > 1 else "random"
        model = TSNE(perplexity=perplexity, init=start, random_state=seed % 2**32, n_jobs=1)
        placed: NDArray[np.float32] = model.fit_transform(X)
    return placed


def _short(value: float) -> float:
    return float(f"{value:.4g}")
