"""Limits of kernel PUAL: one Cholesky factorisation, and growth with landmarks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from measure import cpu_seconds, exponent, paired_ratio, problem
from pual import kernel
from pubench_pual.losses import MEMBERS
from scipy.linalg import cholesky
from table import Figure

_WHY = "the kernel matrix and the steps of ADMM come on top of one factorisation; not profiled further"


def figures() -> Iterator[Figure]:
    for n in (2_000, 5_000):
        data = problem(n, 20)
        matrix = np.full((n, n), 0.5) + np.eye(n)
        for loss in MEMBERS:
            fit = paired_ratio(
                kernel(data, loss), lambda matrix=matrix: cholesky(matrix, lower=True, check_finite=False)
            )
            yield Figure(f"{loss}-rbf fit, n = {n}", "one Cholesky", 1.5, fit, why=_WHY)
    rows = (12_000, 24_000, 48_000)
    seconds = [cpu_seconds(kernel(problem(n, 20)), repeats=1).median for n in rows]
    yield Figure("pual-rbf fit, 12000 to 48000 rows: growth in n", "n", 1.2, exponent=exponent(rows, seconds))
