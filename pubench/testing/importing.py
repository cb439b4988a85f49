"""Whether importing a plugin is light, measured in processes of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import lru_cache

from pubench.plugins.registry import Origin

__all__ = ["HEAVY", "SECONDS", "import_problem"]

SECONDS = 0.3
TRIES = 3
HEAVY = (
    "sklearn",
    "scipy",
    "pandas",
    "matplotlib",
    "joblib",
    "optuna",
    "lightgbm",
    "xgboost",
    "torch",
    "tensorflow",
    "jax",
    "pyarrow",
)
_CODE = """
import importlib, json, sys, time
sys.path[:] = {path!r}
import pubench.plugins.hookspecs, pubench.plugins.imports, pubench.specs
for name in {before!r}:
    importlib.import_module(name)
known = set(sys.modules)
started = time.perf_counter()
{load}
taken = time.perf_counter() - started
print("\\n" + json.dumps([taken, sorted(name for name in {heavy!r} if name in set(sys.modules) - known)]))
"""


@lru_cache(maxsize=256)
def import_problem(origin: Origin) -> str:
    """Return a sentence if importing the plugin takes long or loads heavy packages, else an empty text.

    A single file may import what it likes of NumPy and scikit-learn: it is loaded only where it is asked for.
    """
    # A busy machine makes any import slow, but hardly three in a row.
    for _ in range(TRIES):
        taken, heavy = _measure(origin)
        if heavy or taken <= SECONDS:
            break
    if heavy:
        return (
            f"importing plugin '{origin.plugin}' loads {', '.join(heavy)}, which makes every listing wait; keep hooks "
            "and specs in a module of their own, and heavy imports in the modules that import strings name"
        )
    if taken > SECONDS:
        return (
            f"importing plugin '{origin.plugin}' takes {taken:.1f} seconds, more than {SECONDS}; do nothing at "
            "import but define the hooks"
        )
    return ""


def _measure(origin: Origin) -> tuple[float, list[str]]:
    before: tuple[str, ...] = ()
    if origin.file:
        load, before = (
            f"pubench.plugins.imports.load_file({origin.file!r})",
            ("pubench.base", "scipy.sparse", "pandas"),
        )
    else:
        load = f"importlib.import_module({origin.module!r})"
    heavy = () if origin.file else HEAVY
    # This process may have found the plugin in a folder that others do not look into.
    code = _CODE.format(path=sys.path, before=before, load=load, heavy=heavy)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise ImportError(f"plugin '{origin.plugin}' cannot be imported in a process of its own: {last}")
    taken, loaded = json.loads(done.stdout.splitlines()[-1])
    return taken, loaded
