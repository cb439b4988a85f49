"""The loader of OpenML data sets, by id or by name; data sets in the cache work offline.

OpenML's own client requests the description of a data set. The data file is fetched separately, because the client
sets no time limit, does not check Parquet files and fills its cache without a lock (see `openml_http`, `openml_cache`).

The Parquet file is used if the server sends its MD5 (the ETag of an object stored in one piece), and if its columns,
types and rows match the description, which contains a checksum of the ARFF file only. Otherwise the ARFF file is used
and compared with that checksum. Both give the same numbers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pubench.data import Data, refuse_in_child
from pubench.errors import DataError
from pubench_datasets.openml_cache import Entry, kept, remember, remembered
from pubench_datasets.openml_settings import public_page, server, server_key

__all__ = ["card", "expand", "identity", "openml", "openml_list", "suite_members"]

_LOG = logging.getLogger("pubench.data")

Names = str | Sequence[str]


def openml(
    id: int | None = None,
    name: str | None = None,
    version: int | None = None,
    *,
    target: str | None = None,
    drop: Names = (),
    split: str | None = None,
    categorical: Names = (),
    threshold: float | None = None,
    quantile: float | None = None,
) -> Data:
    """Load a data set by its id, or by its name and version.

    Parameters
    ----------
    id : the number of the data set; it identifies one version permanently
    name, version : default version: the newest active one at the first request, which the cache keeps
    target : the column of the classes; default: the one that the data set declares
    drop : columns to exclude besides those that the server marks as row ids or to be ignored
    split : a column of ``"train"`` and ``"test"``, even if the server marks it to be ignored
    categorical : numeric columns to treat as categories
    threshold, quantile : convert a numeric target to the classes ``"low"`` and ``"high"``
    """
    from pubench_datasets.openml_tables import data_of
    from pubench_datasets.tables import Roles, names_of
    from pubench_datasets.targets import Cut

    refuse_in_child()
    roles = Roles(
        target=target,
        split=split,
        drop=names_of("drop", drop),
        categorical=names_of("categorical", categorical),
        cut=Cut(threshold, quantile),
    )
    return data_of(_entry(id, name, version), roles)


def identity(
    id: int | None = None, name: str | None = None, version: int | None = None, **_: object
) -> dict[str, Any]:
    """Return the identity of the data, without a request: the server (without a local port), id, name and version."""
    return {"server": server_key(), "id": id, "name": name, "version": version}


def card(
    id: int | None = None,
    name: str | None = None,
    version: int | None = None,
    *,
    target: str | None = None,
    threshold: float | None = None,
    quantile: float | None = None,
    **_: object,
) -> dict[str, str | int]:
    """Return the facts from the server: title, id, version, target, licence, citation, source, file, MD5."""
    facts = _entry(id, name, version).facts
    cut = f", high if above {threshold:g}" if threshold is not None else ""
    cut = f", high if above its quantile {quantile:g}" if quantile is not None else cut
    kept = ("id", "version", "status", "licence", "citation", "file", "md5")
    source = public_page(facts["id"], facts["source"])
    column = facts["target"] if target is None else target
    described = {key: facts[key] for key in kept}
    return {"title": facts["name"], "target": f"{column}{cut}", "source": source, **described}


def _entry(id: int | None, name: str | None, version: int | None) -> Entry:
    _check(id, name, version)
    number = id if id is not None else _number(str(name), version)
    return kept(number, partial(_fill, number))


def _check(id: Any, name: Any, version: Any) -> None:
    if (id is None) == (name is None):
        problem = "neither id nor name is" if id is None else "id and name are both"
        raise DataError(
            f"{problem} set; choose an OpenML data set by id = 37, or by name = 'diabetes' and version = 1"
        )
    if id is not None and version is not None:
        raise DataError(
            f"id = {id} and version = {version} are both set; remove version, because an id identifies a version"
        )
    for key, value in (("id", id), ("version", version)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise DataError(f"{key} = {value!r} is not a positive whole number; correct it")
    if name is not None and (not isinstance(name, str) or not name.strip()):
        raise DataError(f"name = {name!r} is not the name of an OpenML data set; write text")


def _number(name: str, version: int | None) -> int:
    """Return the id of a named data set."""
    what = f"OpenML data set '{name}'" + (f", version {version}" if version is not None else "")
    return int(remembered(what, _question(name, version), partial(_find, name, version)))


def _question(name: str, version: int | None) -> dict[str, Any]:
    return {"data set": name, "version": version}


def _find(name: str, version: int | None, scratch: Path) -> int:
    from pubench_datasets.openml_client import listed

    rows = listed(scratch, f"OpenML data set '{name}'", {"data_name": name, "status": "all"})
    by_version = {int(row["version"]): row for row in rows if row["name"] == name}
    active = sorted(v for v, row in by_version.items() if row["status"] == "active")
    available = f"active versions: {', '.join(map(str, active)) or 'none'}"
    if not by_version:
        raise DataError(
            f"OpenML data set '{name}' does not exist on {server()}; check the name, case included"
        )
    if version is None and active:
        return int(by_version[active[-1]]["did"])
    if version is None:
        raise DataError(f"OpenML data set '{name}' has no active version on {server()}; load one by its id")
    if version not in by_version:
        raise DataError(f"OpenML data set '{name}' has no version {version} on {server()}; {available}")
    number = int(by_version[version]["did"])
    if version not in active:
        raise DataError(
            f"OpenML data set '{name}', version {version} is {by_version[version]['status']} on {server()}; "
            f"{available}; use id = {number} to load it nevertheless"
        )
    return number


def _fill(number: int, place: Path) -> dict[str, Any]:
    """Fetch a data set into an empty folder and return its facts."""
    from pubench_datasets.openml_client import describe
    from pubench_datasets.openml_fetch import fetch_file

    description = describe(place / "client", number)
    facts = {
        "id": number,
        "name": description.get("name", ""),
        "version": int(description.get("version") or 1),
        "status": description.get("status", ""),
        "target": description.get("default_target_attribute", ""),
        "ignore": [
            *_words(description.get("ignore_attribute")),
            *_words(description.get("row_id_attribute")),
        ],
        "licence": description.get("licence", ""),
        "citation": description.get("citation", ""),
        "source": description.get("url", ""),
    }
    if facts["status"] == "deactivated":
        _LOG.warning("OpenML data set %d (%s) is deactivated on %s", number, facts["name"], server())
    facts |= fetch_file(number, description, place)
    if facts["status"] == "active":
        remember(_question(facts["name"], facts["version"]), number)
    return facts


def _words(value: str | list[str] | None) -> list[str]:
    """Return the names in an element: one name, several separated by commas, or several elements."""
    parts = [value] if isinstance(value, str) else value or []
    return [name for part in parts for name in dict.fromkeys([part, *part.split(",")]) if name]


def suite_members(suite: int | str) -> list[int]:
    """Return the ids of the data sets of a benchmark suite, by its id or alias (for example ``"OpenML-CC18"``)."""
    from pubench_datasets import openml_client

    return _numbers(
        f"OpenML benchmark suite '{suite}'", {"suite": suite}, lambda s: openml_client.suite(s, suite)
    )


def openml_list(tag: str | None = None, **filters: str | int) -> list[int]:
    """Return the ids of the active data sets with a tag and other properties, in order.

    ``filters`` are those of the API: ``number_classes=2``, ``number_instances="100..1000"``, ``data_name``, ...
    """
    from pubench_datasets.openml_client import listed

    query: dict[str, str | int] = {**({"tag": tag} if tag is not None else {}), **filters}
    properties = ", ".join(f"{name} = {value!r}" for name, value in query.items())
    what = f"OpenML tag '{tag}'" if list(query) == ["tag"] else f"OpenML data sets with {properties}"

    def answer(scratch: Path) -> list[int]:
        return [int(row["did"]) for row in listed(scratch, what, {"status": "active", **query})]

    return _numbers(what, {"list": query}, answer)


def _numbers(what: str, question: dict[str, Any], answer: Callable[[Path], list[int]]) -> list[int]:
    def at_least_one(scratch: Path) -> list[int]:
        numbers = sorted(set(answer(scratch)))
        if not numbers:
            raise DataError(f"{what}: {server()} has no such active data set; check the spelling")
        return numbers

    return [int(number) for number in remembered(what, question, at_least_one)]


def expand(
    ids: Sequence[int] = (), suite: int | str | None = None, tag: str | None = None, **params: Any
) -> dict[str, dict[str, Any]]:
    """Return the parameters of each data set of a list, a benchmark suite or a tag, by its id.

    The parameters of a single data set are returned unchanged, under an empty label.
    """
    given = [name for name, value in {"ids": ids, "suite": suite, "tag": tag}.items() if value]
    if not given:
        return {"": params}
    if len(given) > 1 or params.get("id") or params.get("name"):
        raise DataError(
            "only one of id, name, ids, suite and tag can choose OpenML data sets; keep one of them"
        )
    if ids and (isinstance(ids, str) or not isinstance(ids, Sequence)):
        raise DataError(f"ids = {ids!r} is not a list of numbers; write for example ids = [37, 43]")
    numbers = list(ids) if ids else suite_members(suite) if suite else openml_list(tag=tag)
    return {str(number): {**params, "id": number} for number in numbers}
