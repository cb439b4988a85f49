"""Import strings resolve to their object or raise a clear error; a plugin file is one module, loaded once."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pubench.errors import PubenchError
from pubench.plugins.imports import load_file, load_files, resolve


@pytest.fixture
def plugin_file(tmp_path, request):
    """Write a module with a name of its own and forget it afterwards."""
    name = f"plugin_{abs(hash(request.node.nodeid))}"

    def write(text, folder=tmp_path):
        path = folder / f"{name}.py"
        path.write_text(text)
        return path

    yield write
    sys.modules.pop(name, None)


def test_an_import_string_names_a_function_or_a_nested_attribute():
    assert resolve("json:dumps") is json.dumps
    assert resolve("pathlib:Path.home") == Path.home


@pytest.mark.parametrize("reference", ["json", "json:", ":dumps", "", "json.dumps"])
def test_invalid_import_strings_are_refused_with_an_example(reference):
    with pytest.raises(PubenchError, match=r"must look like 'package\.module:attribute'"):
        resolve(reference)


def test_a_missing_attribute_is_named_with_its_module():
    with pytest.raises(PubenchError, match="json has no 'dmups'"):
        resolve("json:dmups")


def test_a_missing_module_is_an_import_error():
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        resolve("no_such_module:x")


def test_a_file_is_loaded_once_and_its_import_strings_resolve(plugin_file, tmp_path):
    mark = tmp_path / "mark"
    path = plugin_file(f"open({str(mark)!r}, 'a').write('x')\ndef f(): return 5\n")
    assert load_file(path) is load_file(str(path))
    load_files([str(path)])
    assert mark.read_text() == "x"
    assert resolve(f"{path.stem}:f")() == 5


def test_dataclasses_in_a_file_have_their_module(plugin_file):
    text = "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n"
    assert load_file(plugin_file(text)).A(3).x == 3


def test_a_file_that_raises_leaves_no_partial_module(plugin_file):
    path = plugin_file("x = 1\nraise RuntimeError('no')\n")
    with pytest.raises(RuntimeError, match="no"):
        load_file(path)
    assert path.stem not in sys.modules


def test_a_file_named_like_a_known_module_is_refused(tmp_path):
    for name in ("json", "mailbox"):
        path = tmp_path / f"{name}.py"
        path.write_text("")
        with pytest.raises(PubenchError, match=f"a module named '{name}' already exists; rename the file"):
            load_file(path)


def test_a_second_file_of_the_same_name_is_refused(plugin_file, tmp_path):
    first = plugin_file("x = 1\n")
    load_file(first)
    (tmp_path / "other").mkdir()
    with pytest.raises(PubenchError, match="rename the file"):
        load_file(plugin_file("x = 2\n", tmp_path / "other"))


def test_an_importable_file_is_imported_as_its_module(plugin_file, tmp_path, monkeypatch):
    path = plugin_file("x = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert load_file(path) is __import__(path.stem)


@pytest.mark.parametrize("name", ["missing.py", "folder.py", "notes.txt"])
def test_other_files_than_python_files_are_refused(tmp_path, name):
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(PubenchError, match=r"is not a Python file; name an existing \.py file"):
        load_file(tmp_path / name)
