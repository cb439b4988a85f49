"""Cards of data sets in run folders and reports."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.suites import TOY, run

from pubench.data.cards import make_card
from pubench.data.loading import load_stored
from pubench.plugins.discovery import discover
from pubench.reporting import report_of
from pubench.reporting.render.html import html_report
from pubench.reporting.render.markdown import markdown_report
from pubench.results.run_folder import cards_of, read_provenance, write_provenance


def registered(name):
    return discover(files=[TOY]).dataset(name)


def section(results):
    """Return the lines of the report's section on data sets, each as a list of cells."""
    text = markdown_report(report_of(results)).partition("## Data sets\n")[2].partition("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line]


def test_facts_of_a_plugin_never_replace_counts():
    entry = registered("toy-blobs")
    found = load_stored(entry, {}, files=[str(TOY)])
    told = {"rows": 7, "fingerprint": "mine", "licence": "CC0", "id": 990016, "title": "t"}
    card = make_card(entry, replace(found, facts=told))
    values = card.to_json()
    assert (values["rows"], values["fingerprint"]) == (found.n_rows, found.fingerprint)
    assert (values["licence"], values["title"]) == ("CC0", "t")
    lines = {" ".join(line.split()) for line in card.lines()}
    assert "id 990016" in lines
    assert f"rows {found.n_rows:,}" in lines


@pytest.mark.slow
def test_run_folder_and_report_have_a_card_of_each_data_set(tmp_path):
    datasets = [
        {"use": "toy-blobs", "positive": "minority", "params": {"gap": 2.0}},
        {"use": "iris", "positive": "one-versus-rest"},
        {"use": "iris", "name": "drawn", "negative": ["setosa"], "sample": {"positive": 30, "negative": 20}},
    ]
    results = run(tmp_path, datasets=datasets)
    cards = cards_of(read_provenance(results.folder))
    assert list(cards) == [
        "toy-blobs",
        "iris: setosa",
        "iris: versicolor",
        "iris: virginica",
        "drawn",
    ]
    toy = cards["toy-blobs"]
    rarest = min(toy["counts"], key=toy["counts"].get)
    assert toy["positive"] == [rarest]
    assert toy["prior"] == toy["counts"][rarest] / toy["rows"]
    assert toy["params"] == {"gap": 2.0}
    assert (cards["iris: setosa"]["positive"], cards["iris: setosa"]["prior"]) == (["setosa"], 1 / 3)
    drawn = cards["drawn"]
    assert (drawn["positive"], drawn["negative"], drawn["prior"]) == (["virginica"], ["setosa"], 0.6)
    assert {row["dataset"] for row in results.rows} == set(cards)

    heads, _, first, *others = section(results)
    assert heads[:6] == ["data set", "rows", "features", "missing cells", "prior", "positive"]
    assert first[0] == "toy-blobs"
    assert first[5] == rarest
    assert others[0][:6] == ["iris: setosa", "150", "4", "0", "0.333", "setosa"]
    assert others[3][1:6] == ["50 of 150", "4", "0", "0.600", "virginica"]
    assert others[0][6:8] == ["UCI Machine Learning Repository, as shipped with scikit-learn", "CC BY 4.0"]
    assert drawn["fingerprint"].startswith(others[3][8])
    cited = (
        "- iris: setosa, iris: versicolor, iris: virginica, drawn: R. A. Fisher (1936), doi:10.24432/C56C76"
    )
    assert [cited] in others


def test_a_card_is_written_once_and_again_only_for_a_new_label(tmp_path):
    run(tmp_path)
    results = run(tmp_path)
    assert len(read_provenance(results.folder)) == 1
    renamed = run(tmp_path, datasets=[{"use": "toy-blobs", "name": "other"}])
    assert renamed.rows[0]["status"] == "ok"
    assert len(read_provenance(results.folder)) == 2
    assert section(renamed)[2][0] == "other"
    assert len(section(renamed)) == 3


@pytest.mark.parametrize(
    "entries", [[], [1, None], [{"datasets": {"toy-blobs": "0f0f"}}], [{"datasets": 3}]], ids=str
)
def test_a_folder_without_cards_has_a_report_without_them(tmp_path, entries):
    results = run(tmp_path)
    write_provenance(results.folder, entries)
    assert cards_of(read_provenance(results.folder)) == {}
    assert section(results) == []


def test_a_report_says_that_the_cards_are_damaged(tmp_path):
    results = run(tmp_path)
    path = results.folder / "provenance.json"
    path.write_text(path.read_text().replace("toy-blobs", "toy-blobz"))
    report = report_of(results)
    lost = "is damaged, or another version of pubench wrote it; what earlier runs were made with"
    assert f"### Damaged files\n\n- {path} {lost}" in markdown_report(report)
    assert f"{path} {lost}" in html_report(report)
