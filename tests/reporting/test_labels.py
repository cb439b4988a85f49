"""Names beside curves do not cover each other."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pubench.reporting.draw.labels import spread


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_names_beside_curves_keep_their_order_and_a_distance(values: list[float]) -> None:
    moved = spread(values, 0.06, 0.0, 1.0)
    ordered = [moved[i] for i in np.argsort(values, kind="stable")]
    assert all(later - earlier >= 0.06 - 1e-9 for earlier, later in pairwise(ordered))
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in moved)


def test_names_that_have_room_stay_where_they_are() -> None:
    assert spread([0.9, 0.1, 0.5], 0.1, 0.0, 1.0) == pytest.approx([0.9, 0.1, 0.5])
