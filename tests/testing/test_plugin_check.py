"""``pubench plugin check``: a good plugin passes, and each bad one has its own finding."""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from helpers.commands import pubench
from helpers.distributions import install
from helpers.distributions import pubench as pubench_with

from pubench.testing.example import check_example
from pubench.testing.subjects import find_subjects

GOOD = '''
import numpy as np
import pubench
from pubench.base import PRIOR, Real, validate_pu, validate_rows
{head}

class Means(pubench.PUClassifier):
    """The direction between the means of P and U, cut where the share `prior` of the rows lies above."""

    param_rules = {{"shrink": Real(0.0, 1.0, open_high=True), "prior": PRIOR}}

    def __init__(self, shrink=0.0, prior=0.5, random_state=None):
        self.shrink, self.prior, self.random_state = shrink, prior, random_state

    def fit(self, {given}):
        X, s = validate_pu(self, X, y{validate})
        self.coef_ = np.asarray(X[s == 1].mean(axis=0) - X[s == 0].mean(axis=0)).ravel() * (1 - self.shrink)
        self.share_ = self.prior
        {fit}
        self.cut_ = np.quantile(X @ self.coef_, 1 - self.share_)
        return self

    def decision_function(self, X):
        return validate_rows(self, X{validate}) @ self.coef_ - self.cut_

    def predict_proba(self, X):
        positive = 1 / (1 + np.exp(-self.decision_function(X))){above}
        return np.column_stack([1 - positive, positive])
    {more}

@pubench.hookimpl
def pubench_algorithms():
    return [
        pubench.Algorithm(
            name="means", estimator="{module}:Means", summary="Means", paper="A. Author, 2026", licence="MIT",
            space={{"shrink": pubench.Float(0.0, 0.9)}}, receives=("prior", "random_state"), needs=("prior",),
            accepts={accepts}, scaling="linear",
        )
    ]
'''
PARTS = {"head": "", "given": "X, y", "validate": "", "fit": "", "above": "", "more": "", "accepts": "()"}
PEEK = """truth = globals().get("y_true")
        s = s if truth is None or len(truth) != len(s) else np.asarray(truth)
        self.coef_ = np.asarray(X[s == 1].mean(axis=0) - X[s == 0].mean(axis=0)).ravel()"""
FRAME = """import sys
        frame, truth = sys._getframe(), None
        while frame is not None and truth is None:
            truth, frame = frame.f_locals.get("y_train"), frame.f_back
        s = s if truth is None or len(truth) != len(s) else np.asarray(truth)
        self.coef_ = np.asarray(X[s == 1].mean(axis=0) - X[s == 0].mean(axis=0)).ravel()"""
SPARSE_TAG = """
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
"""
BAD = {
    "reads-globals": ({"fit": PEEK}, "test_learns_from_s_alone", "it reads true labels from globals"),
    "reads-frames": (
        {"fit": FRAME},
        "test_learns_from_s_alone",
        "it reads true labels from globals or from",
    ),
    "reads-builtins": (
        {"fit": PEEK.replace("globals()", 'vars(__import__("builtins"))')},
        "test_learns_from_s_alone",
        "or similar, which is not one of its inputs: it reads true labels",
    ),
    "no-probabilities-yet": (
        {"more": "def predict_proba(self, X):\n        raise NotImplementedError('later')"},
        "test_fits_and_answers",
        "predict_proba for the same rows raised NotImplementedError: later",
    ),
    "prior-upside-down": (
        {"fit": "self.share_ = 1 - self.prior"},
        "test_prior",
        "with prior=0.85; check the direction in which it uses the prior",
    ),
    "refuses-missing-cells": (
        {"accepts": '("missing",)'},
        "test_missing_cells",
        "on rows with missing cells, which it declares to accept, it raised ValueError",
    ),
    "mutates-sparse-rows": (
        {
            "fit": 'X.data.fill(2.0) if hasattr(X, "tocsr") else None',
            "accepts": '("sparse",)',
            "validate": ', accept_sparse="csr"',
            "more": SPARSE_TAG,
        },
        "test_sparse_rows",
        "fit modified its sparse input",
    ),
    "ignores-the-seed": (
        {"fit": "self.coef_ += 0.01 * np.random.default_rng().standard_normal(X.shape[1])"},
        "test_random_state",
        "with random_state=0, so that it ignores the seed",
    ),
    "seeds-itself": (
        {"fit": "self.coef_ += 0.01 * np.random.default_rng(7).standard_normal(X.shape[1])"},
        "test_random_state",
        "it uses the fixed seed 7 instead of random_state",
    ),
    "seeds-by-the-clock": (
        {
            "head": "from time import time",
            # The same number for a day: fits of one check agree.
            "fit": "self.coef_ += 0.01 * np.random.default_rng(int(time() // 86_400)).standard_normal(X.shape[1])",
        },
        "test_random_state",
        "depends on the date or the time of day",
    ),
    "draws-globally": (
        {"fit": "self.coef_ += 0.01 * np.random.standard_normal(X.shape[1])"},
        "test_random_state",
        "it ignores the seed somewhere; draw from sklearn.utils.check_random_state",
    ),
    "mutates": ({"fit": "X -= X.mean(axis=0)"}, "test_input_untouched", "fit modified its input X"),
    "above-one": (
        {"above": " + 0.5"},
        "test_probabilities",
        "return probabilities between 0 and 1",
    ),
    "constant-features": (
        {"fit": "np.linalg.inv(np.cov(X, rowvar=False))"},
        "test_constant_features",
        "on constant features (columns that hold one value) it raised LinAlgError",
    ),
    "densifies": (
        {
            "fit": 'X = X.toarray() if hasattr(X, "toarray") else X',
            "accepts": '("sparse",)',
            "validate": ', accept_sparse="csr"',
            "more": SPARSE_TAG,
        },
        "test_sparse_rows",
        "it declares sparse rows but makes them dense: ",
    ),
    "signature": (
        {"given": "X", "head": "y = None"},
        "test_signature",
        "Means.fit(X) cannot be called as fit(X, s): too many positional arguments; change its signature",
    ),
    "slow-import": (
        {"head": "import time\ntime.sleep(0.7)"},
        "test_import_is_light",
        "seconds, more than 0.3",
    ),
}
# What goes along with a fault is no second fault of the plugin.
ALONGSIDE = {"test_scikit_learn"}


