"""Which finished cells run again, and the reason that a user reads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pubench.plan.jobs import Cell, Plan
from pubench.plan.parts import PlannedPart
from pubench.plan.reruns import reruns

METHOD = PlannedPart("algorithm", "mine", "1", "my-package 0.1")
CRITERION = PlannedPart("criterion", "puf", "1", "pubench 0.1")
ROWS = PlannedPart("data set", "iris", "abc", "pubench 0.1")


def planned(key: str, *parts: PlannedPart, **changes: object) -> Plan:
    cell = Cell(key, "iris", "case-control", "10", 0, "mine", "puf", False)
    return Plan("s", "", {}, (), (replace(cell, **changes),), parts=parts)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (METHOD, replace(METHOD, version="2"), "algorithm 'mine' was version 1 and is version 2"),
        (
            replace(METHOD, version="1+b2"),
            replace(METHOD, version="1+a1"),
            "the source of algorithm 'mine' (my-package 0.1) changed",
        ),
        (
            replace(METHOD, version="1+a1"),
            METHOD,
            "algorithm 'mine' was run from an editable or edited installation and is now run from a plain one",
        ),
        (
            METHOD,
            replace(METHOD, version="1+a1"),
            "algorithm 'mine' was run from a plain installation and is now run from an editable or edited one",
        ),
        (CRITERION, replace(CRITERION, version="2"), "criterion 'puf' was version 1 and is version 2"),
        (ROWS, replace(ROWS, version="x"), "the rows of data set 'iris', or their preprocessing, changed"),
        (METHOD, METHOD, "their settings in the suite changed"),
    ],
)
def test_the_reason_is_the_part_that_changed(before, after, reason):
    found = list(reruns(planned("old", before), planned("new", after), {"old"}))
    assert found == [f"1 cell of mine runs again: {reason}"]


def test_nothing_is_said_of_cells_that_were_not_finished_or_are_still_valid():
    assert not list(reruns(planned("old", METHOD), planned("new", METHOD), set()))
    assert not list(reruns(planned("old", METHOD), planned("old", METHOD), {"old"}))
    assert not list(reruns(planned("old", METHOD), planned("new", METHOD, skip="no"), {"old"}))
    elsewhere = planned("new", METHOD, dataset="wine")
    assert not list(reruns(planned("old", METHOD), elsewhere, {"old"}))


def test_a_folder_of_an_earlier_pubench_does_not_say_which_part():
    (sentence,) = reruns(planned("old"), planned("new", METHOD), {"old"})
    assert "pubench itself" in sentence
