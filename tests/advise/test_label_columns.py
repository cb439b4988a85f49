"""Label columns: every usual notation gives the same labels, and no row is dropped."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pubench.advise.labels import FEW, few_labels, read_labels
from pubench.errors import DataError

NOTATIONS = {
    "1/0": [1, 0, 0, 1],
    "1/blank": [1, None, None, 1],
    "1/-1": [1, -1, -1, 1],
    "yes/no": ["yes", "no", "no", "yes"],
    "yes/blank": ["yes", "", " ", "Yes"],
    "true/false": ["True", "false", "FALSE", "TRUE"],
    "boolean": [True, False, False, True],
    "float": [1.0, 0.0, 0.0, 1.0],
    "text of numbers": ["1", "0", "0", "1"],
    "labelled": ["labelled", "unlabelled", "unlabelled", "labelled"],
    "P/U": ["P", "U", "U", "P"],
    "any value/blank": ["fraud", None, None, "fraud"],
}


@pytest.mark.parametrize("cells", NOTATIONS.values(), ids=NOTATIONS)
@pytest.mark.parametrize("dtype", [None, object, "category"])
def test_usual_notations_give_the_same_labels(cells, dtype):
    found = read_labels(pd.Series(cells, dtype=dtype), "known")
    assert found.dtype == np.uint8
    assert found.tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([f"r{i}" for i in range(200)], "like an id"),
        (["a", "b", "c"] * 5, "3 different values"),
        (["fraud", "normal"] * 3, "unclear which"),
        (["yes", "no", None], "blank cells"),
        ([0, 0, 0], "marks no row"),
        ([None, None], "marks no row"),
        (["no", None], "marks no row"),
        ([1, 1, 1], "marks all 3 rows"),
        (["x", "x"], "marks all 2 rows"),
    ],
)
def test_other_columns_are_refused_with_a_safe_remedy(cells, expected):
    with pytest.raises(DataError) as raised:
        read_labels(pd.Series(cells), "known")
    message = str(raised.value)
    assert expected in message
    assert "'known'" in message
    assert ";" in message
    assert not [word for word in ("remove", "delete", "drop") if word in message]


def test_few_labels_are_doubted():
    s = np.zeros(100, dtype=np.uint8)
    s[:5] = 1
    assert "Only 5 rows are labelled" in few_labels(s)
    s[:FEW] = 1
    assert few_labels(s) is None
