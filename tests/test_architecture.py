"""Who may import whom. The table is the architecture: a new module, or a new arrow, is a decision made here."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLUGINS = sorted(path for path in (ROOT / "plugins").iterdir() if (path / "__init__.py").exists())

# Packages count as one module: what is inside them is their own affair.
ALLOWED = {
    # values, and what everyone may use
    "errors": "",
    "specs": "",
    "data": "specs",
    "cache": "",
    "columns": "",
    "imports": "errors",
    "failures": "errors",
    "messages": "",
    "memory": "",
    # plugins
    "hookspecs": "specs",
    "registry": "errors specs",
    "compatibility": "",
    "plugins": "compatibility errors hookspecs imports registry specs",
    "builtins": "hookspecs specs",
    "base": "",
    "learners": "base errors",
    "foreign": "base errors imports",
    "wrapping": "specs",
    "priors": "base errors imports plugins registry specs",
    # mathematics: knows neither files nor processes
    "risk": "specs",
    "criteria": "_ranking risk specs",
    "metrics": "_ranking",
    "splits": "errors",
    "preprocess": "data errors",
    "labelling": "data errors preprocess specs splits",
    "tuning": "specs",
    "fitting": "data errors",
    "statistics": "",
    # suite -> plan
    "suite": "columns errors labelling preprocess specs",
    "jobs": "labelling prepared preprocess specs",
    "prepared": "data errors",
    "truth": "cache",
    "cached": "cache errors fingerprints imports prepared registry specs truth",
    "prepare": "cache cached errors imports messages prepared registry sandbox specs",
    "loading": "cached data prepared truth",
    "plan_data": "cache errors imports jobs labelling prepare prepared preprocess registry specs suite truth",
    "plan_parts": "cache errors jobs plan_data priors registry specs suite tuning",
    "plan_training": "columns errors plan_data plan_parts registry suite",
    "layout": "cache jobs labelling plan_data plan_parts suite tuning",
    "plan": "columns errors jobs labelling layout plan_data plan_parts plan_training registry suite",
    # the child's side, and the side that holds the truth
    "child": "failures messages serve_cells serve_load serve_prior",
    "data_checks": "data errors",
    "serve_load": "cache child data data_checks errors fingerprints imports messages prepared truth",
    "serve_prior": "child fitting imports messages prepared preprocess priors",
    "fingerprints": "prepared",
    "checking": "errors imports registry suite",
    "cards": "jobs prepared registry specs",
    "inside": "data fitting",
    "serve_cells": "child criteria data failures fitting imports inside memory messages prepared preprocess priors "
    "splits training tuning",
    "training": "criteria imports",
    "sandbox": "messages",
    "evaluation": "fitting imports jobs messages metrics",
    "judging": "criteria fitting imports jobs specs",
    "cell": "columns data evaluation failures fitting imports jobs judging labelling messages prepared sandbox truth",
    "worker": "cell jobs sandbox",
    "prior_table": "data errors jobs labelling plan_data prepared registry sandbox specs truth",
    # running and keeping
    "lock": "errors",
    "store": "cache errors jobs",
    "provenance": "registry",
    "runner": "cell errors jobs plan store worker",
    "results": "jobs store",
    "export": "cache errors results",
    "merging": "errors jobs results",
    "analysis": "",
    "comparison": "analysis statistics",
    "report": "analysis columns comparison statistics",
    # for those who write plugins
    "scaffold": "compatibility errors registry",
    "testing": "criteria data data_checks errors fitting imports metrics plugins priors registry specs",
    # the doors
    "api": "cards data errors imports loading lock plan plan_data plugins prepare provenance registry results runner "
    "store suite",
    "cli": "api cache cached cards checking comparison compatibility errors export jobs labelling lock merging plan "
    "plan_data plugins prepare prior_table registry report results runner scaffold specs store suite testing",
    "__main__": "cli",
    "__init__": "api base data hookspecs priors results specs wrapping",
}
EVERYONE = {"__init__"}
HOLDS_TRUTH = {
    "evaluation",
    "metrics",
    "labelling",
    "cell",
    "worker",
    "jobs",
    "plan",
    "prior_table",
    "store",
    "results",
    "runner",
    "truth",
}
CHILD_SIDE = (
    "serve_cells",
    "serve_prior",
    "priors",
    "fitting",
    "inside",
    "training",
    "tuning",
    "criteria",
    "preprocess",
    "splits",
    "messages",
    "failures",
)
PUBLIC = {
    "",
    "base",
    "cache",
    "criteria",
    "data",
    "errors",
    "hookspecs",
    "learners",
    "metrics",
    "priors",
    "risk",
    "specs",
    "testing",
}
HEAVY = {"sklearn", "scipy", "pandas", "optuna", "joblib", "psutil", "rich", "distributed", "ray", "pyarrow"}


@dataclass(frozen=True)
class Imported:
    """One name that a file imports: from where, and whether that happens when the file is imported."""

    module: str
    name: str
    at_import: bool


@cache
def imports_of(path):
    """Return every import of a file, those inside functions and for type checkers included."""
    return list(_imports(ast.parse(path.read_text(encoding="utf-8")), at_import=True))


def _imports(node, at_import):
    for child in ast.iter_child_nodes(node):
        inside = (
            at_import and not isinstance(node, ast.FunctionDef | ast.Lambda) and not _for_types(node, child)
        )
        if isinstance(child, ast.Import):
            yield from (Imported(alias.name, "", inside) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "write imports in full: a reader sees at once where a name lives"
            yield from (Imported(child.module, alias.name, inside) for alias in child.names)
        yield from _imports(child, inside)


def _for_types(node, child):
    return isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING" and child in node.body


def files_of(module):
    package = ROOT / "pubench" / module
    return sorted(package.rglob("*.py")) if package.is_dir() else [ROOT / "pubench" / f"{module}.py"]


def own_imports(module, *, at_import=None):
    """Return the modules of pubench that a module imports, packages as one."""
    found = set()
    for path in files_of(module):
        for imported in imports_of(path):
            if imported.module.split(".")[0] == "pubench" and at_import in (None, imported.at_import):
                found.add(_target(imported))
    return found - {module}


def _target(imported):
    parts = imported.module.split(".")
    if len(parts) > 1:
        return parts[1]
    is_module = any(path.stem == imported.name for path in (ROOT / "pubench").iterdir())
    return imported.name if is_module else "__init__"


MODULES = sorted(
    path.stem
    for path in (ROOT / "pubench").iterdir()
    if path.suffix == ".py" or (path / "__init__.py").exists()
)


def test_every_module_has_a_place_in_the_table():
    assert set(MODULES) == set(ALLOWED)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_the_table_allows(module):
    assert own_imports(module) <= set(ALLOWED.get(module, "").split()) | EVERYONE


@pytest.mark.parametrize("module", MODULES)
def test_the_table_allows_nothing_that_is_not_used(module):
    assert set(ALLOWED.get(module, "").split()) <= own_imports(module)


def reached(module):
    """Return all that is imported when a module is, directly or not."""
    seen, todo = set(), [module]
    while todo:
        for found in own_imports(todo.pop(), at_import=True) - seen - EVERYONE:
            seen.add(found)
            todo.append(found) if found in MODULES else None
    return seen


@pytest.mark.parametrize("module", MODULES)
def test_no_module_needs_itself(module):
    assert module not in reached(module)


@pytest.mark.parametrize("module", CHILD_SIDE)
def test_the_childs_side_reaches_nothing_that_holds_the_truth(module):
    assert reached(module) & HOLDS_TRUTH == set()
    assert not any(imported.name == "Truth" for path in files_of(module) for imported in imports_of(path))


def test_what_evaluates_reaches_no_plugin_code():
    assert reached("evaluation") & {"serve_cells", "child", "tuning", "criteria", "plugins"} == set()
    assert reached("cell") & {"serve_cells", "child", "tuning", "plugins"} == set()


@pytest.mark.parametrize("module", MODULES)
def test_pubench_names_no_plugin(module):
    names = {path.name for path in PLUGINS}
    assert names
    for path in files_of(module):
        assert not names & {imported.module.split(".")[0] for imported in imports_of(path)}
        assert not re.search(rf"\b({'|'.join(names)})[.:]", path.read_text(encoding="utf-8"))


def plugin_files():
    return [
        pytest.param(path, id=f"{path.parent.name}/{path.name}") for p in PLUGINS for path in p.rglob("*.py")
    ]


@pytest.mark.parametrize("path", plugin_files())
def test_a_plugin_imports_public_names_of_pubench_and_no_other_plugin(path):
    package = path.relative_to(ROOT / "plugins").parts[0]
    for imported in imports_of(path):
        top, _, rest = imported.module.partition(".")
        assert top == package or top not in {other.name for other in PLUGINS}
        if top == "pubench":
            assert rest in PUBLIC
            assert imported.name in public_names(rest)


def public_names(module):
    """Return ``__all__`` of a module of pubench."""
    tree = ast.parse((ROOT / "pubench" / f"{module or '__init__'}.py").read_text(encoding="utf-8"))
    listed = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
    ]
    return set(listed[0])


@pytest.mark.parametrize("path", [pytest.param(p / "__init__.py", id=p.name) for p in PLUGINS])
def test_a_plugins_entry_imports_only_hooks_and_specs(path):
    light = {"__future__", "typing", "collections.abc", "pubench", "pubench.hookspecs", "pubench.specs"}
    for imported in imports_of(path):
        own = ROOT / "plugins" / Path(*imported.module.split(".")).with_suffix(".py")
        if own.exists():
            # Specs in a module of their own: the same rule holds there.
            assert {other.module for other in imports_of(own)} <= light
        else:
            assert imported.module in light


def all_files():
    return [*(ROOT / "pubench").rglob("*.py"), *(ROOT / "plugins").rglob("*.py")]


def test_private_parts_of_other_packages_are_left_alone():
    for path in all_files():
        own = (
            path.relative_to(ROOT / "plugins").parts[0]
            if path.is_relative_to(ROOT / "plugins")
            else "pubench"
        )
        for imported in imports_of(path):
            parts = [*imported.module.split("."), imported.name]
            if parts[0] not in {own, "__future__"}:
                assert not [part for part in parts if part.startswith("_")], f"{path}: {'.'.join(parts)}"
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\b(sklearn|scipy|pandas|optuna|joblib)(\.\w+)*[.:]_", text), path


@pytest.mark.parametrize("module", sorted(set(MODULES) - {"base", "foreign", "learners"}))
def test_heavy_packages_are_imported_by_the_function_that_needs_them(module):
    for path in files_of(module):
        for imported in imports_of(path):
            if imported.at_import:
                assert imported.module.split(".")[0] not in HEAVY, path


@pytest.mark.parametrize("path", all_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_are_small_and_say_what_they_are(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300
