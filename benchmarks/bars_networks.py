"""Limits of nnPU networks: an epoch with PyTorch's, where it can be imported, and two threads with one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from measure import Problem, Ratio, paired_ratio, problem, wall_seconds
from risk import nnpu, nnpu_by_torch
from table import Figure
from threadpoolctl import threadpool_limits

SHAPES = ((3, 100), (3, 300), (6, 100), (6, 300))
_WHY = (
    "cProfile, 3 layers of 300: the passes forward and back, most of them products of matrices, are 0.76 of it; "
    "OpenBLAS multiplies with registers of 256 bits here, and with 512 the limit is met: see below"
)
_THREADS = (
    "a step that nothing disturbs takes 1.66 times as long with one thread; beside other programs, threads wait for "
    "each other: see below"
)


def figures() -> Iterator[Figure]:
    data = problem(20_000, 50)
    try:
        import torch
    except ImportError:
        print("an epoch of nnPU over PyTorch's: left out, as torch cannot be imported")
    else:
        yield from over_torch(torch, data)
    for layers, units in ((3, 300), (6, 300)):
        yield two_threads(data, layers, units)


def over_torch(torch: Any, data: Problem) -> Iterator[Figure]:
    torch.set_num_threads(1)
    for layers, units in SHAPES:
        fit = paired_ratio(nnpu(data, layers, units), nnpu_by_torch(torch, data, layers, units))
        yield Figure(f"nnpu epoch, 20000 x 50, {layers} layers of {units}", "PyTorch", 0.6, fit, why=_WHY)


def two_threads(data: Problem, layers: int, units: int) -> Figure:
    """Return wall times of one thread over two; the figure needs two cores without other work."""
    fit, found = nnpu(data, layers, units), []
    for _ in range(5):
        one, two = (within(threads, fit) for threads in (1, 2))
        found.append(one / two)
    found.sort()
    return Figure(
        f"nnpu epoch, 20000 x 50, {layers} layers of {units}: one thread over two, wall",
        "itself",
        1.5,
        Ratio(found[2], found[0], found[-1]),
        at_least=True,
        why=_THREADS,
    )


def within(threads: int, fit: Any) -> float:
    with threadpool_limits(threads):
        return wall_seconds(fit, repeats=1)
