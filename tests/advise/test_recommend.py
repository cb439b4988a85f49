"""Laws of advice: one value, the same in words, as JSON and on a page; bad input is one sentence."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from helpers.html import outline

from pubench.advise.gathering import Failure
from pubench.advise.page import advice_page
from pubench.advise.recommend import recommend
from pubench.advise.sections import make_sections, text_lines
from pubench.cli import cli
from pubench.errors import DataError

QUICK = ("naive-lr-prior", "wlr")


def some_table(n=160, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.5
    frame = pd.DataFrame(rng.normal(size=(n, 3)) + 1.5 * y[:, None], columns=["a", "b", "<script>c"])
    frame["row"] = [f"r{number}" for number in range(n)]
    frame["known"] = np.where(y & (rng.random(n) < 0.5), "yes", "")
    return frame


@pytest.fixture(scope="module")
def advice():
    return recommend(
        some_table(), label="known", ids=["row"], scenario="single-training-set", names=QUICK, seed=1
    )


def test_advice_counts_rows_and_weighs_methods(advice):
    table = some_table()
    assert (advice.rows, advice.labelled) == (160, (table.known == "yes").sum())
    assert {method.name for method in advice.methods} == set(QUICK)
    assert sum(method.weight for method in advice.methods) == pytest.approx(1.0)
    assert advice.methods[0].value >= advice.methods[1].value > 0.5
    assert advice.single in QUICK
    assert 0 <= advice.positives.low <= advice.positives.value <= advice.positives.high <= advice.unlabelled
    assert all(0 <= top.low <= top.value <= top.high <= 1 for top in advice.tops)


def test_the_terminal_and_the_page_say_the_same(advice):
    page = outline(advice_page(advice)).text
    for section in make_sections(advice):
        assert all(sentence in page for sentence in (*section.sentences, *section.notes))
        if section.table:
            assert all(cell in page for row in (section.table.titles, *section.table.rows) for cell in row)
    text = "\n".join(text_lines(make_sections(advice)))
    assert all(limit in text for limit in advice.limits)
    assert f"About {advice.positives.value} of the {advice.unlabelled} unlabelled rows are positive (" in text
    assert f"the ensemble calls {advice.called} of them positive." in text
    assert "best with probability" not in text


def test_an_id_of_labelled_rows_alone_calls_for_an_audit(tmp_path):
    table = some_table()
    table["case_no"] = np.where(table.known == "yes", 40_000 + 37.0 * np.arange(len(table)), np.nan)
    table.to_csv(tmp_path / "mine.csv", index=False)
    found = recommend(
        tmp_path / "mine.csv",
        label="known",
        ids=["row"],
        scenario="single-training-set",
        names=("naive-lr-prior",),
    )
    assert any("'case_no' is filled in 100% of the labelled and 0%" in doubt for doubt in found.doubts)
    assert found.next_command.startswith("pubench audit ")


def test_an_overrun_of_the_budget_is_said(advice):
    asked = {"label": "known", "ids": ["row"], "scenario": "single-training-set"}
    late = recommend(some_table(), names=("naive-lr-prior", "wlr"), budget=1e-9, **asked)
    assert [method.name for method in late.methods] == ["naive-lr-prior"]
    assert late.overrun is not None
    assert late.overrun[0] > late.overrun[1] == 1e-9
    said = "the table is read, the prior estimated and one method compared"
    assert said in "\n".join(text_lines(make_sections(late)))
    assert said not in "\n".join(text_lines(make_sections(advice)))


def test_the_page_needs_nothing_from_elsewhere_and_escapes_names(advice):
    page = advice_page(replace(advice, source="<img src=x>.csv", remarks=("column '<script>c'",)))
    found = outline(page)
    assert (found.links, found.handlers) == ([], [])
    assert found.tags["script"] == found.tags["img"] == found.tags["link"] == 0
    assert "url(" not in page
    assert "@import" not in page
    assert "prefers-color-scheme: dark" in page


def test_advice_is_plain_json(advice):
    found = json.loads(json.dumps(advice.to_json()))
    assert found["prior"]["value"] == advice.prior.value
    assert [row["name"] for row in found["methods"]] == [method.name for method in advice.methods]


def test_the_goal_decides_what_comes_right_after_the_methods(advice):
    titles = {
        goal: [section.title for section in make_sections(replace(advice, goal=goal))]
        for goal in ("ranking", "decision", "probability")
    }
    after = {goal: listed[listed.index("Methods") + 1] for goal, listed in titles.items()}
    assert after == {
        "ranking": "Precision among the top rows",
        "decision": "Decisions",
        "probability": "Probabilities",
    }
    assert len({frozenset(listed) for listed in titles.values()}) == 1


def test_one_method_alone_is_not_called_good(advice):
    alone = replace(advice, methods=advice.methods[:1], failures=(Failure("a", "late"), Failure("b", "late")))
    text = "\n".join(text_lines(make_sections(alone)))
    assert "nothing can be said about how it compares with others" in text
    assert "of the best method tried" not in text
    assert "Left out: a, b: late." in text


def test_the_next_command_can_be_pasted(advice):
    assert advice.next_command == ""
    table = some_table(60)
    found = replace(advice, source="my data.csv", next_command="pubench fit 'my data.csv'")
    assert "  pubench fit 'my data.csv'" in list(text_lines(make_sections(found)))
    with pytest.raises(DataError, match="no column 'knwon' for the labels; did you mean 'known'"):
        recommend(table, label="knwon", scenario="single-training-set")


def test_labels_that_a_column_gives_away_are_audited_next(tmp_path):
    table = some_table(80)[["row", "a", "known"]]
    table["checked"] = np.where(table.known == "yes", "by hand", "never")
    table["visits"] = np.where(table.known == "yes", 9.0, 1.0) + 0.01 * table["a"]
    table.to_csv(tmp_path / "t.csv", index=False)
    found = recommend(
        tmp_path / "t.csv",
        label="known",
        ids=["row"],
        scenario="case-control",
        goal="decision",
        names=["naive-lr-prior"],
        seed=1,
    )
    assert any("Perhaps a column reveals the label" in doubt for doubt in found.doubts)
    asked = "--label known --id row --scenario case-control --seed 1"
    assert found.next_command == f"pubench audit {tmp_path}/t.csv {asked}"


def test_a_precision_of_which_nothing_is_known_has_no_figure(advice):
    wide = replace(advice.tops[0], value=1.0, low=0.0, high=0.95)
    narrow = replace(advice.tops[0], value=0.94, low=0.2, high=0.95)
    found = replace(advice, tops=(wide, narrow))
    table = next(part.table for part in make_sections(found) if part.title.startswith("Precision"))
    assert [row[1] for row in table.rows] == ["not known", "0.94"]
    assert advice_page(found).count("<circle") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.csv", "--label", "known"], "does not exist"),
        (["t.csv", "--label", "wrong"], "there is no column 'wrong' for the labels"),
        (["t.csv", "--label", "a"], "label column 'a'"),
        (["t.csv", "--label", "known", "--id", "nobody"], "nobody"),
    ],
)
def test_bad_input_is_one_sentence(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    some_table(40).to_csv("t.csv", index=False)
    found = CliRunner().invoke(cli, ["recommend", *arguments, "--html", "page.html"])
    assert isinstance(found.exception, DataError)
    assert message in str(found.exception)
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("budget", ["0", "-5", "soon", "5 min", ""])
def test_a_budget_that_is_no_time_is_refused(budget, tmp_path):
    found = CliRunner().invoke(cli, ["recommend", "t.csv", "--label", "known", "--budget", budget])
    assert found.exit_code == 2
    assert "is not a time; write seconds such as 60" in found.output


@pytest.mark.slow
def test_the_command_prints_advice_and_writes_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    some_table(400).to_csv("t.csv", index=False)
    arguments = [
        "recommend",
        "t.csv",
        "--label",
        "known",
        "--id",
        "row",
        "--budget",
        "2s",
        "--html",
        "page.html",
    ]
    found = CliRunner().invoke(cli, arguments)
    assert found.exit_code == 0, found.output
    assert "pubench fit t.csv --label known --id row --out model.pub" in found.output
    assert "pubench fit t.csv" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_ctrl_c_shows_the_results_so_far(tmp_path):
    some_table(1500).to_csv(tmp_path / "t.csv", index=False)
    command = [sys.executable, "-m", "pubench", "recommend", "t.csv", "--label", "known", "--id", "row"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, text=True, **pipes) as running:
        while True:
            line = running.stderr.readline()
            assert line, "it ended before it was interrupted"
            found = re.search(r"comparing methods: (\d+) of \d+ fits", line)
            if found and int(found[1]) >= 10:
                break
        running.send_signal(signal.SIGINT)
        printed, _ = running.communicate(timeout=600)
    assert running.returncode == 130
    assert "The comparison was interrupted; these are the results so far." in printed
    assert "pubench fit t.csv --label known --id row --out model.pub" in printed
