"""``pubench site``: links lead somewhere, names do no harm, numbers are those of the tables, foreign files stay."""

from __future__ import annotations

import csv
import json
import re
import shutil
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.commands import pubench_here
from helpers.html import outline
from helpers.results import result_rows
from helpers.runs import write_run
from helpers.sites import broken_links
from hypothesis import given
from hypothesis import strategies as st

from pubench import read_results
from pubench.errors import PubenchError, StoreError
from pubench.reporting.site import build_site
from pubench.reporting.site.names import file_names
from pubench.reporting.site.sources import verified_words
from pubench.reporting.site.standings import difficulties, table_standings
from pubench.reporting.site.writing import write_site
from pubench.results.export import export_to
from pubench.results.exported import read_exported
from pubench.results.verification import Verified, file_digests, write_verified
from pubench.stats.scores import score_table

REPORTS = Path(__file__).resolve().parents[2] / "reports"
HARMFUL = ("a", 'x"><script>alert(1)</script>', "../../etc/passwd", "CON", "con")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "my run <b>", datasets=3, replicates=2, names=HARMFUL)


@pytest.fixture(scope="module")
def site(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site of an invented run with harmful names, and of two committed reports."""
    out = tmp_path_factory.mktemp("site") / "out"
    build_site([run, REPORTS / "quickstart", REPORTS / "adapu-fig3"], out, title="<i>all</i>")
    return out


def test_every_link_leads_somewhere_in_the_site(site: Path) -> None:
    assert len(list((site / "methods").iterdir())) == len(HARMFUL) + 3 + 6
    assert broken_links(site) == []


def test_names_from_data_are_text_and_never_markup_or_paths(site: Path) -> None:
    for path in site.rglob("*.html"):
        page = outline(path.read_text(encoding="utf-8"))
        if path.parent.name != "reports":
            assert page.tags["script"] == 1
            assert page.tags["b"] == page.tags["i"] == 0
        assert not page.handlers
    page = outline((site / "index.html").read_text(encoding="utf-8"))
    assert all(name in page.text for name in (*HARMFUL, "my run <b>", "<i>all</i>"))


@given(st.lists(st.text(max_size=70), unique=True, max_size=6))
def test_file_names_are_safe_and_distinct_on_every_file_system(names: list[str]) -> None:
    found = file_names(names)
    assert len({name.casefold() for name in found.values()}) == len(names)
    for made in found.values():
        assert 0 < len(made) <= 80
        assert set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_")
    assert all(file_names([name])[name] == found[name] for name in names)


def test_a_name_that_looks_like_the_file_of_another_has_its_own() -> None:
    taken = file_names(["PU ET"])["PU ET"]
    assert len(set(file_names(["PU ET", taken]).values())) == 2
    assert file_names(["puet"]) == {"puet": "puet"}


def test_the_rows_of_an_export_are_those_of_the_run(run: Path, tmp_path: Path) -> None:
    results = read_results(run)
    export_to(tmp_path / "cells.csv", results, "csv", times=False)
    found = read_exported(tmp_path / "cells.csv")
    assert found.metrics == ("accuracy",)
    assert found.rows == tuple({name: row[name] for name in found.rows[0]} for row in results.rows)


def test_text_that_a_spreadsheet_would_run_comes_back_as_it_was(tmp_path: Path) -> None:
    names = ("=1+1", "'quoted", "-x\n\ty", "@z")
    results = read_results(write_run(tmp_path / "r", datasets=1, replicates=1, names=names))
    export_to(tmp_path / "cells.csv", results, "csv")
    assert tuple(row["algorithm"] for row in read_exported(tmp_path / "cells.csv").rows) == names


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "it has no column 'suite'; make it with: pubench export"),
        ("suite,dataset\n", "it has no column 'labelling'"),
        ("{head}\ns,d,l,0,a,,ok\n", "line 2: 7 values in 8 columns"),
        ("{head}\ns,d,l,x,a,,ok,False\n", "line 2: replicate is 'x'"),
        ("{head}\ns,d,l,0,a,,fine,False\n", "line 2: status is 'fine'"),
        ("{head}\ns,d,l,0,a,,ok,maybe\n", "line 2: reference is 'maybe'"),
        ("\x00", "is not an export"),
    ],
)
def test_rows_that_are_no_export_are_refused(tmp_path: Path, capsys: Any, text: str, sentence: str) -> None:
    head = "suite,dataset,labelling,replicate,algorithm,criterion,status,reference"
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "cells.csv").write_text(text.replace("{head}", head), encoding="utf-8")
    (folder / "report.html").touch()
    said = pubench_here(capsys, "site", folder, "--out", tmp_path / "out", code=2).stderr
    assert sentence in said
    assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_share_beaten_is_counted_pair_by_pair() -> None:
    scores = np.array([[0.9, 0.8, 0.8, 0.7], [0.5, 0.6, 0.7, np.nan]])
    rows = result_rows(scores, ("a", "b", "c", "d"))
    found = table_standings(score_table(rows, "acc", True)).beaten
    for j, name in enumerate("abcd"):
        for i in range(2):
            others = [one for k, one in enumerate(scores[i]) if k != j and one == one]
            mine = scores[i, j]
            if mine == mine:
                share = np.mean([(mine > one) + (mine == one) / 2 for one in others])
                assert found[name][f"data_{i}"] == pytest.approx(share)
    assert "data_1" not in found["d"]
    lower = table_standings(score_table(rows, "acc", False)).beaten
    assert lower["a"]["data_0"] == pytest.approx(1 - found["a"]["data_0"])


def test_difficulty_is_the_spread_of_the_best_baseline_cut_at_the_prior_to_the_best_reference() -> None:
    names = ("naive-lr", "naive-lr-prior", "naive-et-prior", "m")
    rows = result_rows(np.array([[0.5, 0.7, 0.8, 0.85]]), names)
    rows += result_rows(np.array([[0.9, 0.95]]), ("supervised-lr", "pn"), reference=True)
    (found,) = difficulties(score_table(rows, "acc", True))
    assert (found.baseline, found.supervised, found.spread) == ("naive-et-prior", "pn", pytest.approx(0.15))
    (loss,) = difficulties(score_table(rows, "acc", False))
    assert (loss.baseline, loss.supervised, loss.spread) == (
        "naive-lr-prior",
        "supervised-lr",
        pytest.approx(-0.2),
    )
    straw = [row for row in rows if row["algorithm"] not in ("naive-lr-prior", "naive-et-prior")]
    assert difficulties(score_table(straw, "acc", True)) == []


def words(path: Path) -> str:
    """Return the text of a page, with a space for each tag."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", path.read_text(encoding="utf-8"))).split())


