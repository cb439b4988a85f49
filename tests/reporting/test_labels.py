"""Labels of drawings do not cover each other."""

import re
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pubench.reporting.draw.figures import draw_against_time
from pubench.reporting.draw.labels import Box, place_labels, spread

BOUNDS = Box(0, 0, 400, 250)
points = st.lists(st.tuples(st.floats(0, 400), st.floats(0, 250)), min_size=1, max_size=25)


@given(points)
def test_no_label_covers_another_or_a_mark_or_leaves_the_drawing(found: list[tuple[float, float]]) -> None:
    placed = place_labels(found, [(60.0, 10.0)] * len(found), BOUNDS, 3.0)
    boxes = [box for box in placed if box is not None]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert all(box.within(BOUNDS) for box in boxes)
    marks = [Box(x - 3, y - 3, x + 3, y + 3) for x, y in found]
    assert not any(box.overlaps(mark) for box in boxes for mark in marks)
    assert placed[0] is not None or len(found) > 1


def test_labels_of_a_crowd_have_room() -> None:
    crowd = np.random.default_rng(0).normal((200, 125), (70, 40), (60, 2)).tolist()
    placed = place_labels([(x, y) for x, y in crowd], [(12.0, 9.0)] * 60, BOUNDS, 3.0)
    assert None not in placed


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_names_beside_curves_keep_their_order_and_a_distance(values: list[float]) -> None:
    moved = spread(values, 0.06, 0.0, 1.0)
    ordered = [moved[i] for i in np.argsort(values, kind="stable")]
    assert all(later - earlier >= 0.06 - 1e-9 for earlier, later in pairwise(ordered))
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in moved)


def test_names_that_have_room_stay_where_they_are() -> None:
    assert spread([0.9, 0.1, 0.5], 0.1, 0.0, 1.0) == pytest.approx([0.9, 0.1, 0.5])


def test_many_points_have_numbers_and_a_key() -> None:
    few = {f"method {k:.2f}": (0.5 + k / 100, 0.1 * 2**k) for k in range(4)}
    named = draw_against_time("acc", few, ["method 0.00"], "t-")
    assert not named.legend
    # Names keep their decimals, which shortening a drawing would cut.
    assert set(re.findall(r'data-method="([^"]*)"', named.images[0])) == set(few)
    many = {f"m{k}": (0.5 + k / 100, 0.01 * 1.2**k) for k in range(20)}
    numbered = draw_against_time("acc", many, ["m0"], "t-")
    assert [entry.name for entry in numbered.legend][:2] == ["1 m19", "2 m18"]
    assert re.search(r">\s*20\s*</text>", numbered.images[0])
