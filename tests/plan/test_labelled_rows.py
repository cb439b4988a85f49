"""Too few labelled rows of real PU data for a search: the remedy that is named works."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from pubench.data.labelling import Labelling
from pubench.errors import DataError
from pubench.plan.labelled_rows import check_folds
from pubench.suite.models import TuningConfig

GIVEN = Labelling("single-training-set", positives="given", test=0.3)


def problem(labelled: int, **tuning: object) -> str:
    """Return why a data set with so many labelled rows cannot be searched; empty if it can."""
    data = SimpleNamespace(label="mine", pu=True, counts=(labelled, 1000), is_given=lambda labelling: True)
    try:
        check_folds(GIVEN, data=data, tuning=TuningConfig.model_validate(tuning))
    except DataError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("labelled", range(14, 60, 3))
@pytest.mark.parametrize(("key", "value", "type_"), [("folds", 12, int), ("validation", 0.05, float)])
def test_the_number_in_the_remedy_is_the_nearest_that_works(labelled, key, value, type_):
    said = problem(labelled, **{key: value})
    found = re.search(rf"; set tuning.{key} to (\S+) or (more|less), remove tune, or label more rows$", said)
    assert found
    nearest = type_(found[1])
    assert problem(labelled, **{key: nearest}) == ""
    further = nearest + 1 if key == "folds" else round(nearest - 0.01, 2)
    assert problem(labelled, **{key: further})


@pytest.mark.parametrize("tuning", [{}, {"folds": 2}, {"validation": 0.2}])
@pytest.mark.parametrize("labelled", [1, 9, 12])
def test_fewer_than_ten_for_training_serve_no_search(labelled, tuning):
    said = problem(labelled, **tuning)
    assert said.endswith("; remove tune, or label at least 14 rows (there must be 10 for training)")
    assert problem(14, folds=2) == problem(14, validation=0.5) == ""
