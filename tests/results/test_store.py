"""The store: what is appended is read back, the last record wins, and nothing altered is believed."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pubench.errors import DamagedFileError, RunFolderError
from pubench.plan.jobs import Cell, Plan, PlannedMetric
from pubench.protocol.replies import Trial
from pubench.results.checked import write_checked
from pubench.results.lock import is_running, locked
from pubench.results.record import Record, StoredTrial, TrialRecord
from pubench.results.run_folder import (
    read_plan,
    read_provenance,
    read_suite_text,
    repair_provenance,
    write_plan,
    write_provenance,
)
from pubench.results.store import Store, read_records, read_searches, set_aside
from pubench.results.trials import read_trials
from pubench.status import Status
from pubench.suite.reporting import PaperConfig, Rules

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(st.characters(codec="utf-8"), max_size=10)
VALUES = st.none() | st.booleans() | FINITE | TEXT | st.lists(FINITE, max_size=3)
RECORDS = st.lists(
    st.builds(
        Record,
        key=st.sampled_from(["a", "b", "c"]),
        status=st.sampled_from(Status),
        error=st.none() | TEXT,
        params=st.none() | st.dictionaries(TEXT, VALUES, max_size=4),
        metrics=st.dictionaries(TEXT, st.none() | FINITE, max_size=3),
        notes=st.lists(TEXT, max_size=2).map(tuple),
        n_p=st.none() | st.integers(0, 2**40),
        fit_seconds=st.none() | FINITE,
    ),
    max_size=6,
)


def write(folder, records):
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder)
    for record in records:
        store.append(record)
    store.close()


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """Return a new folder on each call, for tests of many examples."""
    return lambda: tmp_path_factory.mktemp("store")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RECORDS)
def test_the_last_record_of_each_cell_is_read_back(fresh, records):
    folder = fresh()
    write(folder, records[:3])
    write(folder, records[3:])
    found, problems = read_records(folder)
    assert found == {record.key: record for record in records}
    assert problems == ()


SAMPLE = [
    Record(key="a", status=Status.OK, metrics={"f1": 0.25}),
    Record(key="b", status=Status.FAILED, error="line one\nline two \u2028 é"),
    Record(key="c", status=Status.OK, metrics={"f1": 0.75}),
]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_altered_byte_is_noticed_or_harmless(fresh, data):
    folder = fresh()
    write(folder, SAMPLE)
    path = folder / "cells.jsonl"
    text = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(text) - 1))
    text[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(text)
    found, problems = read_records(folder)
    original = {record.key: record for record in SAMPLE}
    # Whatever was hit, what is still read is what was written; a cell that is lost is told.
    assert all(original[key] == record for key, record in found.items())
    assert found == original or problems


@pytest.mark.parametrize(
    "text", [b"\n", b"garbage\n", b"\xff\xfe\x00\n", b'0123456789abcdef {"key": "a"}\n', b"[]\n"]
)
def test_foreign_lines_are_named_and_passed_over(tmp_path, text):
    write(tmp_path, SAMPLE[:1])
    with open(tmp_path / "cells.jsonl", "ab") as file:
        file.write(text)
    write(tmp_path, SAMPLE[2:])
    found, problems = read_records(tmp_path)
    assert found.keys() == {"a", "c"}
    assert len(problems) == 1
    assert "cells.jsonl, line 2: damaged record; its cell counts as not finished" in problems[0]


def test_a_torn_last_record_is_told_and_overwritten(tmp_path):
    write(tmp_path, SAMPLE)
    path = tmp_path / "cells.jsonl"
    whole = path.read_bytes()
    start = whole[:-1].rfind(b"\n") + 1
    for end in range(start + 1, len(whole)):
        path.write_bytes(whole[:end])
        found, problems = read_records(tmp_path)
        assert found.keys() == {"a", "b"}
        assert "the last record is torn" in problems[0]
        write(tmp_path, SAMPLE[2:])
        assert path.read_bytes() == whole


def test_nothing_of_a_torn_record_stays_behind_a_shorter_one(tmp_path):
    write(tmp_path, SAMPLE[:1])
    with open(tmp_path / "cells.jsonl", "ab") as file:
        file.write(b"x" * 500)
    write(tmp_path, SAMPLE[2:])
    assert read_records(tmp_path) == ({"a": SAMPLE[0], "c": SAMPLE[2]}, ())


def test_trials_are_kept_beside_their_cell(tmp_path):
    tuned = replace(SAMPLE[0], search="s", criterion="puf", n_trials=2)
    store = Store(tmp_path)
    second = Trial(params={"c": 2}, seconds=0.1, error="why")
    for number, trial in ((1, second), (0, Trial(params={"c": 1}, folds={"puf": (0.4, 0.6)}, seconds=0.1))):
        store.append_trial(StoredTrial(search="s", number=number, trial=trial))
    store.append_trial(StoredTrial(search="another", number=0, trial=second))
    store.close()
    write(tmp_path, [tuned, SAMPLE[1]])
    expected = (TrialRecord({"c": 1}, 0.5, 0.1, ""), TrialRecord({"c": 2}, None, 0.1, "why"))
    assert read_trials(tmp_path) == {"a": expected}
    assert [line.trial for line in read_searches(tmp_path)["another"]] == [second]
    assert read_records(tmp_path)[0]["a"] == tuned


def test_a_record_of_another_shape_is_not_believed(tmp_path):
    store = Store(tmp_path)
    store._files["cells.jsonl"].append(b'{"key":"a","status":"unheard of"}')
    store.close()
    found, problems = read_records(tmp_path)
    assert found == {}
    assert "line 1: damaged record" in problems[0]


def test_texts_that_are_not_utf8_are_kept(tmp_path):
    record = Record(key="a", status=Status.FAILED, error="no file caf\udce9")
    write(tmp_path, [record])
    assert read_records(tmp_path) == ({"a": record}, ())


def test_numbers_that_json_does_not_know_become_nothing(tmp_path):
    write(tmp_path, [Record(key="a", status=Status.OK, regret=float("nan"))])
    assert read_records(tmp_path)[0]["a"].regret is None


def test_setting_aside_keeps_every_earlier_record_under_another_name(tmp_path):
    for number in (1, 2):
        write(tmp_path, [replace(SAMPLE[0], n_p=number)])
        set_aside(tmp_path)
    assert read_records(tmp_path) == ({}, ())
    kept = sorted(path.name for path in tmp_path.glob("cells.jsonl.old-*"))
    assert kept == ["cells.jsonl.old-1", "cells.jsonl.old-2"]
    assert b'"n_p":2' in (tmp_path / kept[1]).read_bytes()


CELL = Cell("k", "d", "case-control", "l", 0, "a", None, True, "why")
METRICS = {"f1": PlannedMetric(True, "1"), "rate": PlannedMetric(None, "2")}
PLAN = Plan("s", "words", METRICS, ("f1",), (CELL,), Rules(alpha=0.1), PaperConfig(citation="c"))
SAID = dataclasses.replace(PLAN, cut=("a",), priors=("the true one",))


def test_a_plan_is_read_back_as_written(tmp_path):
    write_plan(tmp_path, SAID, 'name = "é"\n')
    assert read_plan(tmp_path) == SAID
    write_plan(tmp_path, PLAN, 'name = "é"\n')
    assert read_plan(tmp_path) == PLAN
    assert (tmp_path / "suite.toml").read_text(encoding="utf-8") == 'name = "é"\n'
    assert read_suite_text(tmp_path) == 'name = "é"\n'


def test_an_altered_suite_is_not_taken_for_the_one_that_was_run(tmp_path):
    write_plan(tmp_path, PLAN, "replicates = 1\n")
    (tmp_path / "suite.toml").write_text("replicates = 2\n")
    with pytest.raises(DamagedFileError, match=r"is not the suite that was run.*; run the suite again"):
        read_suite_text(tmp_path)
    (tmp_path / "suite.toml").unlink()
    with pytest.raises(RunFolderError, match=r"has no suite\.toml; run the suite again"):
        read_suite_text(tmp_path)


def test_files_change_only_with_their_content(tmp_path):
    """Modification times say when a plan or a suite changed."""
    files = [tmp_path / "plan.json", tmp_path / "suite.toml"]
    write_plan(tmp_path, PLAN, "")
    for file in files:
        os.utime(file, (1, 1))
    write_plan(tmp_path, PLAN, "")
    assert [file.stat().st_mtime for file in files] == [1, 1]
    write_plan(tmp_path, PLAN, "# another\n")
    assert all(file.stat().st_mtime > 1 for file in files)


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        ({"alpha": 2}, "alpha: must lie between 0 and 1"),
        ({"test": "z"}, "test: must be 'wilcoxon'"),
        ([1], "by another version"),
        (None, "by another version"),
    ],
)
def test_rules_of_another_version_get_one_sentence(tmp_path, report, reason):
    write_plan(tmp_path, PLAN, "")
    plan = json.loads((tmp_path / "plan.json").read_text())["content"]
    write_checked(tmp_path / "plan.json", plan | {"report": report})
    with pytest.raises(RunFolderError, match=f"{reason}.*; run the suite again") as found:
        read_plan(tmp_path)
    assert "\n" not in str(found.value)


def test_a_folder_without_a_plan_is_no_run_folder(tmp_path):
    with pytest.raises(RunFolderError, match=r"is not a run folder: it has no plan\.json; give the --out"):
        read_plan(tmp_path)
    for text in ("", "{}", "[1]", '{"suite": 1}', '{"digest":"","content":}\n'):
        (tmp_path / "plan.json").write_text(text)
        with pytest.raises(DamagedFileError, match=r"is damaged.*; run the suite again, which restores it"):
            read_plan(tmp_path)
    for value in ({}, [], None, {"suite": 1}):
        write_checked(tmp_path / "plan.json", value)
        with pytest.raises(RunFolderError, match=r"by another version of pubench.*; run the suite again"):
            read_plan(tmp_path)


def test_provenance_grows_and_a_damaged_one_is_set_aside(tmp_path):
    write_provenance(tmp_path, [{"python": "3"}])
    write_provenance(tmp_path, [*read_provenance(tmp_path), {"python": "4"}])
    assert [entry["python"] for entry in read_provenance(tmp_path)] == ["3", "4"]
    assert repair_provenance(tmp_path) == ()
    for number in (1, 2):
        (tmp_path / "provenance.json").write_text(f"{{{number}")
        with pytest.raises(DamagedFileError, match=r"what earlier runs were made with.* are lost"):
            read_provenance(tmp_path)
        (note,) = repair_provenance(tmp_path)
        assert note.endswith(f"it is kept as provenance.json.damaged-{number}")
        assert (tmp_path / f"provenance.json.damaged-{number}").read_text() == f"{{{number}"
        assert read_provenance(tmp_path) == []


def test_a_folder_is_held_by_one_run_at_a_time(tmp_path):
    code = "import sys, pathlib\nfrom pubench.results.lock import locked\n"
    code += "with locked(pathlib.Path(sys.argv[1])): print('in')"
    command = [sys.executable, "-c", code, str(tmp_path / "run")]
    assert not is_running(tmp_path / "run")
    with locked(tmp_path / "run"):
        assert is_running(tmp_path / "run")
        other = subprocess.run(command, capture_output=True, text=True, check=False)
        assert f"is in use by process {os.getpid()}; wait for it" in other.stderr
    assert not is_running(tmp_path / "run")
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "in\n"


def test_who_looks_whether_a_run_goes_on_does_not_keep_one_from_starting(tmp_path):
    ended = threading.Event()

    def look():
        while not ended.is_set():
            is_running(tmp_path)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        for _ in range(300):
            with locked(tmp_path):
                pass
    finally:
        ended.set()
        watcher.join()


def test_the_lock_says_why_a_folder_cannot_be_used(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(RunFolderError, match=r"cannot use run folder .*; choose another --out"),
        locked(tmp_path / "file"),
    ):
        pass


def test_records_are_one_line_of_text_each(tmp_path):
    write(tmp_path, SAMPLE)
    lines = (tmp_path / "cells.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    assert [json.loads(line.partition(" ")[2])["key"] for line in lines] == ["a", "b", "c"]
