"""What uPU and nnPU cost: an epoch beside PyTorch's on the CPU, exact fits beside scikit-learn's linear models.

Run:  OMP_NUM_THREADS=1 python benchmarks/risk.py

PyTorch is needed for the first lines only (``pip install torch==2.13.0``); without it they are left out.
Times are CPU seconds of one thread; only their ratios mean anything on another machine.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from measure import Problem, cpu_ratio, exponent, line, problem
from pubench_risk.classifier import PURiskClassifier
from sklearn.linear_model import LogisticRegression, Ridge

from pubench.base import mixed_batches

EPOCHS = 3
BATCH = 500


def nnpu(data: Problem, layers: int, units: int) -> Callable[[], Any]:
    """Return our training: some epochs of a perceptron, columns left as they are."""
    model = PURiskClassifier(
        data.prior,
        layers=layers,
        units=units,
        batch_size=BATCH,
        epochs=EPOCHS,
        standardize=False,
        random_state=0,
        scenario="case-control",
    )
    return lambda: model.fit(data.X, data.s)


def nnpu_by_torch(torch: Any, data: Problem, layers: int, units: int) -> Callable[[], Any]:
    """Return the same by PyTorch: the same batches, risk, correction and optimiser."""

    def build() -> Any:
        sizes = [data.X.shape[1], *[units] * (layers - 1)]
        parts: list[Any] = []
        for inputs, outputs in pairwise(sizes):
            parts += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
        return torch.nn.Sequential(*parts, torch.nn.Linear(sizes[-1], 1))

    def action() -> None:
        network, rng = build(), np.random.default_rng(0)
        adam = torch.optim.Adam(network.parameters(), lr=1e-3, weight_decay=0.01)
        X = torch.from_numpy(data.X.astype(np.float32))
        for _ in range(EPOCHS):
            for rows, n_p in mixed_batches(data.s.astype(np.uint8), BATCH, rng):
                scores = network(X[torch.from_numpy(rows)])[:, 0]
                positive = data.prior * torch.sigmoid(-scores[:n_p]).mean()
                wrong = torch.sigmoid(scores)
                negative = wrong[n_p:].mean() - data.prior * wrong[:n_p].mean()
                loss = positive + negative if negative.item() >= 0 else -negative
                adam.zero_grad()
                loss.backward()
                adam.step()

    return action


def print_epochs() -> None:
    try:
        import torch
    except ImportError:
        print("an epoch of nnPU over PyTorch: left out, as torch cannot be imported")
        return
    torch.set_num_threads(1)
    data = problem(20_000, 50)
    for layers, units in ((3, 100), (3, 300), (6, 100), (6, 300)):
        ours, theirs = cpu_ratio(nnpu(data, layers, units), nnpu_by_torch(torch, data, layers, units))
        what = f"nnpu, 20000 x 50, {layers} layers of {units}: an epoch over PyTorch's"
        print(line(what, ours / theirs, 1.0))


def upu(data: Problem, model: str, loss: str) -> Callable[[], Any]:
    estimator = PURiskClassifier(
        data.prior, risk="upu", model=model, loss=loss, random_state=0, scenario="case-control"
    )
    return lambda: estimator.fit(data.X, data.s)


def print_exact() -> None:
    data = problem(100_000, 50)
    for loss, peer in (("quadratic", Ridge()), ("logistic", LogisticRegression())):
        ours, theirs = cpu_ratio(upu(data, "linear", loss), lambda peer=peer: peer.fit(data.X, data.s))
        what = f"upu-linear, {loss}, 100000 x 50: over {type(peer).__name__}"
        print(line(what, ours / theirs))
    data = problem(20_000, 50)
    closed = upu(data, "rbf", "quadratic")
    for loss in ("logistic", "double-hinge"):
        ours, theirs = cpu_ratio(upu(data, "rbf", loss), closed, repeats=1)
        print(line(f"upu, {loss}, 20000 x 50, 300 centres: over the closed form", ours / theirs))


def print_growth() -> None:
    sizes = [5_000, 10_000, 20_000, 40_000]
    for what, make in (
        ("upu", lambda data: upu(data, "rbf", "quadratic")),
        ("nnpu", lambda data: nnpu(data, 3, 100)),
    ):
        seconds = [cpu_ratio(make(problem(n, 20)), lambda: None, repeats=1)[0] for n in sizes]
        print(line(f"{what}: growth exponent in n, {sizes[0]} to {sizes[-1]} x 20", exponent(sizes, seconds)))


def main() -> None:
    print_epochs()
    print_exact()
    print_growth()


if __name__ == "__main__":
    main()
