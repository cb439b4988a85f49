"""Shards that are merged are the whole run, to the byte; what does not belong together is refused."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from helpers.runs import write_run, write_shard
from helpers.suites import TOY, plan, read_diary, run, toml

from pubench import read_results, report, run_suite
from pubench.errors import PubenchError, RunFolderError, StoreError
from pubench.results.checked import read_checked, write_checked
from pubench.results.costs import read_costs
from pubench.results.export import export_text
from pubench.results.merged_folder import merge_folders
from pubench.results.merging import read_runs
from pubench.results.run_folder import read_plan, read_provenance, read_suite_text, write_plan
from pubench.results.store import Store, read_inside, read_records
from pubench.results.trials import read_trials

SUITE = {
    "replicates": 2,
    "algorithms": [
        {"use": "toy", "tune": True, "search": {"shift": {"low": 0.0, "high": 1.0}}},
        {"use": "toy", "name": "plain"},
        {"use": "wlr"},
    ],
    "tuning": {"criteria": ["puf", "pa"], "sampler": "random", "trials": 3, "folds": 2},
}

SEEDS = ((0, "toy"), (3, "toy-seeded"))
"""Two runs of different algorithms, so that no cell of one is a cell of the other."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Return a folder with a suite of tuned and untuned cells, run whole and in four shards."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "suite.toml").write_text(toml(**SUITE))
    run_suite(folder / "suite.toml", out=folder / "whole", plugins=[TOY])
    for i in range(1, 5):
        run_suite(folder / "suite.toml", out=folder / f"s{i}", plugins=[TOY], shard=f"{i}/4")
    return folder


@pytest.fixture
def shards(runs):
    return [runs / f"s{i}" for i in range(1, 5)]


def text(*folders):
    return export_text(read_runs(folders), "csv", times=False)


def test_merged_shards_export_as_the_whole_run_does(runs, shards, tmp_path):
    merged = merge_folders(shards[::-1], tmp_path / "m")
    assert text(tmp_path / "m") == text(runs / "whole")
    assert (merged.conflicts, merged.notes) == ((), ())


def test_shards_that_are_read_together_export_as_the_whole_run_does(runs, shards):
    assert text(*shards[::-1]) == text(runs / "whole")


def test_a_merge_has_the_trials_the_models_and_the_provenance_of_all(runs, shards, tmp_path):
    merge_folders(shards, tmp_path / "m")
    whole, merged = read_trials(runs / "whole"), read_trials(tmp_path / "m")
    assert merged.keys() == whole.keys()
    for key, trials in whole.items():
        assert [one[:2] for one in merged[key]] == [one[:2] for one in trials]
    assert read_inside(tmp_path / "m") == read_inside(runs / "whole") != {}
    assert [entry["options"]["shard"] for entry in read_provenance(tmp_path / "m")] == [
        "1/4",
        "2/4",
        "3/4",
        "4/4",
    ]
    assert read_suite_text(tmp_path / "m") == read_suite_text(runs / "whole")
    assert read_plan(tmp_path / "m") == read_plan(runs / "whole")


def test_a_run_goes_on_in_a_merged_folder(runs, shards, tmp_path, diary):
    merged = merge_folders(shards[1:3], tmp_path / "m")
    left = merged.results.counts["pending"]
    assert left == len(read_results(shards[0]).rows) + len(read_results(shards[3]).rows)
    assert merged.notes == ("missing shards of 4: 1, 4",)
    run_suite(runs / "suite.toml", out=tmp_path / "m", plugins=[TOY])
    assert text(tmp_path / "m") == text(runs / "whole")
    assert len(read_diary(diary)) < len(SUITE["algorithms"]) * 2 * 8
    before = diary.read_text()
    run_suite(runs / "suite.toml", out=tmp_path / "m", plugins=[TOY])
    assert diary.read_text() == before


def test_a_shard_goes_on_and_keeps_its_part(runs, shards, tmp_path, diary):
    folder = tmp_path / "s"
    shutil.copytree(shards[0], folder)
    keys = read_plan(folder).shard.keys
    results = run_suite(runs / "suite.toml", out=folder, plugins=[TOY], shard="1/4", costs=runs / "whole")
    assert not diary.exists()
    assert results.plan.shard.keys == keys
    assert len(results.rows) == results.counts["ok"] < len(results.plan.cells)


