"""The papers' data sets: the counts of the papers' tables, the same rows every time, and a page that lists them all."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from pubench_datasets.files import csv
from pubench_datasets.paper_recipes import RECIPES
from pubench_datasets.paper_specs import paper_datasets
from pubench_datasets.papers import PaperSet, paper
from pubench_datasets.root import find

from pubench.data.loading import load_stored
from pubench.data.preprocess import Preprocess
from pubench.plugins.imports import resolve
from pubench.plugins.registry import Origin, Registered

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
SPECS = {spec.name: spec for spec in paper_datasets()}

# Positive rows, negative rows and features, typed from the papers: Table 2 of PUAL (whose number of features is not
# legible for Seeds and ENB), Table I of NovelGB, Table 1 of PU extra trees, Section 5.1 of Ada-PU.
PAPER = {
    "pual-acc": (100, 100, 4),
    "pual-ecoli": (116 + 52, 143 + 25, 6),
    "pual-pen": (200 + 200, 400, 16),
    "pual-or1": (301, 301, 4),
    "pual-or2": (500, 500, 4),
    "pual-ssmcr": (391, 109, 3),
    "pual-pb": (500, 500, 3),
    "pual-od": (100, 300, 5),
    "pual-umd": (83, 63, 5),
    "pual-seeds": (70, 70, 7),
    "pual-enb": (144, 144, 7),
    "pual-wifi": (100 + 100, 499 + 100, 7),
    "pual-avila": (300, 900, 10),
    "pual-rd": (450, 450, 7),
    "pual-ld": (144, 200, 6),
    "pual-hd": (150, 119, 13),
    "novelgb-haberman": (81, 306 - 81, 3),
    "novelgb-pima": (268, 768 - 268, 8),
    "novelgb-cleveland": (164, 303 - 164, 13),
    "puet-mushrooms": (4208, 6499 + 1625 - 4208, 112),
    "puet-covtype": (297_711, 464_809 + 116_203 - 297_711, 54),
    "puet-mnist": (34_418, 60_000 + 10_000 - 34_418, 784),
    "adapu-breast-cancer": (357, 455 + 114 - 357, 30),
}
# What the copies hold where they are not the papers' whole sets, or the features are others.
COPIES = {
    "puet-20news": (10_644, 11_314 + 7_532 - 10_644, 300),
    "puet-cifar10": (2_800, 4_200, 3_072),
    "puet-unsw-nb15": (45_332, 82_331 - 45_332, 39),
    "wlr-20news": (987, 18_846 - 987, 110_740),
}
EXPECTED = PAPER | COPIES
# Training rows, test rows, prior (PU extra trees, Table 1; Ada-PU, Section 5.1) of the sets whose rows are all there.
PRIORS = {
    "puet-mushrooms": (6_499 + 1_625, 0, 0.52),
    "puet-20news": (11_314, 7_532, 0.56),
    "puet-covtype": (464_809 + 116_203, 0, 0.51),
    "puet-mnist": (60_000, 10_000, 0.5),
    "puet-cifar10": (5_000, 2_000, 0.4),
    "adapu-breast-cancer": (455, 114, 0.59),
}
# Which class stands behind a code: UCI's descriptions, and OpenML's labels.
CODES = {
    "pual-acc": "1 red, 2 blue, 3 green",
    "pual-ssmcr": "1 alive, 0 dead",
    "pual-od": "1 occupied, 0 not occupied",
    "pual-seeds": "1 Kama, 2 Rosa, 3 Canadian",
    "pual-enb": "2 type II, 3 type III",
    "pual-wifi": "1 location 1, 2 location 2, 3 location 3, 4 location 4",
    "pual-ld": "1 class 1, 2 class 2",
    "pual-hd": "1 absence, 2 presence, absent absence, present presence",
    "novelgb-haberman": "1 survived, 2 died within 5 years",
    "novelgb-pima": "0 tested_negative, 1 tested_positive",
    "puet-mushrooms": "1 poisonous, 2 edible, p poisonous, e edible",
    "puet-cifar10": "0 airplane, 1 automobile, 2 bird, 3 cat, 4 deer, 5 dog, 6 frog, 7 horse, 8 ship, 9 truck",
    "adapu-breast-cancer": "1 benign, 2 malignant",
}
LARGE = {"puet-covtype", "puet-mnist", "puet-20news", "wlr-20news"}
DRAWN = [name for name, recipe in RECIPES.items() if recipe.draws]
MIRRORED = [name for name, recipe in RECIPES.items() if recipe.openml]


def each(names, slow=frozenset(LARGE)):
    return [pytest.param(n, marks=pytest.mark.slow if n in slow else ()) for n in names]


@cache
def loaded(name):
    return paper(name)


def positives(name, data):
    return np.isin(data.target, SPECS[name].positive)


def test_every_set_has_a_recipe_a_spec_and_numbers():
    assert set(SPECS) == set(RECIPES) == set(EXPECTED)
    assert len(SPECS) == len(paper_datasets())


@pytest.mark.parametrize("name", SPECS)
def test_every_spec_is_described(name):
    spec, recipe = SPECS[name], RECIPES[name]
    assert spec.version
    assert all((spec.summary, spec.positive, spec.source, spec.licence, spec.citation))
    assert not spec.params
    assert resolve(spec.loader).__self__ == resolve(spec.identity).__self__ == PaperSet(name)
    assert Preprocess(**spec.preprocess)
    assert re.findall(r"OpenML (\d+)", spec.source) == ([str(recipe.openml)] if recipe.openml else [])
    assert recipe.draws == ("params.seed" in spec.differs)
    assert (recipe.start == 1) == ("first row is left out" in spec.differs)


@pytest.mark.parametrize("name", DRAWN)
def test_recipes_draw_the_papers_counts(name):
    known = {True: 0, False: 0}
    for label, count in RECIPES[name].draw.items():
        # Of location 1 all rows but the first are kept, not drawn.
        known[label in SPECS[name].positive] += count or 499
    assert (known[True], known[False], RECIPES[name].features) == EXPECTED[name]


def test_names_of_codes_agree_with_their_sources():
    named = {name: dict(recipe.names) for name, recipe in RECIPES.items() if recipe.names}
    assert named == {
        name: dict(pair.split(" ", 1) for pair in text.split(", ")) for name, text in CODES.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", each(EXPECTED))
def test_a_set_loads_with_the_counts_of_its_paper(name, data_root):
    data = loaded(name)
    positive = positives(name, data)
    assert set(SPECS[name].positive) <= set(data.target.tolist())
    assert (int(positive.sum()), int((~positive).sum()), data.X.shape[1]) == EXPECTED[name]
    assert data.X.shape[0] == data.target.size
    assert data.target.dtype.kind == "U"
    assert not data.categorical
    assert data.feature_names == () or len(data.feature_names) == data.X.shape[1]
    if name == "novelgb-cleveland":
        assert np.isnan(data.X).sum() == 6
    elif isinstance(data.X, np.ndarray):
        assert np.isfinite(data.X).all()


@pytest.mark.parametrize("name", each(PRIORS))
def test_splits_and_priors_are_those_of_the_tables(name, data_root):
    data = loaded(name)
    split = np.full(data.target.size, "train") if data.split is None else data.split
    train, test, prior = PRIORS[name]
    assert Counter(split.tolist()) == +Counter(train=train, test=test)
    assert positives(name, data)[split == "train"].mean() == pytest.approx(prior, abs=0.01)


def test_classes_carry_the_papers_names_and_counts(data_root):
    ecoli = Counter(loaded("pual-ecoli").target.tolist())
    assert sum(ecoli[name] for name in ("im", "imS", "imL", "imU")) == 116
    assert (ecoli["pp"], ecoli["cp"], ecoli["om"] + ecoli["omL"]) == (52, 143, 25)
    assert Counter(loaded("pual-pen").target.tolist()) == {"1": 200, "8": 200, "4": 400}
    rooms = {"location 1": 499, "location 2": 100, "location 3": 100, "location 4": 100}
    assert Counter(loaded("pual-wifi").target.tolist()) == rooms
    assert set(Counter(loaded("puet-cifar10").target.tolist()).values()) == {700}
    benign = loaded("adapu-breast-cancer").target == "benign"
    assert int(benign[:455].sum()) == 269


def test_bytes_stay_bytes(data_root):
    assert loaded("puet-cifar10").X.dtype == np.uint8


@pytest.mark.slow
def test_images_stay_bytes_and_text_stays_counts(data_root):
    digits = loaded("puet-mnist")
    assert digits.X.dtype == np.uint8
    assert digits.image_shape == (28, 28)
    # A digit stands in the middle: its margins are nearly empty.
    images = digits.X.reshape(-1, *digits.image_shape)
    assert images[:, 4:24, 4:24].mean() > 20 * images[:, :, :4].mean()
    counts = loaded("wlr-20news").X
    assert counts.data.min() == 1
    assert (counts.data % 1 == 0).all()
    assert loaded("wlr-20news").split is None


@pytest.mark.parametrize("name", each(DRAWN, slow={"pual-or1", "pual-or2"}))
def test_a_draw_depends_on_the_seed_alone(name, data_root):
    first, again, other = loaded(name), paper(name, seed=0), paper(name, seed=1)
    assert first.X.tobytes() == again.X.tobytes()
    assert first.target.tolist() == again.target.tolist()
    assert first.X.tobytes() != other.X.tobytes()
    assert Counter(first.target.tolist()) == Counter(other.target.tolist())


def test_drawn_rows_are_distinct_rows_of_the_file_in_its_order(data_root):
    whole = csv(str(find("avila")), drop=["uci_split"])
    rows = {
        (row.tobytes(), label): place
        for place, (row, label) in enumerate(zip(whole.X, whole.target, strict=True))
    }
    drawn = loaded("pual-avila")
    places = [rows[row.tobytes(), label] for row, label in zip(drawn.X, drawn.target, strict=True)]
    assert len(rows) == len(whole.target)
    assert places == sorted(set(places))
    # Drawn from all of the file, not from one end of it.
    assert places[-1] - places[0] > 0.9 * len(rows)


@pytest.mark.parametrize(("name", "lost"), [("pual-ld", "1"), ("pual-hd", "2"), ("pual-wifi", "1")])
def test_the_row_that_became_a_header_is_of_the_class_that_lacks_one(name, lost, data_root):
    whole = csv(str(find(RECIPES[name].file)))
    assert str(whole.target[0]) == lost
    if name != "pual-wifi":
        assert np.array_equal(loaded(name).X, whole.X[1:])


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LARGE))
def test_the_large_sets_are_prepared(name, data_root):
    prepared = load_stored(Registered(SPECS[name], Origin("p", "d", "1")), {}, seconds=600)
    assert prepared.n_rows == sum(EXPECTED[name][:2])


def test_dates_are_days(data_root):
    days = loaded("pual-pb").X[:, 2]
    first, last = np.datetime64("2016-10-04"), np.datetime64("2016-12-20")
    assert ((days >= first.astype(int)) & (days < last.astype(int))).all()
    assert (days % 1 != 0).any()
    assert loaded("pual-or1").feature_names == ("Quantity", "InvoiceDate", "UnitPrice", "CustomerID")
    assert loaded("pual-or1").X[:, 1].min() >= np.datetime64("2010-12-01").astype(int)


def test_the_two_types_of_enb_hold_the_same_rows(data_root):
    data = loaded("pual-enb")
    sides = [sorted(map(tuple, data.X[data.target == name].tolist())) for name in ("type II", "type III")]
    assert sides[0] == sides[1]


@pytest.mark.parametrize("name", each(MIRRORED))
def test_openml_serves_the_same_set_where_there_is_no_data_root(name, data_root, mirror, monkeypatch):
    expected = paper(name)
    # The mirror writes the large tables when they are first asked for, which may take it a minute.
    monkeypatch.setenv("PUBENCH_OPENML_TIMEOUT", "600")
    monkeypatch.delenv("PUBENCH_DATA")
    data = paper(name)
    assert data.target.tolist() == expected.target.tolist()
    assert data.X.dtype == expected.X.dtype
    assert (data.split is None) == (expected.split is None)
    assert data.split is None or np.array_equal(data.split, expected.split)
    assert np.array_equal(data.X, expected.X)
    assert len(set(data.feature_names)) in (0, data.X.shape[1])


def test_the_page_lists_every_data_set():
    text = (ROOT / "docs" / "paper-datasets.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in re.findall(r"^\| `[a-z]+-.*\|$", text, re.MULTILINE)
    ]
    assert [row[0].strip("`") for row in rows] == list(SPECS)
    for name, method, n_rows, n_features, classes, source, differs in rows:
        spec = SPECS[name.strip("`")]
        positive, negative, features = EXPECTED[spec.name]
        assert re.fullmatch(r"(Ada-PU|PUAL|NovelGB|PU extra trees|weighted LR): .+", method)
        assert number(n_rows) == positive + negative
        assert number(n_features) == features
        assert [number(side) for side in classes.split(" / ")] == [positive, negative]
        assert source == spec.source
        assert differs == (spec.differs or "nothing known")


def number(text):
    return int(re.match(r"[\d,]+", text).group().replace(",", ""))
