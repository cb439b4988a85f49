"""The columns of exports are declared once, and each has a source."""

from __future__ import annotations

from dataclasses import fields

from msgspec.structs import fields as struct_fields

from pubench.plan.jobs import Cell
from pubench.results.record import COLUMNS, MEASURED, Record
from pubench.status import Problem, Status

SOURCES = {
    "plan": {"suite"},
    "cell": {field.name for field in fields(Cell)},
    "record": {field.name for field in struct_fields(Record)},
}


def test_every_column_has_a_field_of_its_source():
    assert all(column.name in SOURCES[column.origin] for column in COLUMNS)
    assert len({column.name for column in COLUMNS}) == len(COLUMNS)


def test_times_and_memory_have_a_unit():
    assert {column.name for column in COLUMNS if column.unit in ("s", "MB")} == set(MEASURED)


def test_a_problem_becomes_a_record():
    record = Record.of_problem("k", Problem(Status.CRASHED, "why", "trace", "printed"))
    assert (record.key, record.status, record.error) == ("k", Status.CRASHED, "why")
    assert (record.traceback, record.output) == ("trace", "printed")