@pytest.mark.parametrize(
    ("folder", "shard", "sentence"),
    [
        ("s1", "2/4", "s1 holds shard 1 of 4; continue it with --shard 1/4, or choose another --out"),
        ("s1", "1/3", "s1 holds shard 1 of 4"),
        ("s1", None, "s1 holds shard 1 of 4"),
        ("whole", "1/4", "whole holds a run of a whole suite, not shard 1 of 4; choose another --out"),
    ],
)
def test_a_folder_is_for_one_part(runs, folder, shard, sentence):
    before = (runs / folder / "plan.json").read_bytes()
    with pytest.raises(RunFolderError, match=sentence):
        run_suite(runs / "suite.toml", out=runs / folder, plugins=[TOY], shard=shard)
    assert (runs / folder / "plan.json").read_bytes() == before


def test_costs_of_a_whole_run_are_for_shards_only(runs, tmp_path):
    with pytest.raises(PubenchError, match="costs balance shards"):
        run_suite(runs / "suite.toml", out=tmp_path / "r", plugins=[TOY], costs=runs / "whole")


def test_a_merge_into_a_run_of_the_suite_adds_what_it_lacks(runs, shards, tmp_path):
    merge_folders(shards[:2], tmp_path / "m")
    added = merge_folders(shards[1:], tmp_path / "m")
    assert text(tmp_path / "m") == text(runs / "whole")
    assert added.results.counts["pending"] == 0
    lines = (tmp_path / "m" / "cells.jsonl").read_bytes()
    merge_folders([tmp_path / "m", *shards], tmp_path / "m")
    assert (tmp_path / "m" / "cells.jsonl").read_bytes() == lines
    assert len(read_provenance(tmp_path / "m")) == 4


def change(folder: Path, **fields) -> str:
    """Change the first record of a folder and return its key."""
    record = next(iter(read_records(folder)[0].values()))
    store = Store(folder)
    store.append(msgspec.structs.replace(record, **fields))
    store.close()
    return record.key


def test_the_first_record_of_a_cell_wins_and_conflicts_are_named(tmp_path):
    one, other = write_shard(tmp_path / "a", 1), tmp_path / "b"
    shutil.copytree(one, other)
    key = change(other, metrics={"accuracy": 0.123})
    merged = merge_folders([one, other], tmp_path / "m")
    assert read_records(tmp_path / "m")[0][key] == read_records(one)[0][key]
    (sentence,) = merged.conflicts
    assert sentence.startswith(f"{one} and {other} have different results for d")
    merge_folders([other, one], tmp_path / "n")
    assert read_records(tmp_path / "n")[0][key].metrics == {"accuracy": 0.123}


def test_times_and_tracebacks_make_no_conflict(tmp_path):
    one, other = write_shard(tmp_path / "a", 1), tmp_path / "b"
    shutil.copytree(one, other)
    change(other, fit_seconds=9.0, peak_memory_mb=1.0, traceback="at 0x7f", output="now")
    assert merge_folders([one, other], tmp_path / "m").conflicts == ()


def test_what_is_not_finished_is_said(tmp_path):
    one, other = (
        write_shard(tmp_path / "a", 1, 3),
        write_shard(tmp_path / "b", 2, 3, statuses=("ok", None, "ok", "ok")),
    )
    merged = merge_folders([one, other], tmp_path / "m")
    assert merged.notes == ("missing shards of 3: 3", f"{other}, shard 2 of 3: 1 cell is not finished")
    assert merged.results.counts["pending"] == 3


def test_missing_cells_are_named_where_shards_do_not_say_it(tmp_path):
    shards = [write_shard(tmp_path / str(number), number, 3) for number in (1, 2, 3)]
    merge_folders(shards[:1], tmp_path / "m")
    (note,) = merge_folders([tmp_path / "m"], tmp_path / "again").notes
    assert note.startswith("missing cells: ")
    assert note.count("replicate") == 4
    assert merge_folders(shards[1:], tmp_path / "m").notes == ()


def test_a_file_on_the_way_to_the_merged_folder_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="a folder on the way to it is a file; choose another --out"):
        merge_folders([write_shard(tmp_path / "a", 1)], tmp_path / "file" / "m")


