"""Suites: from TOML to a validated, frozen value, or an error that names file, key, value and remedy."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pubench.errors import SuiteError, did_you_mean
from pubench.suite.base import Key, Problem, TomlSchema, read_table
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


def load_suite(path_or_name: str | os.PathLike[str]) -> Suite:
    """Read a suite.

    Parameters
    ----------
    path_or_name : str or path
        The path of a TOML file, or the name of a suite that ships with pubench. With ``-smoke`` at its end it stands
        for the suite's smoke size, unless there is a suite of just that name.

    Returns
    -------
    Suite

    Raises
    ------
    SuiteError
        With one line for each problem: file, key, value, remedy.
    """
    suite = parse_suite(suite_text(path_or_name), os.fspath(path_or_name))
    return smoke_size(suite) if _locate(path_or_name)[1] else suite


def parse_suite(text: str, source: str) -> Suite:
    """Validate a suite given as TOML; ``source`` is what errors call it."""
    document = _parse_toml(text, source)
    read = read_table(Suite, document)
    if isinstance(read, Suite):
        return read
    raise SuiteError("\n".join(f"{source}: {_line(problem, document)}" for problem in read))


def suite_text(path_or_name: str | os.PathLike[str]) -> str:
    """Return a suite's TOML as it is written, found as :func:`load_suite` finds it."""
    source = os.fspath(path_or_name)
    try:
        # Some editors begin files with a byte order mark, which TOML does not know.
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


def bundled_suites() -> dict[str, str]:
    """Return the names of the suites that ship with pubench, each with its description, sorted by name."""
    texts = {name: file.read_text(encoding="utf-8") for name, file in _bundle().items()}
    return {name: str(tomllib.loads(text).get("description", "")) for name, text in sorted(texts.items())}


def suite_schema() -> dict[str, Any]:
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
    """Return where the suite is written, and whether its smoke size is meant."""
    text = os.fspath(path_or_name)
    for name, smoke in ((text, False), (_without_suffix(text), True)):
        found = _found(name, isinstance(path_or_name, str))
        if found is not None:
            return found, smoke
    if _is_path(text) or not isinstance(path_or_name, str):
        return Path(text), False
    raise SuiteError(f"suite {text!r}: no bundled suite has this name{did_you_mean(text, _bundle())}")


def _found(text: str, named: bool) -> Traversable | None:
    """Take what looks like a path for a path; a bundled name comes before a folder of that name."""
    bundle = {} if _is_path(text) or not named else _bundle()
    if text in bundle:
        return bundle[text]
    return Path(text) if text and os.path.lexists(text) else None


def _is_path(text: str) -> bool:
    return text.endswith(".toml") or Path(text).name != text


def _without_suffix(text: str) -> str:
    """Return the name of the suite whose smoke size a name stands for; nothing if it stands for none."""
    stem = text.removesuffix(".toml")
    return stem.removesuffix(SUFFIX) + text[len(stem) :] if stem.endswith(SUFFIX) else ""


def _parse_toml(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise SuiteError(f"{source}: is nested too deeply; flatten its lists and tables") from None
    except tomllib.TOMLDecodeError as error:
        what, _, where = str(error).rpartition(" (at ")
        place = where.rstrip(")").replace("end of document", f"line {len(text.splitlines())}, the last one")
        raise SuiteError(f"{source}: is not valid TOML at {place}: {what}; mend it there") from None
    except ValueError:
        # Python refuses to read whole numbers of thousands of digits.
        raise SuiteError(f"{source}: holds a number that is too long; shorten it") from None


def _line(problem: Problem, document: Mapping[str, Any]) -> str:
    value = _shown(_value_at(problem.key, document))
    return f"{_path(problem.key)}{value}: {problem.text}"


def _path(key: Key) -> str:
    """Write ``("labellings", 0, "test")`` as ``labellings[0].test``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in key)
    return "".join(parts).removeprefix(".")


def _value_at(key: Key, document: Any) -> Any:
    for part in key:
        try:
            document = document[part]
        except (LookupError, TypeError):
            return None
    return document


def _shown(value: Any) -> str:
    """Return `` = value``, cut short; nothing for what is absent or a whole table."""
    if value is None or isinstance(value, dict) or (isinstance(value, list) and dict in map(type, value)):
        return ""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return f" = {text[:57]}..." if len(text) > 60 else f" = {text}"
