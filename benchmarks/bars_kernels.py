"""Limits of kernel PUAL: one Cholesky factorisation, and growth with landmarks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from measure import cpu_seconds, exponent, paired_ratio, problem
from pual import kernel
from pubench_pual.losses import MEMBERS
from scipy.linalg import cholesky
from table import Figure

_WHY = (
    "cProfile, pual at n = 2000: a third of the fit is the factorisation itself, a third the product of the graph with "
    "the kernel, a tenth the solve for the labelled rows"
)
_HINGES = (
    "cProfile, n = 2000: hinges on all rows need the inverse among them, computed for two penalties (two fifths), and "
    "its factorisation (a fifth); solves with the kept factor would need neither, but change the last bits"
)


def figures() -> Iterator[Figure]:
    for n in (2_000, 5_000):
        data = problem(n, 20)
        matrix = np.full((n, n), 0.5) + np.eye(n)
        for loss in MEMBERS:
            fit = paired_ratio(
                kernel(data, loss), lambda matrix=matrix: cholesky(matrix, lower=True, check_finite=False)
            )
            why = _HINGES if loss == "bsvm" else _WHY
            yield Figure(f"{loss}-rbf fit, n = {n}", "one Cholesky", 1.5, fit, why=why)
    rows = (12_000, 24_000, 48_000)
    seconds = [cpu_seconds(kernel(problem(n, 20)), repeats=1).median for n in rows]
    yield Figure(
        "pual-rbf fit, 12000 to 48000 rows: growth in n",
        "n",
        1.2,
        exponent=exponent(rows, seconds),
        why="not profiled",
    )
