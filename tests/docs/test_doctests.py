"""Every public function and class has an example, and every example of a docstring runs and prints what it shows."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pubench

# Modules that authors of plugins use, besides what ``pubench`` itself offers.
FOR_AUTHORS = ("criteria", "learners", "metrics", "risk")
# What is no function or class of ours, and where its use is shown.
SHOWN_ELSEWHERE = {"hookimpl": "a marker of pluggy: pubench.plugins.hookspecs"}


def public() -> Iterator[Any]:
    without_torch = importlib.util.find_spec("torch") is None
    for name in sorted(set(pubench.__all__) - set(SHOWN_ELSEWHERE)):
        if not (name == "TorchPUClassifier" and without_torch):
            yield getattr(pubench, name)
    for name in FOR_AUTHORS:
        module = importlib.import_module(f"pubench.{name}")
        yield from (one for one in map(module.__dict__.get, module.__all__) if is_ours(one, module))


def is_ours(subject: Any, module: ModuleType) -> bool:
    return (inspect.isfunction(subject) or inspect.isclass(subject)) and subject.__module__ == module.__name__


@pytest.mark.parametrize("subject", list(public()), ids=lambda one: f"{one.__module__}.{one.__qualname__}")
def test_what_is_public_has_an_example(subject: Any) -> None:
    assert ">>> " in (inspect.getdoc(subject) or "")


def modules() -> Iterator[ModuleType]:
    names = [one.name for one in pkgutil.walk_packages(pubench.__path__, "pubench.")]
    texts = {name: importlib.util.find_spec(name) for name in names}
    for name, spec in sorted(texts.items()):
        file = spec.origin if spec is not None else None
        if file and file.endswith(".py") and ">>> " in Path(file).read_text(encoding="utf-8"):
            yield importlib.import_module(name)
    yield pubench


def examples() -> Iterator[Any]:
    for module in modules():
        for test in doctest.DocTestFinder(exclude_empty=True).find(module):
            if not test.examples:
                continue
            source = "".join(example.source for example in test.examples)
            marks = []
            if "run_suite(" in source or "PUModel(" in source:
                marks.append(pytest.mark.slow)
            if "import torch" in source:
                missing = importlib.util.find_spec("torch") is None
                marks += [pytest.mark.torch, pytest.mark.skipif(missing, reason="PyTorch is not installed")]
            yield pytest.param(test, id=test.name, marks=marks)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one folder for all examples: a suite that several of them run is run once."""
    return tmp_path_factory.mktemp("doctests")


@pytest.mark.parametrize("test", list(examples()))
def test_an_example_runs(test: doctest.DocTest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skipped = [one for one in test.examples if one.options.get(doctest.SKIP)]
    assert not skipped, "a skipped example shows nothing"
    monkeypatch.chdir(folder)
    # As in NumPy's own docstrings, two imports are understood; an example sees nothing else of its module.
    test.globs = {"np": np, "pubench": pubench, "__name__": "example"}
    said: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert result.failed == 0, "".join(said)
    assert result.attempted