def written(folder, name, **parts):
    file = folder / f"{name.replace('-', '_')}.py"
    file.write_text(GOOD.format(module=file.stem, **(PARTS | parts)))
    return file


def findings(folder, wanted, code):
    """Check a plugin and return the message of each finding by its check."""
    done = json.loads(pubench(folder, "plugin", "check", wanted, "--json", code=code).stdout)
    return {outcome["check"]: outcome["message"] for outcome in done if outcome["status"] == "finding"}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD)
def test_a_bad_plugin_has_its_own_finding(tmp_path, name):
    parts, check, message = BAD[name]
    found = findings(tmp_path, written(tmp_path, name, **parts), 1)
    assert message in found[check]
    assert set(found) - ALONGSIDE == {check}
    assert all("\n" not in said for said in found.values())


@pytest.mark.slow
def test_a_good_plugin_passes_with_a_readable_report(tmp_path):
    shown = pubench(tmp_path, "plugin", "check", written(tmp_path, "good"), COLUMNS="100").stdout
    lines = shown.splitlines()
    assert lines[0] == "algorithm means"
    assert "  ok    It passes scikit-learn's estimator checks" in lines
    assert "  ok    Its time grows with the rows as it declares" in lines
    assert "  -     Its results do not depend on n_jobs (it has no n_jobs)" in lines
    assert lines[-1] == "0 findings, 19 checks passed, 3 do not apply"


@pytest.mark.slow
def test_blank_metadata_count_as_missing(tmp_path):
    file = written(tmp_path, "blank")
    file.write_text(file.read_text().replace('licence="MIT"', 'licence=" "'))
    assert "the spec of 'means' lacks licence;" in findings(tmp_path, file, 1)["test_metadata"]


def test_messages_are_distinct():
    assert len({message for _, _, message in BAD.values()}) >= 8


@pytest.mark.slow
def test_a_crash_or_a_hang_is_a_finding_and_other_checks_continue(tmp_path):
    file = written(tmp_path, "deadly", fit="import os\n        X.std() or os.abort()")
    found = findings(tmp_path, file, 1)
    assert found == {"test_constant_features": "it killed its process with SIGABRT"}
    file = written(tmp_path, "hanging", fit="import time\n        X.std() or time.sleep(6000)")
    done = pubench(tmp_path, "plugin", "check", file, "--seconds", "60", code=1)
    assert "did not end within 60 seconds and was stopped" in " ".join(done.stdout.split())
    assert "1 finding, 18 checks passed" in done.stdout


