"""Suites: from TOML to a validated, frozen value, which is the input of the plan."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from pubench.errors import SuiteError, did_you_mean
from pubench.specs import JSONValue
from pubench.suite.base import Key, KeyProblem, TomlSchema, read_table
from pubench.suite.models import Suite
from pubench.suite.smoke import SUFFIX, smoke_size

__all__ = [
    "Suite",
    "bundled_suites",
    "load_suite",
    "parse_suite",
    "suite_schema",
    "suite_text",
]

BUNDLE = "pubench_suites"
LARGEST = 16 * 2**20
"""Bytes of the largest suite that is read; those of the papers have 100 KB."""


def load_suite(path_or_name: str | os.PathLike[str]) -> Suite:
    """Read a suite.

    Parameters
    ----------
    path_or_name : str or path
        The path of a TOML file, or the name of a bundled suite. The ending ``-smoke`` selects the suite's smoke size,
        unless a suite has exactly that name.

    Returns
    -------
    Suite

    Raises
    ------
    SuiteError
        One line for each problem: file, key, value, remedy.
    """
    suite = parse_suite(suite_text(path_or_name), os.fspath(path_or_name))
    return smoke_size(suite) if _locate(path_or_name)[1] else suite


def parse_suite(text: str, source: str) -> Suite:
    """Validate a suite given as TOML; errors name it ``source``."""
    document = _parse_toml(text, source)
    read = read_table(Suite, document)
    if isinstance(read, Suite):
        return read
    raise SuiteError("\n".join(f"{source}: {_line(problem, document)}" for problem in read))


def suite_text(path_or_name: str | os.PathLike[str]) -> str:
    """Return a suite's TOML; :func:`load_suite` describes how it is found."""
    source = os.fspath(path_or_name)
    try:
        _refuse_stream(path_or_name)
        # Some editors begin files with a byte order mark, which TOML does not allow.
        return _locate(path_or_name)[0].read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise SuiteError(
            f"{source}: no such file; check the path, or name a bundled suite{_bundle_hint()}"
        ) from None
    except IsADirectoryError:
        raise SuiteError(f"{source}: is a folder, not a suite; name a .toml file in it") from None
    except UnicodeDecodeError as error:
        raise SuiteError(f"{source}: is not UTF-8 (byte {error.start}); save it with that encoding") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SuiteError(f"{source}: cannot be read ({reason}); check the path and its permissions") from None


def _refuse_stream(path_or_name: str | os.PathLike[str]) -> None:
    """Refuse what has no end, or can be read only once: a suite is read several times."""
    file = _locate(path_or_name)[0]
    found = file.stat() if isinstance(file, Path) else None
    if found is None or stat.S_ISDIR(found.st_mode):
        return
    if not stat.S_ISREG(found.st_mode):
        raise SuiteError(f"{path_or_name}: is a device or a pipe; save the suite as a .toml file")
    if found.st_size > LARGEST:
        raise SuiteError(
            f"{path_or_name}: is too large for a suite ({found.st_size / 2**20:,.0f} MB); name another file"
        )


def bundled_suites() -> dict[str, str]:
    """Return the bundled suites and their descriptions, sorted by name."""
    texts = {name: file.read_text(encoding="utf-8") for name, file in _bundle().items()}
    return {name: str(tomllib.loads(text).get("description", "")) for name, text in sorted(texts.items())}


def suite_schema() -> dict[str, JSONValue]:
    """Return the JSON Schema of a suite's TOML, which editors use to complete and check keys."""
    schema = Suite.model_json_schema(schema_generator=TomlSchema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema


def _bundle() -> dict[str, Traversable]:
    try:
        files = list(resources.files(BUNDLE).iterdir())
    except ModuleNotFoundError:
        return {}
    return {file.name.removesuffix(".toml"): file for file in files if file.name.endswith(".toml")}


def _bundle_hint() -> str:
    names = ", ".join(sorted(_bundle()))
    return f" ({names})" if names else ""


def _locate(path_or_name: str | os.PathLike[str]) -> tuple[Traversable, bool]:
    """Return the file of the suite, and whether its smoke size is meant."""
    text = os.fspath(path_or_name)
    for name, smoke in ((text, False), (_without_suffix(text), True)):
        file = _suite_file(name, isinstance(path_or_name, str))
        if file is not None:
            return file, smoke
    if _is_path(text) or not isinstance(path_or_name, str):
        return Path(text), False
    raise SuiteError(f"suite {text!r}: no bundled suite has this name{did_you_mean(text, _bundle())}")


def _suite_file(text: str, may_be_name: bool) -> Traversable | None:
    """Return the file of a suite if it exists; a bundled suite takes precedence over a folder of that name."""
    bundle = {} if _is_path(text) or not may_be_name else _bundle()
    if text in bundle:
        return bundle[text]
    return Path(text) if text and os.path.lexists(text) else None


def _is_path(text: str) -> bool:
    return text.endswith(".toml") or Path(text).name != text


def _without_suffix(text: str) -> str:
    """Return the name without the ending of smoke sizes; empty if it does not have that ending."""
    stem = text.removesuffix(".toml")
    return stem.removesuffix(SUFFIX) + text[len(stem) :] if stem.endswith(SUFFIX) else ""


def _parse_toml(text: str, source: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise SuiteError(f"{source}: is nested too deeply; flatten its lists and tables") from None
    except tomllib.TOMLDecodeError as error:
        what, _, where = str(error).rpartition(" (at ")
        place = where.rstrip(")").replace("end of document", f"line {len(text.splitlines())}, the last one")
        raise SuiteError(f"{source}: is not valid TOML at {place}: {what}; fix it there") from None
    except ValueError:
        # Python refuses to read whole numbers of thousands of digits.
        raise SuiteError(f"{source}: contains a number that is too long; shorten it") from None


def _line(problem: KeyProblem, document: Mapping[str, object]) -> str:
    value = _shown(_value_at(problem.key, document))
    return f"{_path(problem.key)}{value}: {problem.text}"


def _path(key: Key) -> str:
    """Write ``("labellings", 0, "test")`` as ``labellings[0].test``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in key)
    return "".join(parts).removeprefix(".")


def _value_at(key: Key, document: object) -> object:
    for part in key:
        if isinstance(document, dict):
            document = document.get(part)
        elif isinstance(document, list) and isinstance(part, int) and part < len(document):
            document = document[part]
        else:
            return None
    return document


def _shown(value: object) -> str:
    """Return `` = value``, shortened; empty for an absent value or a table."""
    if value is None or isinstance(value, dict) or (isinstance(value, list) and dict in map(type, value)):
        return ""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return f" = {text[:57]}..." if len(text) > 60 else f" = {text}"