def test_pages_have_the_numbers_of_the_report(site: Path) -> None:
    with (REPORTS / "quickstart" / "scores.csv").open(encoding="utf-8") as file:
        lines = [line for line in csv.DictReader(file) if line["metric"] == "accuracy"]

    def mean(algorithm: str, dataset: str = "", labelling: str = "") -> float:
        """Return the mean over the lines of an algorithm, of all data sets or of one."""
        names = {"algorithm": algorithm, "dataset": dataset, "labelling": labelling}
        own = [line for line in lines if all(line[key] == name for key, name in names.items() if name)]
        return float(np.mean([float(line["mean"]) for line in own]))

    wlr = words(site / "methods" / "wlr.html")
    rank = next(float(line["average_rank"]) for line in lines if line["algorithm"] == "wlr")
    assert "Run in 1 report on 2 data sets, together with 1 other method." in wlr
    assert f"accuracy {rank:.2f} 2 2 of 2 data sets, 4 of 4 lines {mean('wlr'):.3f}" in wlr
    data = words(site / "datasets" / "digits-even.html")
    assert "features 64" in data
    where = ("digits-even", "case-control n_p=100")
    low, high = mean("naive-et-prior", *where), mean("supervised-et", *where)
    line = f"naive-et-prior {low:.3f} supervised-et {high:.3f} {high - low:.3f}"
    assert f"case-control n_p=100 puf {line}" in data
    assert f"naive-et-prior 1.00 {mean('naive-et-prior', 'digits-even'):.3f}" in data


def verified(run: Path, **keys: Any) -> None:
    write_verified(run, Verified(pubench="0", arithmetic="x", files=file_digests(run), cells=6, **keys))