def test_folders_of_different_suites_do_not_belong_together(tmp_path):
    one, other = write_shard(tmp_path / "a", 1), write_shard(tmp_path / "b", 2, prefix="other-")
    with pytest.raises(
        RunFolderError, match=r"a and .*b do not belong together: they plan different cells, for "
    ):
        merge_folders([one, other], tmp_path / "m")
    write_plan(other, replace(read_plan(other), suite="t"), "")
    with pytest.raises(RunFolderError, match="their suites differ in 'suite'"):
        merge_folders([one, other], tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_runs_with_different_seeds_are_neither_merged_nor_reported_together(tmp_path):
    runs = [run(tmp_path / str(seed), seed=seed, algorithms=[{"use": name}]).folder for seed, name in SEEDS]
    with pytest.raises(
        RunFolderError, match=r"they draw different splits of toy-blobs .* \(seeds 0 and 3\); run bo"
    ):
        merge_folders(runs, tmp_path / "m")
    assert not (tmp_path / "m").exists()
    with pytest.raises(PubenchError, match=r"draw different splits of toy-blobs .* \(seeds 0 and 3\)"):
        report(runs, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    # Folders of earlier versions do not say what they drew; their suites have the seed.
    for folder in runs:
        old = read_checked(folder / "plan.json", remedy="")
        del old["draws"], old["seed"]
        write_checked(folder / "plan.json", old)
    with pytest.raises(PubenchError, match=r"\(seeds 0 and 3\)"):
        read_runs(runs)


def test_nothing_else_is_written_over(tmp_path):
    one, two = write_shard(tmp_path / "a", 1), write_shard(tmp_path / "b", 2)
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").touch()
    write_run(tmp_path / "foreign", prefix="other-")
    for out, sentence in [
        ("file", "is not a folder"),
        ("full", "is not empty and is not a run folder"),
        ("foreign", "do not belong together"),
        ("a", "holds shard 1 of 2; choose another --out"),
    ]:
        with pytest.raises(RunFolderError, match=sentence):
            merge_folders([one, two], tmp_path / out)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["thesis.tex"]


KILLED = """
import os, sys
from pathlib import Path
from pubench.results import merged_folder
store = merged_folder.Store
class Killed(store):
    def append(self, record):
        store.append(self, record)
        os.kill(os.getpid(), 9)
merged_folder.Store = Killed
merged_folder.merge_folders([Path(name) for name in sys.argv[2:]], Path(sys.argv[1]))
"""


def test_a_killed_merge_leaves_no_part_of_a_folder(tmp_path):
    shards = write_shard(tmp_path / "a", 1), write_shard(tmp_path / "b", 2)
    out = tmp_path / "m"
    assert subprocess.run([sys.executable, "-c", KILLED, out, *shards], check=False).returncode == -9
    assert not out.exists()
    assert merge_folders(shards, out).results.counts == {"ok": 6}


def test_a_killed_addition_is_completed_by_the_next(tmp_path):
    one, two = write_shard(tmp_path / "a", 1), write_shard(tmp_path / "b", 2)
    out = tmp_path / "m"
    merge_folders([one], out)
    assert subprocess.run([sys.executable, "-c", KILLED, out, two], check=False).returncode == -9
    assert read_results(out).counts == {"ok": 4, "pending": 2}
    assert merge_folders([two], out).results.counts == {"ok": 6}


def test_damaged_records_are_named_and_left_out(tmp_path):
    one, two = write_shard(tmp_path / "a", 1), write_shard(tmp_path / "b", 2)
    lines = (one / "cells.jsonl").read_bytes().replace(b'"status":"ok"', b'"status":"ko"', 1)
    (one / "cells.jsonl").write_bytes(lines)
    merged = merge_folders([one, two], tmp_path / "m")
    assert "line 1: damaged record" in merged.notes[0]
    assert merged.results.counts["pending"] == 1


def test_expected_costs_are_those_of_the_cell_then_of_its_like(runs):
    planned = plan(**SUITE | {"replicates": 3})
    costs, records = read_costs(runs / "whole"), read_records(runs / "whole")[0]
    tuned = [job for job in planned.jobs if job.tuning is not None]
    cells = [records[cell.key] for cell in tuned[0].cells]
    own = sum(one.fit_seconds + one.score_seconds for one in cells)
    assert costs.of(tuned[0]) == pytest.approx(cells[0].tune_seconds + own)
    assert costs.of(tuned[2]) == pytest.approx((costs.of(tuned[0]) + costs.of(tuned[1])) / 2)


def test_a_run_without_finished_cells_has_no_costs(tmp_path):
    write_run(tmp_path / "r", statuses=(None,))
    with pytest.raises(RunFolderError, match="has no finished cells to take costs from; leave out --costs"):
        read_costs(tmp_path / "r")
