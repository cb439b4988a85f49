"""The contract's check that a plugin imports quickly, measured in a fresh process."""

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
    """Return a sentence if importing the plugin is slow or loads heavy packages, else an empty text.

    A single file may import NumPy and scikit-learn, since it is loaded only on request.
    """
    # On a busy machine any import can be slow, but rarely three in a row.
    for _ in range(TRIES):
        seconds, heavy = _measure(origin)
        if heavy or seconds <= SECONDS:
            break
    if heavy:
        return (
            f"importing plugin '{origin.plugin}' loads {', '.join(heavy)}, which slows down every command; put hooks "
            "and specs in a separate module, and heavy imports in the modules that import strings refer to"
        )
    if seconds > SECONDS:
        return (
            f"importing plugin '{origin.plugin}' takes {seconds:.1f} seconds, more than {SECONDS}; only define the "
            "hooks at import"
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
    # This process may have found the plugin in a folder that is not on the path of others.
    code = _CODE.format(path=sys.path, before=before, load=load, heavy=heavy)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ImportError(f"plugin '{origin.plugin}' cannot be imported in a fresh process: {last}")
    seconds, loaded = json.loads(done.stdout.splitlines()[-1])
    return seconds, loaded
