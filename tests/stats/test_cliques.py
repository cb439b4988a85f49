"""Groups of algorithms that do not differ, and the levels of their bars."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pubench.stats.cliques import levels, maximal_cliques


def graph(k: int, edges: list[tuple[int, int]]) -> np.ndarray:
    alike = np.eye(k, dtype=bool)
    for i, j in edges:
        alike[i, j] = alike[j, i] = True
    return alike


def test_not_different_is_not_transitive() -> None:
    assert maximal_cliques(graph(4, [(0, 1), (1, 2), (2, 3)])) == ((0, 1), (1, 2), (2, 3))
    assert maximal_cliques(graph(3, [(0, 1), (1, 2), (0, 2)])) == ((0, 1, 2),)


def test_a_group_may_leave_out_a_neighbour() -> None:
    # Pairwise tests may tell 1 from both its neighbours, though not these from each other.
    assert maximal_cliques(graph(3, [(0, 2)])) == ((0, 2),)


def test_all_different_make_no_group() -> None:
    assert maximal_cliques(graph(5, [])) == ()
    assert maximal_cliques(graph(0, [])) == ()
    assert maximal_cliques(graph(2, [(0, 1)])) == ((0, 1),)


@given(st.integers(1, 7).flatmap(lambda k: st.tuples(st.just(k), st.sets(st.sampled_from(range(21))))))
def test_they_are_the_maximal_ones_of_all_subsets(case: tuple[int, set[int]]) -> None:
    k, chosen = case
    alike = graph(k, [pair for n, pair in enumerate(combinations(range(k), 2)) if n in chosen])
    groups = [
        set(group)
        for size in range(2, k + 1)
        for group in combinations(range(k), size)
        if alike[np.ix_(group, group)].all()
    ]
    expected = [group for group in groups if not any(group < other for other in groups)]
    assert sorted(map(sorted, expected)) == sorted(map(list, maximal_cliques(alike)))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda s: (min(s), max(s))), max_size=12))
def test_bars_of_one_level_never_touch_and_levels_are_few(spans: list[tuple[float, float]]) -> None:
    given_levels = levels(spans)
    for (one, first), (two, second) in combinations(zip(given_levels, spans, strict=True), 2):
        assert one != two or first[1] < second[0] or second[1] < first[0]
    deepest = max((sum(a <= x <= b for a, b in spans) for x in range(10)), default=0)
    assert len(set(given_levels)) == deepest
