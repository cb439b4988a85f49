"""``pubench plugin new``: a complete package for a new plugin, rendered from templates."""

from __future__ import annotations

import importlib.util
import keyword
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pubench import __version__
from pubench.errors import PubenchError
from pubench.plugins.compatibility import API
from pubench.plugins.registry import SINGULAR, Registry

__all__ = ["KINDS", "new_plugin"]

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST = 40
_RESERVED = {"algorithm": ("supervised-", "pn-", "oracle-"), "criterion": ("oracle-",)}


@dataclass(frozen=True, slots=True)
class Kind:
    """What differs between the kinds of plugins: names in the code, and the file with the example."""

    hook: str
    spec: str
    imports: str
    source: str
    what: str


KINDS: Mapping[str, Kind] = {
    "algorithm": Kind("algorithms", "Algorithm", "Algorithm, Float, hookimpl", "classifier", "a PU method"),
    "dataset": Kind("datasets", "Dataset", "Dataset, hookimpl", "loader", "a data set"),
    "criterion": Kind("criteria", "Criterion", "Criterion, hookimpl", "score", "a PU-only criterion"),
    "metric": Kind("metrics", "Metric", "Metric, hookimpl", "score", "a metric"),
    "prior": Kind("priors", "PriorEstimator", "PriorEstimator, hookimpl", "estimate", "a prior estimator"),
}


def new_plugin(name: str, kind: str, registry: Registry, *, cython: bool = False, parent: Path) -> Path:
    """Create a package for a plugin of one kind, and return its folder.

    Parameters
    ----------
    name : str
        The name of the distribution, of its folder below ``parent``, and of the registered spec.
    kind : str
        One of :data:`KINDS`.
    registry : Registry
        The installed plugins; a name that is taken is refused.
    cython : bool
        Whether the loop over rows is compiled.
    parent : Path

    Raises
    ------
    PubenchError
        If the name is invalid or the folder exists; nothing is written then.
    """
    _check_name(name, kind, registry)
    if cython and kind == "dataset":
        raise PubenchError("a data set has no loop to compile; remove --cython")
    folder = parent / name
    if folder.exists():
        raise PubenchError(f"{folder} already exists; choose another name")
    _write(folder, _files(name, kind, cython=cython))
    return folder


def _check_name(name: str, kind: str, registry: Registry) -> None:
    module = name.replace("-", "_")
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise PubenchError(
            f"'{name}' cannot be the name of a plugin; use lower-case words joined by dashes, "
            f"{_LONGEST} letters at most"
        )
    if keyword.iskeyword(module) or importlib.util.find_spec(module) is not None:
        raise PubenchError(f"'{module}' is already a keyword or a module of Python; choose another name")
    hook = KINDS[kind].hook
    if name.startswith(_RESERVED.get(kind, ())) or name in registry.entries.get(hook, {}):
        reason = "is already registered" if name in registry.entries.get(hook, {}) else "is reserved"
        raise PubenchError(f"{SINGULAR[hook]} '{name}' {reason}; choose another name")


def _files(name: str, kind: str, *, cython: bool) -> dict[str, str]:
    """Return the text of each file by its path in the package."""
    about, module = KINDS[kind], name.replace("-", "_")
    package = f"src/{module}"
    templates = {
        "pyproject.toml": "pyproject.toml",
        "README.md": "README.md",
        "CHANGELOG.md": "CHANGELOG.md",
        "LICENSE": "LICENSE",
        ".gitignore": "gitignore",
        ".github/workflows/tests.yml": "push.yml",
        ".github/workflows/release.yml": "release.yml",
        "example.toml": "example.toml",
        f"{package}/__init__.py": "init.py",
        f"{package}/{about.source}.py": f"{kind}.py",
        "tests/test_contract.py": "test_contract.py",
    }
    if cython:
        kernel = {"setup.py": "setup.py", f"{package}/_kernel.pyx": "kernel.pyx"}
        templates |= kernel | {f"{package}/_kernel.pyi": "kernel.pyi"}
    values = {
        "name": name,
        "module": module,
        "kind": kind,
        "class": "".join(word.capitalize() for word in name.split("-")),
        "contract": "PriorContract" if kind == "prior" else f"{about.spec}Contract",
        "cython": cython,
        "hook": about.hook,
        "spec": about.spec,
        "imports": about.imports,
        "source": about.source,
        "what": about.what,
        "What": about.what.capitalize().replace("pu", "PU"),
        "api": API,
        "pubench": __version__,
        "year": datetime.now(UTC).year,
    }
    return _rendered(templates, values) | {f"{package}/py.typed": ""}


def _rendered(templates: Mapping[str, str], values: Mapping[str, object]) -> dict[str, str]:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # Workflows and TOML contain braces and double brackets themselves.
    environment = Environment(
        loader=PackageLoader("pubench.scaffold"),
        undefined=StrictUndefined,
        autoescape=False,
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return {
        path: environment.get_template(f"{template}.j2").render(values)
        for path, template in templates.items()
    }


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Write all files to a temporary folder and rename it, so that a package is never incomplete."""
    temporary: Path | None = None
    try:
        temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
        temporary.chmod(0o777 & ~_umask())
        for path, text in files.items():
            (temporary / path).parent.mkdir(parents=True, exist_ok=True)
            (temporary / path).write_text(text, encoding="utf-8")
        os.rename(temporary, folder)
    except OSError as error:
        raise PubenchError(
            f"cannot write {folder}: {error.strerror or error}; choose a writable folder"
        ) from None
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def _umask() -> int:
    # The umask can only be read by setting it.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