def test_what_was_verified_is_shown_until_a_file_changes(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", datasets=2, replicates=1)
    assert verified_words(run) == ""
    verified(run)
    assert verified_words(run) == "files verified, nothing run again"
    verified(run, rerun=("k0", "k1"), exact=True)
    made = build_site([run], tmp_path / "site")
    assert made.reports[0].is_verified
    assert "✓ verified: 2 of 6 cells run again, equal to the bit" in words(tmp_path / "site" / "index.html")
    with (run / "cells.jsonl").open("ab") as file:
        file.write(b"\n")
    assert verified_words(run) == "changed since it was verified"
    assert not replace(made.reports[0], verified=verified_words(run)).is_verified


def test_a_site_is_a_function_of_its_reports(tmp_path: Path) -> None:
    for name in ("one", "two"):
        build_site([REPORTS / "quickstart"], tmp_path / name)
    assert (tmp_path / "one" / "site.json").read_bytes() == (tmp_path / "two" / "site.json").read_bytes()


@pytest.mark.parametrize(
    ("folders", "sentence"),
    [
        (("nowhere",), "nowhere holds no run (plan.json) and no report (cells.csv and report.html)"),
        (("empty",), "empty holds no run"),
        (("one/r", "two/r"), "two/r would both be called 'r' in the site; rename one of them"),
        (("one/r", "three/R"), "would both be called 'R' in the site"),
        (("file",), "there is no run to show"),
    ],
)
def test_folders_that_make_no_site_are_one_sentence(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch, folders: tuple[str, ...], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    for name in ("empty", "one", "two", "three"):
        (tmp_path / name).mkdir()
    for name in ("one/r", "two/r", "three/R"):
        write_run(tmp_path / name, datasets=1, replicates=1)
    said = pubench_here(capsys, "site", *folders, "--out", "out", code=2).stderr
    assert sentence in said.splitlines()[-1]
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_given_twice_is_shown_once(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", datasets=1, replicates=1)
    assert len(build_site([run, run / ".." / "run"], tmp_path / "site").reports) == 1


FILES = {"index.html": b"1", "methods/a.html": b"2"}


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_earlier_site_is_replaced_and_foreign_files_stay(tmp_path: Path) -> None:
    out = tmp_path / "site"
    write_site(FILES, out)
    (out / "CNAME").write_text("pu.example.org")
    (out / "methods" / "notes.txt").write_text("mine")
    write_site({"index.html": b"3", "datasets/d.html": b"4"}, out)
    found = tree(out)
    assert set(found) == {"index.html", "datasets/d.html", "CNAME", "methods/notes.txt", "site.json"}
    assert (found["index.html"], found["CNAME"]) == (b"3", b"pu.example.org")


@pytest.mark.parametrize("case", ["foreign", "changed", "in the way", "outside", "no list", "file"])
def test_what_this_command_has_not_written_is_never_replaced(tmp_path: Path, case: str) -> None:
    out = tmp_path / "site"
    sentences = {
        "foreign": "holds files that are not a site of pubench; choose another --out",
        "changed": "index.html was changed since the site was made",
        "in the way": "new.html is in the way and does not belong to the site",
        "outside": "lists files outside of the site",
        "no list": "holds files that are not a site of pubench",
        "file": "is not a folder",
    }
    if case == "file":
        out.touch()
    elif case == "foreign":
        out.mkdir()
        (out / "thesis.tex").touch()
    else:
        write_site(FILES, out)
    if case == "changed":
        (out / "index.html").write_bytes(b"edited")
    if case == "in the way":
        (out / "new.html").touch()
    if case == "outside":
        (out / "site.json").write_text(json.dumps({"files": {"../precious": "x"}}))
    if case == "no list":
        (out / "site.json").write_text("[]")
    before = tree(tmp_path)
    with pytest.raises(PubenchError, match=sentences[case]):
        write_site({"index.html": b"9", "new.html": b"9"}, out)
    assert tree(tmp_path) == before


def test_a_site_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "site"
    write_site(FILES, out)
    before = tree(out)
    name = "x" * 300
    with pytest.raises(StoreError, match="make room, or choose another --out"):
        write_site({"index.html": b"new", f"methods/{name}.html": b"5"}, out)
    assert tree(out) == before


def test_files_between_the_folders_are_left_out_with_a_word(tmp_path: Path, capsys: Any) -> None:
    shutil.copytree(REPORTS / "quickstart", tmp_path / "reports" / "quickstart")
    (tmp_path / "reports" / "README.md").touch()
    said = pubench_here(capsys, "site", *sorted((tmp_path / "reports").iterdir()), "--out", tmp_path / "site")
    assert "README.md is a file and is left out" in said.stderr
    assert said.stdout == f"1 report, 3 methods, 2 data sets\n{tmp_path / 'site' / 'index.html'}\n"


@pytest.mark.slow
def test_the_site_of_all_committed_reports_builds_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    folders = sorted(path for path in REPORTS.iterdir() if path.is_dir())
    made = build_site(folders, tmp_path / "site")
    assert len(made.reports) == len(folders) >= 22
    assert broken_links(tmp_path / "site") == []
    for page in made.datasets:
        assert page.card, page.name
    cells = sum(sum(report.status.values()) for report in made.reports)
    assert cells == sum(len(read_exported(folder / "cells.csv").rows) for folder in folders)
