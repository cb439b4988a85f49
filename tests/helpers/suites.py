"""Small suites over the toy plugin: write, plan, run and look into them."""

from __future__ import annotations

import json
from pathlib import Path

from pubench import run_suite
from pubench.plan.planning import plan_suite
from pubench.plugins.discovery import discover
from pubench.suite import parse_suite

TOY = Path(__file__).with_name("toy_plugin.py")

DEFAULTS = {
    "name": "toy",
    "replicates": 1,
    "datasets": [{"use": "toy-blobs"}],
    "labellings": [{"scenario": "case-control", "positives": 10}],
    "algorithms": [{"use": "toy"}],
    "tuning": {"sampler": "grid", "folds": 2},
}


def toml(**changes):
    """Return a suite as TOML: the defaults above with some keys changed."""
    keys = DEFAULTS | changes
    # Most tests count the trials of a sampler: the default setting comes first only where a test asks for it.
    keys["tuning"] = {"defaults": False, **keys["tuning"]}
    # A bare key = value after a table would belong to that table: plain values first.
    plain = [f"{key} = {_value(value)}" for key, value in keys.items() if not _is_table(value)]
    tables = [_table(key, value) for key, value in keys.items() if _is_table(value)]
    return "\n".join([*plain, *tables]) + "\n"


def _is_table(value):
    return isinstance(value, dict) or (isinstance(value, list) and all(isinstance(v, dict) for v in value))


def _table(key, value):
    if isinstance(value, dict):
        return f"[{key}]\n" + "".join(f"{name} = {_value(v)}\n" for name, v in value.items())
    entries = ("".join(f"{name} = {_value(v)}\n" for name, v in entry.items()) for entry in value)
    return "\n".join(f"[[{key}]]\n{entry}" for entry in entries)


def _value(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_value(v)}" for name, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value)


def plan(registry=None, **changes):
    """Plan a toy suite without running it."""
    registry = registry or discover(files=[TOY])
    return plan_suite(parse_suite(toml(**changes), "toy.toml"), registry, source="toy.toml", files=[str(TOY)])


def run(folder, *, jobs=1, backend="loky", retry_failed=False, force=False, progress=None, **changes):
    """Run a toy suite in a folder and return its results."""
    folder.mkdir(parents=True, exist_ok=True)
    suite = folder / "asked.toml"
    suite.write_text(toml(**changes))
    return run_suite(
        suite,
        out=folder / "run",
        plugins=[TOY],
        jobs=jobs,
        backend=backend,
        retry_failed=retry_failed,
        force=force,
        progress=progress,
    )


def run_text(folder, text, plugins=()):
    """Run a suite given as TOML in a folder and return its results."""
    folder.mkdir(parents=True, exist_ok=True)
    suite = folder / "asked.toml"
    suite.write_text(text)
    return run_suite(suite, out=folder / "run", plugins=plugins)


def keys_of(planned):
    """Return the key of each cell by what tables call it."""
    return {
        (c.dataset, c.labelling, c.replicate, c.algorithm, c.criterion): c.key for c in planned.plan.cells
    }


def read_diary(path):
    """Return what the toy learner wrote down, one entry for each fit."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