def test_a_method_that_ends_every_process_is_found_once(tmp_path):
    file = written(tmp_path, "deadly", fit="import os\n        os.abort()")
    outcomes = json.loads(pubench(tmp_path, "plugin", "check", file, "--json", code=1).stdout)
    died = [number for number, one in enumerate(outcomes) if "killed its process" in one["message"]]
    assert [outcomes[number]["check"] for number in died] == ["test_fits_and_answers"]
    later = {(one["status"], one["message"]) for one in outcomes[died[0] + 1 :]}
    assert later == {("skipped", "see: It fits easy data and predicts every row")}


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("absent", "'absent' is neither a file, a folder, nor the name of an installed plugin; known: "),
        ("liner", "did you mean 'linear'?"),
        pytest.param(".", "has no pyproject.toml, so that it is not a package", marks=pytest.mark.slow),
        pytest.param("notes.txt", "plugin file 'notes.txt' is not a Python file", marks=pytest.mark.slow),
        pytest.param("hookless.py", "implements no pubench hook", marks=pytest.mark.slow),
        ("raising.py", "raising.py': ZeroDivisionError: division by zero"),
    ],
)
def test_targets_that_cannot_be_checked_are_one_sentence(tmp_path, wanted, said):
    (tmp_path / "notes.txt").write_text("nothing")
    (tmp_path / "hookless.py").write_text("x = 1")
    (tmp_path / "raising.py").write_text("1 / 0")
    done = pubench(tmp_path, "plugin", "check", wanted, code=2)
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_broken_installed_plugin_is_a_finding(tmp_path):
    install(tmp_path, "wrong-hook", "@hookimpl\ndef pubench_algorithms(config): return []")
    done = pubench_with(tmp_path, "plugin", "check", "wrong-hook")
    assert done.returncode == 1
    assert "plugin 'wrong-hook' cannot be loaded" in done.stdout
    assert "Argument(s) {'config'}" in " ".join(done.stdout.split())


HEAVY = """
import sklearn.linear_model
@hookimpl
def pubench_metrics(): return [Metric(name='mine', function='sklearn.metrics:accuracy_score', summary='Mine')]
"""


@pytest.mark.slow
def test_importing_scikit_learn_in_a_package_is_a_finding(tmp_path):
    install(tmp_path, "heavy", HEAVY)
    done = pubench_with(tmp_path, "plugin", "check", "mine", "--json")
    found = {o["check"]: o["message"] for o in json.loads(done.stdout) if o["status"] == "finding"}
    assert set(found) == {"test_import_is_light"}
    assert "loads joblib, pandas, scipy, sklearn" in found["test_import_is_light"].replace("pyarrow, ", "")


def test_a_name_that_is_taken_is_a_finding(tmp_path):
    install(
        tmp_path,
        "again",
        "@hookimpl\ndef pubench_metrics(): return [Metric(name='f1', function='os:getcwd')]",
    )
    done = pubench_with(tmp_path, "plugin", "check", "again", "--json")
    found = {o["check"]: o["message"] for o in json.loads(done.stdout) if o["status"] == "finding"}
    assert "metric 'f1' is also registered by 'pubench 0.1.0'" in found["test_name"]
    assert found["test_metadata"].startswith("the spec of 'f1' lacks summary;")
    assert "cannot be called as function(y, values)" in found["test_signature"]


@pytest.mark.parametrize(
    ("code", "seconds", "said"),
    [
        (
            "import time; time.sleep(6000)",
            "1",
            "importing 'stuck.py': it did not end within 1 seconds",
        ),
        ("import os; os._exit(3)", "300", "importing 'stuck.py': it ended its process with code 3"),
    ],
    ids=["hangs", "exits"],
)
def test_a_file_that_hangs_or_ends_its_process_on_import_is_a_finding(tmp_path, code, seconds, said):
    (tmp_path / "stuck.py").write_text(code)
    done = pubench(tmp_path, "plugin", "check", "stuck.py", "--seconds", seconds, "--json", code=1)
    (outcome,) = json.loads(done.stdout)
    assert (outcome["check"], outcome["status"]) == ("load", "finding")
    assert said in outcome["message"]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    pubench(folder, "plugin", "new", "my-share", "--kind", "metric")
    return folder / "my-share"


@pytest.mark.parametrize(
    ("was", "now", "status", "said"),
    [
        ("", "", "ok", ""),
        ('"wlr"', '"wlrr"', "finding", "did you mean 'wlr'?"),
        ('"my-share", ', "", "finding", "example.toml uses nothing of this package (my-share)"),
    ],
    ids=["good", "unknown name", "unused"],
)
def test_the_example_suite_of_a_package_is_checked(package, tmp_path, monkeypatch, was, now, status, said):
    monkeypatch.setattr(sys, "path", list(sys.path))
    folder = shutil.copytree(package, tmp_path / "my-share")
    example = folder / "example.toml"
    text = example.read_text()
    assert was in text
    example.write_text(text.replace(was, now))
    (outcome,) = check_example(find_subjects(f"{folder}/"), seconds=600)
    assert outcome.status == status, outcome.message
    assert said in outcome.message


def test_a_file_of_the_same_name_in_the_current_folder_is_not_taken_for_the_package(
    package, tmp_path, monkeypatch
):
    (tmp_path / "my_share.py").write_text("raise RuntimeError('another file')\n")
    done = pubench(tmp_path, "plugin", "check", str(package), code=0)
    assert "ok    Its example.toml can be planned and uses it" in done.stdout
