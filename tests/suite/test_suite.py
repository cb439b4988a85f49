"""A suite is either a frozen value or an error with file, key, value and remedy."""

import importlib.util
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pubench.data.labelling import Labelling, Sar, Scar
from pubench.errors import SuiteError
from pubench.specs import Choice, Float, Int
from pubench.suite import (
    Suite,
    bundled_suites,
    load_suite,
    parse_suite,
    suite_schema,
    suite_text,
)

ROOT = Path(__file__).resolve().parents[2]
DATASET = '[[datasets]]\nuse = "breast-cancer"\n'
LABELLING = '[[labellings]]\nscenario = "case-control"\npositives = 100\n'
ALGORITHM = '[[algorithms]]\nuse = "wlr"\n'
MINIMAL = f'name = "x"\n{DATASET}{LABELLING}{ALGORITHM}'
FULL = """
name = "example"
description = "all keys"
seed = 7
replicates = 2
[[datasets]]
use = "breast-cancer"
name = "cancer"
params = { version = 2, columns = ["a", "b"] }
positive = ["malignant", 1, true]
negative = ["benign"]
sample = { positive = 200, negative = 150 }
preprocess = { scale = "minmax" }
[[datasets]]
use = "digits"
[[labellings]]
name = "few"
scenario = "case-control"
positives = 100
mechanism = "sar"
sar = { model = "direction", strength = 3 }
test = "given"
[[labellings]]
scenario = "case-control"
frequency = 0.25
test = 0.4
test_from = "unlabelled"
[[algorithms]]
use = "wlr"
name = "Weighted LR"
params = { tol = 1e-4 }
tune = true
[algorithms.search]
c = { low = 1, high = 10, log = true, points = 3 }
depth = { low = 1, high = 8, int = true }
cost = ["printed", 1, 1.5, true]
[tuning]
criteria = ["puf", "pauc"]
trials = 8
validation = 0.25
sampler = "random"
batch = 2
[prior]
source = "some-estimator"
params = { bins = 3 }
[preprocess]
impute = "mean"
scale = "robust"
categorical = "codes"
[limits]
seconds = 5
memory_mb = 100
threads = 2
[report]
metrics = ["accuracy"]
"""


