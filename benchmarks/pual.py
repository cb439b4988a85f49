"""What the PUAL family costs: linear beside LinearSVC, kernels beside one Cholesky factorisation, trials beside fits.

Run:  OMP_NUM_THREADS=1 python benchmarks/pual.py

Times are CPU seconds of one thread; only their ratios mean anything on another machine.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pubench_pual
from measure import Problem, cpu_ratio, exponent, line, problem
from pubench_pual import models
from pubench_pual.losses import MEMBERS
from pubench_pual.pual import PUAL
from scipy.linalg import cholesky
from sklearn.svm import LinearSVC

from pubench.estimators.sharing import SHARED
from pubench.specs import Float, Param


def alone(fit: Callable[[], Any]) -> Callable[[], Any]:
    """Return the fit as the first of its process: nothing is kept from one before."""

    def action() -> Any:
        SHARED.clear()
        return fit()

    return action


def linear(data: Problem, loss: str = "pual") -> Callable[[], Any]:
    return alone(lambda: PUAL(loss, ridge=0.1, scenario="case-control").fit(data.X, data.s))


def kernel(data: Problem, loss: str = "pual") -> Callable[[], Any]:
    return alone(lambda: PUAL(loss, kernel="rbf", scenario="case-control").fit(data.X, data.s))


def print_linear() -> None:
    data = problem(100_000, 50)
    peer = lambda: LinearSVC().fit(data.X, data.s)  # noqa: E731 - a name for the line below
    for loss in MEMBERS:
        times = cpu_ratio(linear(data, loss), peer)
        limit = 1.5 if loss == "pual" else None
        print(line(f"{loss}, 100000 x 50: over LinearSVC", times[0] / times[1], limit))


def print_kernel() -> None:
    for n in (2_000, 5_000):
        data = problem(n, 20)
        matrix = np.full((n, n), 0.5) + np.eye(n)
        peer = lambda matrix=matrix: cholesky(matrix, lower=True, check_finite=False)  # noqa: E731
        for loss in MEMBERS:
            times = cpu_ratio(kernel(data, loss), peer, repeats=5 if n < 5_000 else 3)
            limit = 3.0 if loss == "pual" else None
            print(line(f"{loss}-rbf, n = {n}: over one Cholesky factorisation", times[0] / times[1], limit))


def drawn(space: dict[str, Param], rng: np.random.Generator) -> dict[str, Any]:
    """Return parameters at random from a space of Float (on a logarithmic scale) and Choice."""
    return {
        name: float(np.exp(rng.uniform(np.log(param.low), np.log(param.high))))
        if isinstance(param, Float)
        else param.values[rng.integers(len(param.values))]
        for name, param in space.items()
    }


def print_trials() -> None:
    """Print what trials of a search cost over as many fits that share nothing."""
    data = problem(600, 20)
    (spec,) = (spec for spec in pubench_pual.pubench_algorithms() if spec.name == "pual-rbf")
    rng = np.random.default_rng(0)
    trials = [drawn(dict(spec.space), rng) for _ in range(100)]

    def fit(params: dict[str, Any]) -> Any:
        return PUAL(**{"scenario": "case-control"} | spec.params, **params).fit(data.X, data.s)

    def search() -> None:
        SHARED.clear()
        for params in trials:
            fit(params)

    def separate() -> None:
        for params in trials:
            alone(lambda params=params: fit(params))()

    times = cpu_ratio(search, separate)
    print(line("pual-rbf, n = 600: 100 trials over 100 separate fits", times[0] / times[1], 0.4))
    # The fairer peer: a fit that knows nothing is kept would not invert the kernel.
    rows, models._INVERSE_ROWS = models._INVERSE_ROWS, 0
    without = cpu_ratio(separate, lambda: None)[0]
    models._INVERSE_ROWS = rows
    print(line("pual-rbf, n = 600: 100 trials over 100 fits without inverses", times[0] / without))


def print_growth() -> None:
    for what, fit, rows, d in (
        ("pual", linear, [5_000, 10_000, 50_000, 100_000], 50),
        ("pual-rbf", kernel, [1_500, 2_500, 5_000], 20),
        ("pual-rbf, 1,000 landmarks", kernel, [12_000, 24_000, 48_000], 20),
    ):
        seconds = [cpu_ratio(fit(problem(n, d)), lambda: None, repeats=1)[0] for n in rows]
        print(line(f"{what}: growth exponent in n, {rows[0]} to {rows[-1]} x {d}", exponent(rows, seconds)))


def main() -> None:
    # Parameters drawn at random need not suit the data.
    warnings.filterwarnings("ignore", ".* predicts all rows of the fit")
    print_linear()
    print_kernel()
    print_trials()
    print_growth()


if __name__ == "__main__":
    main()
