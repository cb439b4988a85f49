"""Numbers and their nouns agree in every sentence."""

from __future__ import annotations

import pytest

from pubench.errors import be, counted, have, plural


@pytest.mark.parametrize(("count", "text"), [(0, "0 cells are"), (1, "1 cell is"), (2, "2 cells are")])
def test_one_is_singular(count: int, text: str) -> None:
    assert f"{counted(count, 'cell')} {be(count)}" == text
    assert have(count) == ("has" if count == 1 else "have")
    assert plural(count, "data set").endswith("s") == (count != 1)
