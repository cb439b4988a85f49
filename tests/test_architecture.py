"""Who may import whom. The table is the architecture: a new room, or a new arrow, is a decision made here."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLUGINS = sorted(path for path in (ROOT / "plugins").iterdir() if (path / "__init__.py").exists())

# The rooms of the house, and the rooms that each may import. Modules at the top are grouped by what they are for.
ROOMS = {
    "words": "citations errors interpreter references spaces specs status",
    "mathematics": "risk numerics criteria metrics priors scoring base learners estimators _ranking",
    "wire": "protocol sandbox",
    "authors": "testing scaffold",
    "doors": "__init__ __main__ api cli",
}
ALLOWED = {
    "words": "",
    "plugins": "words",
    "mathematics": "words plugins wire",
    "wire": "words",
    "data": "words plugins wire",
    "suite": "words data",
    "child": "words plugins mathematics wire data",
    "evaluator": "words plugins mathematics wire",
    "plan": "words plugins mathematics wire data suite",
    "results": "words plugins wire data suite plan",
    "run": "words plugins mathematics wire data suite plan results",
    "stats": "words suite results",
    "reporting": "words data suite results stats",
    "advise": "words plugins mathematics wire data run",
    "authors": "words plugins mathematics data child",
    "doors": "words plugins mathematics wire data suite plan results run reporting authors advise",
}
EVERYONE = {"doors"}
"""``pubench`` itself may be imported by all: it imports nothing until it is asked for a name."""
HOLDS_TRUTH = ("pubench.data.truth", "pubench.plan", "pubench.run", "pubench.results", "pubench.metrics")
CHILD_SIDE = ("pubench.child.cells", "pubench.child.prior", "pubench.child.__main__")
PUBLIC = {
    "",
    "base",
    "citations",
    "criteria",
    "data",
    "errors",
    "estimators.deep",
    "learners",
    "metrics",
    "priors",
    "risk",
    "estimators.sharing",
    "specs",
    "testing",
}
HEAVY = {
    "sklearn",
    "scipy",
    "pandas",
    "optuna",
    "joblib",
    "psutil",
    "rich",
    "distributed",
    "ray",
    "pyarrow",
    "torch",
}
MAY_BE_HEAVY = {"base", "estimators", "learners"}


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


MODULES = sorted(
    path.stem
    for path in (ROOT / "pubench").iterdir()
    if path.suffix == ".py" or (path / "__init__.py").exists()
)


def room_of(module):
    return next((room for room, members in ROOMS.items() if module in members.split()), module)


def own_imports(module):
    """Return the rooms that a module or room of pubench imports."""
    imported = [one for path in files_of(module) for one in imports_of(path)]
    return rooms_of(imported) - {room_of(module)}


def rooms_of(imports):
    """Return the rooms of pubench that some imports name."""
    rooms = set()
    for imported in imports:
        top, _, rest = imported.module.partition(".")
        if top == "pubench":
            part = rest.partition(".")[0] or imported.name
            rooms.add(room_of(part if part in (*MODULES, "_ranking") else "__init__"))
    return rooms


def is_allowed(room, imports):
    return rooms_of(imports) - {room} <= set(ALLOWED[room].split()) | EVERYONE


def test_every_module_has_a_room():
    assert {room_of(module) for module in MODULES} == set(ALLOWED)


@pytest.mark.parametrize("module", MODULES)
def test_a_room_imports_only_what_the_table_allows(module):
    assert is_allowed(room_of(module), [one for path in files_of(module) for one in imports_of(path)])


@pytest.mark.parametrize("room", ALLOWED)
def test_the_table_allows_nothing_that_is_not_used(room):
    used = {found for module in MODULES if room_of(module) == room for found in own_imports(module)}
    assert set(ALLOWED[room].split()) <= used


@pytest.mark.parametrize("room", sorted(path.name for path in (ROOT / "pubench").iterdir() if path.is_dir()))
def test_the_face_of_a_room_has_at_most_eight_names(room):
    if (ROOT / "pubench" / room / "__init__.py").exists():
        assert len(public_names(f"{room}/__init__")) <= 8


def file_of(module):
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def loaded_with(module):
    """Return every module of pubench that is loaded when one is imported, the faces of their rooms included."""
    seen, todo = set(), [module]
    while todo:
        current = todo.pop()
        if current in seen or not file_of(current).exists():
            continue
        seen.add(current)
        todo.append(current.rpartition(".")[0])
        for imported in imports_of(file_of(current)):
            if imported.at_import and imported.module.split(".")[0] == "pubench":
                todo += [imported.module, f"{imported.module}.{imported.name}"]
    return seen


def all_modules():
    paths = [path.relative_to(ROOT).with_suffix("") for path in (ROOT / "pubench").rglob("*.py")]
    return sorted(".".join(path.parts).removesuffix(".__init__") for path in paths)


@pytest.mark.parametrize("module", CHILD_SIDE)
def test_the_childs_side_reaches_nothing_that_holds_the_truth(module):
    assert not [found for found in loaded_with(module) if found.startswith(HOLDS_TRUTH)]
    for found in loaded_with(module):
        assert not any(imported.name == "Truth" for imported in imports_of(file_of(found)))


EVALUATES = ("pubench.run", "pubench.evaluator")


@pytest.mark.parametrize("module", [name for name in all_modules() if name.startswith(EVALUATES)])
def test_what_evaluates_reaches_no_code_that_runs_algorithms(module):
    assert not [found for found in loaded_with(module) if found.startswith("pubench.child")]


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("results", "from pubench.run.driver import run_jobs"),
        ("child", "from pubench.plan import Cell"),
        ("stats", "def f():\n    import pubench.reporting.report"),
        ("wire", "if TYPE_CHECKING:\n    from pubench.data.values import Matrix"),
    ],
)
def test_a_broken_rule_is_noticed(room, line):
    assert not is_allowed(room, _imports(ast.parse(line), at_import=True))


@pytest.mark.parametrize("module", MODULES)
def test_pubench_names_no_plugin(module):
    names = {path.name for path in PLUGINS}
    assert names
    for path in files_of(module):
        assert not names & {imported.module.split(".")[0] for imported in imports_of(path)}
        assert not re.search(rf"\b({'|'.join(names)})[.:]", path.read_text(encoding="utf-8"))


# Methods that train the perceptron of another plugin; a plugin of a third party would name it as a dependency.
BUILT_ON = {
    "pubench_modern": {"pubench_risk", "pubench_priors"},
    "pubench_sar": {"pubench_risk", "pubench_modern"},
}


def plugin_files():
    return [
        pytest.param(path, id=f"{path.parent.name}/{path.name}") for p in PLUGINS for path in p.rglob("*.py")
    ]


@pytest.mark.parametrize("path", plugin_files())
def test_a_plugin_imports_public_names_of_pubench_and_no_other_plugin(path):
    package = path.relative_to(ROOT / "plugins").parts[0]
    for imported in imports_of(path):
        top, _, rest = imported.module.partition(".")
        others = {other.name for other in PLUGINS} - {package} - BUILT_ON.get(package, set())
        assert top not in others
        if top == "pubench":
            assert rest in PUBLIC
            assert imported.name in public_names(rest)


def public_names(module):
    """Return ``__all__`` of a module of pubench."""
    module = module.replace(".", "/")
    package = ROOT / "pubench" / module / "__init__.py"
    path = package if package.exists() else ROOT / "pubench" / f"{module}.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    listed = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
    ]
    return set(listed[0]) if listed else set()


@pytest.mark.parametrize("path", [pytest.param(p / "__init__.py", id=p.name) for p in PLUGINS])
def test_a_plugins_entry_imports_only_hooks_and_specs(path):
    light = {
        "__future__",
        "dataclasses",
        "typing",
        "collections.abc",
        "pubench",
        "pubench.citations",
        "pubench.plugins.hookspecs",
        "pubench.specs",
    }
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


@pytest.mark.parametrize("module", sorted(set(MODULES) - MAY_BE_HEAVY))
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
