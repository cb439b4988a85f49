"""Groups of algorithms that do not differ significantly, for tables and rank diagrams."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["levels", "maximal_cliques"]

Bools = NDArray[np.bool_]


def maximal_cliques(alike: Bools) -> tuple[tuple[int, ...], ...]:
    """Return the largest groups in which every two members are alike.

    "Not different" is not transitive, and under pairwise tests it need not follow the order of ranks: the first may
    equal the third but not the second. So groups are cliques of a graph, found by Bron and Kerbosch (1973), and not
    runs of neighbours.

    Parameters
    ----------
    alike : bool array of shape (k, k)
        Symmetric; the diagonal is ignored.

    Returns
    -------
    tuple of tuples of int
        Groups of two or more, each in increasing order; none lies within another.
    """
    graph = [frozenset(np.flatnonzero(row).tolist()) - {i} for i, row in enumerate(alike)]
    found = _grow((), frozenset(range(len(graph))), frozenset(), graph)
    return tuple(sorted(tuple(sorted(group)) for group in found if len(group) > 1))


def _grow(
    group: tuple[int, ...], candidates: frozenset[int], done: frozenset[int], graph: list[frozenset[int]]
) -> Iterator[tuple[int, ...]]:
    if not candidates and not done:
        yield group
        return
    # Neighbours of the pivot are reached through it; only the others begin new groups.
    pivot = max(sorted(candidates | done), key=lambda node: len(graph[node] & candidates), default=None)
    reached = graph[pivot] if pivot is not None else frozenset()
    for node in sorted(candidates - reached):
        yield from _grow((*group, node), candidates & graph[node], done & graph[node], graph)
        candidates, done = candidates - {node}, done | {node}


def levels(spans: list[tuple[float, float]]) -> tuple[int, ...]:
    """Give each span the lowest level on which it touches no other span.

    Parameters
    ----------
    spans : list of (start, end)

    Returns
    -------
    tuple of int
        A level for each span, from 0.
    """
    ends: list[float] = []
    given = [0] * len(spans)
    for number in sorted(range(len(spans)), key=lambda i: spans[i]):
        start, end = spans[number]
        level = next((k for k, last in enumerate(ends) if last < start), len(ends))
        ends[level:] = [end, *ends[level + 1 :]]
        given[number] = level
    return tuple(given)
