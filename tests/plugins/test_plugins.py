"""Discovery: a broken plugin is listed with its reason and does not affect others."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from helpers.distributions import algorithm, install, pubench, python
from helpers.suites import TOY

from pubench.errors import DuplicateNameError, PubenchError, UnknownNameError
from pubench.plugins.discovery import build_registry, discover, discover_once
from pubench.plugins.registry import Origin
from pubench.specs import Algorithm

PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
FIRST_PARTY = set(tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["entry-points"]["pubench"])
BROKEN = {
    "raises": ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
    "exits": ("import sys\nsys.exit(3)", "SystemExit: 3"),
    "unimportable": ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
    "unparsable": ("def", "SyntaxError"),
    "hookless": ("def pubench_algorithms(): return []", "implements no pubench hook; mark its functions"),
    "unknown-hook": ("@hookimpl\ndef pubench_algos(): return []", "unknown hook 'pubench_algos'"),
    "signature": ("@hookimpl\ndef pubench_algorithms(config): return []", "Argument(s) {'config'}"),
    "hook-raises": ("@hookimpl\ndef pubench_algorithms(): return 1 / 0", "ZeroDivisionError"),
    "no-list": ("@hookimpl\ndef pubench_algorithms(): return 5", "TypeError: 'int' object is not iterable"),
    "wrong-spec": (
        "@hookimpl\ndef pubench_algorithms(): return [Choice((1,))]",
        "a hook returned Choice where Algorithm is expected",
    ),
    "other-kind": (
        "@hookimpl\ndef pubench_metrics(): return [Criterion(name='x', function='a:b')]",
        "a hook returned Criterion where Metric is expected",
    ),
    "capitals": (algorithm("MyMethod"), "name 'MyMethod' must be lower-case words joined by dashes"),
    "blank": (algorithm("my method"), "must be lower-case words joined by dashes"),
    "sees-truth": (
        algorithm("cheat", labels="true"),
        "'supervised-' or 'pn-' if and only if labels='true'",
    ),
    "named-for-truth": (algorithm("supervised-x"), "'supervised-' or 'pn-' if and only if labels='true'"),
    "pn-pu": (algorithm("pn-x"), "'supervised-' or 'pn-' if and only if labels='true'"),
    "sees-propensities": (
        algorithm("cheat", receives=("propensity",)),
        "'oracle-' if and only if receives has 'propensity'",
    ),
    "named-for-propensities": (
        algorithm("oracle-x"),
        "'oracle-' if and only if receives has 'propensity'",
    ),
    "needy": (algorithm("needy", needs=("prior",)), "needs ('prior',) but receives (); add it there"),
    "greedy": (algorithm("greedy", receives=("y",)), "receives = ('y',); pubench knows 'prior', 'scenario',"),
    "misspelt-scenario": (
        algorithm("m", scenarios=("case-controll",)),
        "scenarios = ('case-controll',); pubench knows 'case-control', 'single-training-set'",
    ),
    "no-scenario": (algorithm("m", scenarios=()), "'m' supports no scenario"),
    "one-text": (algorithm("m", receives="prior"), "receives = 'prior' is text; write ('prior',)"),
    "misspelt-accepts": (
        algorithm("m", accepts=("spares",)),
        "accepts = ('spares',); pubench knows 'sparse'",
    ),
    "misspelt-threshold": (
        algorithm("m", threshold="half"),
        "threshold = 'half'; pubench knows 'own', 'prior'",
    ),
    "misspelt-scaling": (algorithm("m", scaling="lineal"), "scaling = 'lineal'; pubench knows '', 'linear'"),
    "misspelt-uses": (
        "@hookimpl\ndef pubench_metrics(): return [Metric(name='m', function='a:b', uses='scores')]",
        "uses = 'scores'; pubench knows 'decision', 'score', 'probability'",
    ),
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """Install every broken plugin, a good one, and list them all in one process."""
    folder = tmp_path_factory.mktemp("broken")
    for name, (code, _) in BROKEN.items():
        install(folder, f"bad-{name}", code, module=f"bad_{name.replace('-', '_')}")
    install(folder, "good", algorithm("good-method"))
    listed = pubench(folder, "plugins", "--json")
    assert listed.returncode == 0, listed.stderr
    infos = {info["origin"]["plugin"]: info for info in json.loads(listed.stdout)["plugins"]}
    return folder, infos


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plugin_is_listed_with_its_reason_in_one_line(broken, name):
    info = broken[1][f"bad-{name}"]
    assert BROKEN[name][1] in info["error"]
    assert "\n" not in info["error"]
    assert not info["names"]


def test_broken_plugins_do_not_affect_others(broken):
    folder, infos = broken
    assert infos.keys() >= FIRST_PARTY | {"good"}
    assert [name for name in FIRST_PARTY | {"good"} if infos[name]["error"]] == []
    listed = pubench(folder, "list", "algorithms", "--json")
    names = {entry["name"] for entry in json.loads(listed.stdout)}
    assert names >= {"wlr", "naive-lr", "supervised-lr", "good-method"}


def test_the_list_shows_broken_plugins_with_reasons(broken):
    listed = pubench(broken[0], "plugins")
    assert listed.returncode == 0
    assert "bad-raises (bad-raises 1.0): BROKEN: RuntimeError: no luck\n" in listed.stdout
    assert "good (good 1.0): 1 algorithms\n" in listed.stdout


def test_the_error_for_an_unknown_name_mentions_broken_plugins(broken):
    code = "import pubench\ntry: pubench.make('god-method')\nexcept LookupError as error: print(error)"
    said = python(broken[0], code).stdout
    assert "did you mean 'good-method'?" in said
    assert "not loaded: 'bad-blank', " in said
    assert "see 'pubench plugins'" in said


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    folder = tmp_path_factory.mktemp("twins")
    install(folder, "north", algorithm("twin", version="1", estimator="json:JSONDecoder"), "1.5")
    install(folder, "south", algorithm("twin"), "2.5")
    install(folder, "shadow", algorithm("wlr"))
    install(folder, "west", algorithm("lonely", estimator="json:JSONDecoder"))
    return folder


def test_a_duplicate_name_is_refused_with_both_distributions_and_others_work(twins):
    code = """
        import pubench
        for name in ("twin", "north/twin", "wlr", "shadow/wlr", "lonely", "naive-lr"):
            try:
                print(name, type(pubench.make(name)).__name__)
            except Exception as error:
                print(name, type(error).__name__, error)
        """
    said = dict(line.split(" ", 1) for line in python(twins, code).stdout.splitlines())
    assert said["twin"].startswith("DuplicateNameError algorithm 'twin' is registered by 'north 1.5'")
    assert "and 'south 2.5'" in said["twin"]
    assert "write 'north/twin' or 'south/twin'" in said["twin"]
    assert said["north/twin"] == "JSONDecoder"
    assert said["wlr"] == "WeightedLogisticRegression"
    assert said["shadow/wlr"] == "str"
    assert said["lonely"] == "JSONDecoder"
    assert said["naive-lr"] == "UnlabeledAsNegative"


def test_listings_report_duplicates_and_show_how_to_name_them(twins):
    listed = pubench(twins, "list", "algorithms")
    assert listed.returncode == 0
    names = {line.split()[0] for line in listed.stdout.splitlines()}
    assert names >= {"lonely", "naive-lr", "supervised-lr", "north/twin", "south/twin", "wlr", "shadow/wlr"}
    assert "twin" not in names
    assert "the name means that of pubench; write 'shadow/wlr' for the other" in listed.stderr
    assert "algorithm 'twin' is registered by 'north 1.5'" in listed.stderr
    assert len(json.loads(pubench(twins, "plugins", "--json").stdout)["duplicates"]) == 2


@pytest.mark.parametrize("off", [("--no-third-party", {}), (None, {"PUBENCH_THIRD_PARTY": "0"})])
def test_third_party_plugins_can_be_excluded(twins, off):
    flag, environment = off
    listed = pubench(twins, "list", "algorithms", *filter(None, [flag]), **environment)
    names = {line.split()[0] for line in listed.stdout.splitlines()}
    assert names >= {"naive-lr", "supervised-lr", "wlr"}
    assert not names & {"twin", "lonely"}
    assert listed.stderr == ""
    found = json.loads(pubench(twins, "plugins", "--json", *filter(None, [flag]), **environment).stdout)
    assert {info["origin"]["plugin"] for info in found["plugins"]} == FIRST_PARTY


def test_an_excluded_plugin_is_not_imported(tmp_path):
    install(tmp_path, "loud", "open('imported', 'w').write('x')" + algorithm("loud"))
    pubench(tmp_path, "plugins", "--no-third-party")
    assert not (tmp_path / "imported").exists()
    pubench(tmp_path, "plugins")
    assert (tmp_path / "imported").exists()


HEAVY = ("sklearn", "scipy", "pandas", "optuna", "joblib", "pyarrow", "rich", "pubench_linear.wlr")


@pytest.mark.parametrize(
    "arguments", [("plugins",), ("list", "algorithms", "--json"), ("list", "datasets"), ("list", "metrics")]
)
def test_listing_imports_nothing_heavy(tmp_path, arguments):
    code = f"""
        import sys
        sys.argv = ["pubench", *{arguments!r}]
        from pubench.cli import main
        try:
            main()
        except SystemExit as end:
            assert not end.code, end.code
        print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
        """
    done = python(tmp_path, code)
    assert done.stdout
    assert done.stderr == "[]\n"


def test_importing_pubench_imports_nothing_heavy_not_even_numpy(tmp_path):
    code = """
        import sys, pubench
        pubench.Algorithm, pubench.hookimpl
        print([name for name in sys.argv[1:] if name in sys.modules])
        """
    assert python(tmp_path, code, "numpy", "pydantic", *HEAVY).stdout == "[]\n"


def test_a_single_file_is_a_plugin_and_its_version_is_its_content(tmp_path):
    registry = discover(files=[TOY])
    entry = registry.algorithm("toy")
    assert entry.origin.file == str(TOY)
    assert entry.version == f"1+{entry.origin.version}"
    unversioned = registry.criterion("toy-cc-only")
    assert len(unversioned.version) == 12
    assert "toy" not in discover().all("algorithms")


def test_a_named_plugin_file_must_load(tmp_path):
    (tmp_path / "toy_broken.py").write_text("1 / 0")
    with pytest.raises(PubenchError, match=r"plugin file '.*toy_broken\.py': ZeroDivisionError"):
        discover(files=[tmp_path / "toy_broken.py"])
    with pytest.raises(PubenchError, match="is not a Python file"):
        discover(files=[tmp_path / "absent.py"])


def test_names_are_found_by_kind_and_nearness():
    registry = discover(files=[TOY])
    assert registry.dataset("toy-blobs").spec.positive == ("yes",)
    assert registry.prior("toy-guess").spec.function == "toy_plugin:guess"
    with pytest.raises(
        UnknownNameError, match="data set 'toy-blob' is not registered; did you mean 'toy-blobs'"
    ):
        registry.dataset("toy-blob")
    with pytest.raises(UnknownNameError, match="criterion 'wlr' is not registered; known: "):
        registry.criterion("wlr")


def test_every_provider_of_a_name_is_kept_and_none_is_preferred():
    class Plugin:
        pass

    def source(distribution):
        plugin = Plugin()
        from pubench import hookimpl

        plugin.pubench_algorithms = hookimpl(lambda: [Algorithm(name="same", estimator="a:b")])
        return Origin("p", distribution, "1"), lambda: plugin

    for order in (["a", "b"], ["b", "a"]):
        registry = build_registry([source(name) for name in order])
        assert set(registry.all("algorithms")) == {"a/same", "b/same"}
        with pytest.raises(DuplicateNameError, match="'a 1'"):
            registry.algorithm("same")


def test_a_plugin_installed_later_is_found_and_otherwise_the_registry_is_kept(tmp_path, monkeypatch):
    install(tmp_path, "early", algorithm("early"))
    monkeypatch.syspath_prepend(tmp_path)
    first = discover_once()
    assert "early" in first.all("algorithms")
    assert discover_once() is first
    install(tmp_path, "late", algorithm("late"))
    assert "late" in discover_once().all("algorithms")
    monkeypatch.setenv("PUBENCH_THIRD_PARTY", "0")
    assert "late" not in discover_once().all("algorithms")
