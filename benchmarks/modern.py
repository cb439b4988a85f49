"""What recent methods cost: an epoch of each over an epoch of nnPU, on the same perceptron, rows and batches.

Run:  OMP_NUM_THREADS=1 python benchmarks/modern.py

Times are CPU seconds of one thread; only their ratios mean anything on another machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pubench_modern
from measure import Problem, cpu_ratio, line, problem

import pubench

EPOCHS = 12


def fit(name: str, data: Problem, **params: Any) -> Callable[[], Any]:
    """Return a fit of so many epochs by a method that is given the prior if it takes one."""
    model = pubench.make(name, scenario="case-control", random_state=0, epochs=EPOCHS, **params)
    if "prior" in model.get_params() and model.prior == "estimate":
        model.set_params(prior=data.prior)
    return lambda: model.fit(data.X, data.s)


def variants() -> list[tuple[str, dict[str, Any]]]:
    """Return every method, past its warm-up from the first epoch on, and Dist-PU with mixing."""
    names = [spec.name for spec in pubench_modern.pubench_algorithms()]
    warm = {"warm_up": 0}
    # (TED)^n without a warm-up leaves nearly all of U out at first, which would count for little.
    started = {"cvir": warm, "self-pu": warm, "robust-pu": warm}
    return [
        *((name, started.get(name, {})) for name in names),
        ("dist-pu", {"mixup": 1.0, "mixup_start": 0}),
    ]


def main() -> None:
    for n, d in ((2_000, 20), (20_000, 50)):
        data = problem(n, d)
        for name, params in variants():
            ours, theirs = cpu_ratio(fit(name, data, **params), fit("nnpu", data))
            mixed = ", mixing" if "mixup" in params else ""
            print(line(f"{name}{mixed}, {n} x {d}: an epoch over nnpu's", ours / theirs), flush=True)


if __name__ == "__main__":
    main()