@pytest.fixture
def bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the suites importable where the project is not installed."""
    if importlib.util.find_spec("pubench_suites") is None:
        folder = ROOT / "suites"
        spec = importlib.util.spec_from_file_location("pubench_suites", folder / "__init__.py")
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "pubench_suites", module)


def test_every_key_arrives() -> None:
    suite = parse_suite(FULL, "x.toml")
    assert (suite.name, suite.description, suite.seed, suite.replicates) == ("example", "all keys", 7, 2)
    cancer, digits = suite.datasets
    assert (cancer.label, digits.label) == ("cancer", "digits")
    assert cancer.params == {"version": 2, "columns": ["a", "b"]}
    assert (cancer.positive, cancer.negative) == (("malignant", "1", "True"), ("benign",))
    assert cancer.sample is not None
    assert (cancer.sample.positive, cancer.sample.negative) == (200, 150)
    assert suite.labellings == (
        Labelling("case-control", 100, None, Sar("direction", 3.0), "given", "population", "few"),
        Labelling("case-control", None, 0.25, Scar(), 0.4, "unlabelled"),
    )
    (algorithm,) = suite.algorithms
    assert (algorithm.use, algorithm.label, algorithm.tune) == ("wlr", "Weighted LR", True)
    assert algorithm.params == {"tol": 1e-4}
    assert algorithm.search == {
        "c": Float(1.0, 10.0, log=True, points=3),
        "depth": Int(1, 8),
        "cost": Choice(("printed", 1, 1.5, True)),
    }
    tuning = suite.tuning
    assert (tuning.criteria, tuning.trials, tuning.folds) == (("puf", "pauc"), 8, None)
    assert (tuning.validation, tuning.sampler, tuning.batch) == (0.25, "random", 2)
    assert (suite.prior.source, suite.prior.params) == ("some-estimator", {"bins": 3})
    assert (suite.limits.seconds, suite.limits.memory_mb, suite.limits.threads) == (5.0, 100, 2)
    assert suite.report.metrics == ("accuracy",)


GIVEN = 'scenario = "case-control"\npositives = "given"'


@pytest.mark.parametrize(
    ("prior", "labelling", "criterion"),
    [
        ("", "", "nnpu-risk"),
        ('[prior]\nsource = "estimate"', GIVEN, "nnpu-risk"),
        ("[prior]\nsource = 0.3", GIVEN, "nnpu-risk"),
        ('[prior]\nsource = "none"', "", "puf"),
        ("", GIVEN, "puf"),
        ('[tuning]\ncriteria = ["pauc"]', "", "pauc"),
        ("[tuning]\ntrials = 3", "", "nnpu-risk"),
    ],
)
def test_the_criterion_of_a_suite_that_names_none(prior: str, labelling: str, criterion: str) -> None:
    text = MINIMAL + (f"[[labellings]]\n{labelling}\n" if labelling else "") + prior
    assert parse_suite(text, "x.toml").tuning.criteria == (criterion,)


def test_defaults() -> None:
    suite = parse_suite(MINIMAL, "x.toml")
    assert (suite.seed, suite.replicates, suite.description) == (0, 5, "")
    assert suite.datasets[0].positive == ()
    assert suite.datasets[0].sample is None
    assert suite.algorithms[0].search is None
    assert suite.algorithms[0].tune is False
    assert (suite.tuning.criteria, suite.tuning.trials, suite.tuning.folds) == (("nnpu-risk",), 20, 4)
    assert (suite.tuning.validation, suite.tuning.sampler, suite.tuning.batch) == (None, "tpe", 4)
    assert suite.prior.source == "true"
    assert suite.preprocess == suite.datasets[0].preprocess == {}
    assert (suite.limits.seconds, suite.limits.memory_mb, suite.limits.threads) == (600, 4096, 1)
    assert suite.report.metrics == ("accuracy", "f1", "roc-auc")


@pytest.mark.parametrize("sampler", ["grid", "grid-greedy"])
def test_a_grid_is_tried_completely_by_default(sampler: str) -> None:
    assert parse_suite(MINIMAL + f'[tuning]\nsampler = "{sampler}"', "x").tuning.trials is None
    assert parse_suite(MINIMAL + '[tuning]\nsampler = "grid"\ntrials = 3', "x").tuning.trials == 3


def test_a_data_set_overrides_preprocess_key_by_key() -> None:
    cancer, digits = parse_suite(FULL, "x.toml").datasets
    assert cancer.preprocess == {"impute": "mean", "scale": "minmax", "categorical": "codes"}
    assert digits.preprocess == {"impute": "mean", "scale": "robust", "categorical": "codes"}


def test_an_empty_search_means_the_own_space() -> None:
    text = MINIMAL + "tune = true\nsearch = {}"
    assert parse_suite(text, "x").algorithms[0].search is None


def test_suites_are_frozen_and_can_be_made_in_python() -> None:
    suite = parse_suite(MINIMAL, "x.toml")
    with pytest.raises(ValidationError):
        suite.seed = 1
    again = Suite(name="x", datasets=suite.datasets, labellings=suite.labellings, algorithms=suite.algorithms)
    assert again == suite


def test_files_that_cannot_be_read(tmp_path: Path, bundle: None) -> None:
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'name = "\xe9"')
    for path, says in (
        (tmp_path / "none.toml", "no such file; check the path, or name a bundled suite ("),
        (tmp_path, "is a folder, not a suite"),
        (latin, "is not UTF-8 (byte 8); save it with that encoding"),
        (latin / "x.toml", "cannot be read (Not a directory)"),
    ):
        with pytest.raises(SuiteError) as caught:
            load_suite(path)
        assert str(caught.value).startswith(f"{path}: {says}")
        assert "\n" not in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(MINIMAL)
    path.chmod(0)
    with pytest.raises(SuiteError, match=r"cannot be read .Permission denied\."):
        load_suite(path)


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b"\xef\xbb\xbf" + MINIMAL.encode())
    assert load_suite(path) == load_suite(str(path)) == parse_suite(MINIMAL, "x.toml")


def test_names_and_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bundle: None) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_text(MINIMAL)
    (tmp_path / "quickstart").mkdir()
    assert load_suite("mine").name == "x"
    assert load_suite("quickstart").name == "quickstart"
    with pytest.raises(SuiteError, match="did you mean 'quickstart'"):
        load_suite("quickstrt")
    with pytest.raises(SuiteError, match="no such file"):
        load_suite("quickstart.toml")
    assert suite_text("quickstart") == (ROOT / "suites" / "quickstart.toml").read_text(encoding="utf-8")


def test_every_bundled_suite_is_valid_and_named_like_its_file(bundle: None) -> None:
    assert "quickstart" in bundled_suites()
    for name, description in bundled_suites().items():
        suite = load_suite(name)
        assert (suite.name, suite.description) == (name, description)
        assert description


def test_without_the_bundle_no_suite_is_bundled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pubench.suite.BUNDLE", "pubench_suites_elsewhere")
    assert bundled_suites() == {}


def objects(schema: object) -> list[dict[str, object]]:
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    found = [part for value in inner for part in objects(value)]
    return [*found, schema] if isinstance(schema, dict) and "properties" in schema else found


def test_the_schema_describes_every_key_without_null() -> None:
    schema = suite_schema()
    assert json.loads(json.dumps(schema)) == schema
    tables = objects(schema)
    assert len(tables) == 26
    for table in tables:
        assert table["additionalProperties"] is False
        for key, value in table["properties"].items():  # type: ignore[attr-defined]
            assert value.get("description"), key
    assert '"null"' not in json.dumps(schema)
    assert schema["required"] == ["name", "datasets", "labellings", "algorithms"]
    assert schema["$defs"]["RangeTable"]["properties"]["int"]["type"] == "boolean"


def test_the_schema_accepts_what_we_accept() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for text in (MINIMAL, FULL, (ROOT / "suites" / "quickstart.toml").read_text(encoding="utf-8")):
        jsonschema.validate(tomllib.loads(text), suite_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads("sed = 3\n" + MINIMAL), suite_schema())


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = [
    (), ("datasets",), ("datasets", 0), ("datasets", 0, "preprocess"), ("datasets", 1, "positive"),
    ("labellings", 0), ("labellings", 0, "sar"), ("labellings", 1, "test"), ("algorithms", 0, "search"),
    ("algorithms", 0, "search", "c"), ("algorithms", 0, "search", "c", "low"), ("tuning", "sampler"),
    ("prior", "source"), ("preprocess",), ("limits", "seconds"), ("report", "metrics"), ("name",),
    ("unheard",),
]  # fmt: skip


@given(st.sampled_from(KEYS), values)
def test_any_value_anywhere_gives_a_suite_or_problems(key: tuple[str | int, ...], value: object) -> None:
    from pubench.suite.base import read_table

    document = tomllib.loads(FULL)
    place = document
    for part in key[:-1]:
        place = place[part]  # type: ignore[index]
    if key:
        place[key[-1]] = value  # type: ignore[index]
    read = read_table(Suite, document if key else value)  # type: ignore[arg-type]
    assert isinstance(read, Suite) or all(problem.text for problem in read)


def test_importing_suites_loads_no_heavy_package() -> None:
    code = "import sys, pubench.suite; print([m for m in ('sklearn', 'pandas', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_best_trial_is_chosen_where_there_is_no_standard_error():
    def rule(tuning):
        return parse_suite(f"{MINIMAL}\n[tuning]\n{tuning}\n", "s.toml").tuning.rule

    assert rule("folds = 3") == "corrected-se"
    assert rule("validation = 0.3") == "best"
    assert rule("defaults = false") == "best"
    for name in ("one-se", "corrected-se"):
        with pytest.raises(SuiteError, match=f'cannot be "{name}" without folds'):
            rule(f'validation = 0.3\nrule = "{name}"')
