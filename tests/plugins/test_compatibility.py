"""Versions of the plugin API: newer plugins are refused, older ones get warnings, and others keep working."""

from __future__ import annotations

import json

import pluggy
import pytest
from helpers.commands import pubench as pubench_in
from helpers.distributions import algorithm, install, pubench

from pubench import hookimpl
from pubench.plugins import compatibility, hookspecs
from pubench.plugins.compatibility import API, PluginDeprecationWarning, declared_in, verdict
from pubench.plugins.discovery import build_registry, discover
from pubench.plugins.registry import Origin
from pubench.specs import Algorithm

NEWER = f"made for a newer pubench: it needs plugin API {API + 1}, but pubench 0.1.0 has {API}; upgrade pubench, or"


@pytest.fixture
def third(monkeypatch):
    """As if the API had the number 3, and 2 were the oldest that works."""
    changes = {2: "rename 'needs_prior' to 'needs'", 3: "return lists, not tuples"}
    monkeypatch.setattr(compatibility, "API", 3)
    monkeypatch.setattr(compatibility, "OLDEST", 2)
    monkeypatch.setattr(compatibility, "CHANGES", changes)


def plugin(**attributes):
    """Return a source with one algorithm, as discovery makes them."""
    made = type("Plugin", (), attributes)()
    made.pubench_algorithms = hookimpl(lambda: [Algorithm(name="x", estimator="a:b")])
    return Origin("p", "d", "1"), lambda: made


def test_every_api_version_has_its_changes():
    assert set(compatibility.CHANGES) == set(range(2, API + 1))
    assert 1 <= compatibility.OLDEST <= API
    assert verdict(API) == ("", "")


def test_a_plugin_without_a_declaration_uses_the_first_api(third):
    assert verdict(None) == verdict(1)


@pytest.mark.parametrize("declared", ["1", 0, -1, 1.5, True, [1]])
def test_invalid_api_versions_are_refused(declared):
    refusal, advice = verdict(declared)
    assert refusal.startswith(f"PUBENCH_API is {declared!r}; set it to the version of the plugin API")
    assert not advice


def test_an_older_plugin_is_used_with_a_warning(third):
    registry = build_registry([plugin(PUBENCH_API=2)])
    assert registry.algorithm("x").spec.estimator == "a:b"
    (told,) = registry.warnings()
    assert told == (
        "plugin 'p' (d 1): made for plugin API 2, but pubench 0.1.0 has 3; to update the plugin: return lists, not "
        "tuples; then set PUBENCH_API = 3"
    )


def test_a_plugin_that_is_too_old_is_refused_with_all_changes(third):
    (info,) = build_registry([plugin()]).plugins
    assert "made for plugin API 1" in info.error
    assert "rename 'needs_prior' to 'needs'; return lists, not tuples; then set PUBENCH_API = 3" in info.error
    assert not info.names


def test_a_deprecated_hook_is_a_warning_under_the_plugins_name(monkeypatch):
    said = PluginDeprecationWarning("the hook pubench_algorithms will go; use another")
    spec = pluggy.HookspecMarker("pubench")(warn_on_impl=said)

    def pubench_algorithms():
        """The hook as it is, but deprecated."""

    monkeypatch.setattr(hookspecs, "pubench_algorithms", spec(pubench_algorithms))
    registry = build_registry([plugin()])
    assert registry.warnings() == ("plugin 'p' (d 1): the hook pubench_algorithms will go; use another",)
    assert "x" in registry.all("algorithms")


@pytest.fixture(scope="module")
def future(tmp_path_factory):
    """Plugins made for the next API, one of which cannot even be imported here, beside one of today."""
    folder = tmp_path_factory.mktemp("future")
    declared = f"PUBENCH_API = {API + 1}\n"
    install(folder, "next-year", declared + algorithm("next-method"))
    install(folder, "next-import", declared + "from pubench import Metamorphosis\n" + algorithm("other"))
    install(folder, "today", f"PUBENCH_API = {API}\n" + algorithm("todays-method"))
    return folder


def test_a_newer_plugin_is_refused_and_others_work(future):
    listed = pubench(future, "plugins", "--json")
    assert listed.returncode == 0
    found = json.loads(listed.stdout)
    infos = {info["origin"]["plugin"]: info for info in found["plugins"]}
    assert found["api"] == API
    for name in ("next-year", "next-import"):
        assert infos[name]["error"].startswith(NEWER)
        assert not infos[name]["names"]
    assert infos["today"]["names"]["algorithms"] == ["todays-method"]
    assert not [name for name, info in infos.items() if info["error"] and not name.startswith("next")]


def test_the_list_shows_a_newer_plugin_as_broken(future):
    shown = pubench(future, "plugins").stdout
    assert f"next-year (next-year 1.0): BROKEN: {NEWER}" in shown
    assert "Metamorphosis" not in shown


def test_a_newer_file_is_one_sentence(tmp_path):
    (tmp_path / "mine.py").write_text(f"PUBENCH_API = {API + 1}\nfrom pubench import Metamorphosis\n")
    done = pubench_in(tmp_path, "list", "algorithms", "--plugin", "mine.py", code=2)
    assert NEWER in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_version_is_read_without_running_the_source(tmp_path, monkeypatch):
    (tmp_path / "unrun").mkdir()
    (tmp_path / "unrun" / "__init__.py").write_text("raise SystemExit('run')\n")
    (tmp_path / "unrun" / "hooks.py").write_text("1 / 0\nPUBENCH_API: int = 7\n")
    (tmp_path / "odd.py").write_text("PUBENCH_API = compute()\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert declared_in("unrun.hooks") == 7
    assert declared_in("unrun") is None
    assert declared_in("odd") is None
    assert declared_in("no_such_module") is None


def test_first_party_plugins_have_no_warnings():
    assert discover(third_party=False).warnings() == ()
