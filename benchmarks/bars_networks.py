"""Limits of nnPU networks beside PyTorch; nothing where it cannot be imported."""

from __future__ import annotations

from collections.abc import Iterator

from measure import paired_ratio, problem
from risk import nnpu, nnpu_by_torch
from table import Figure


def figures() -> Iterator[Figure]:
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)
    data = problem(20_000, 50)
    for layers, units in ((3, 100), (3, 300), (6, 100), (6, 300)):
        fit = paired_ratio(nnpu(data, layers, units), nnpu_by_torch(torch, data, layers, units))
        yield Figure(
            f"nnpu epoch, 20000 x 50, {layers} layers of {units}",
            "PyTorch",
            0.6,
            fit,
            why="both spend their time on products of float32 matrices",
        )
