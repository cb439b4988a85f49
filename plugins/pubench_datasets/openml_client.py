"""Requests to the OpenML API with OpenML's client, with our server, folders and time limits.

The user's settings of the client are restored after each call. Requests carry no key, so that only public data are
available.
"""

from __future__ import annotations

import importlib
import inspect
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from pubench.data import cache_root
from pubench.errors import DataError
from pubench_datasets.openml_http import BUSY_DATABASE, limited, patiently
from pubench_datasets.openml_settings import server

__all__ = ["ask", "describe", "features", "listed", "suite"]

# The client keeps its settings in a module, so that calls must not overlap.
_ONE_AT_A_TIME = threading.Lock()
_BUSY = 107
# Codes for unknown data sets and unknown benchmark suites.
_UNKNOWN = {111, 601}
_NO_SUCH_QUESTION = 100

T = TypeVar("T")


def ask(what: str, root: Path, question: Callable[[Any], T]) -> T:
    """Return ``question(openml)``, retried if necessary; the client may write to ``root``."""

    def once() -> T:
        with _borrowed(root) as client:
            return question(client)

    return patiently(what, once, explain=_explain)


def _explain(error: Exception) -> str | None:
    """Describe a temporary failure: a busy server, or an unreadable answer."""
    if isinstance(error, DataError | OSError):
        return None
    code = getattr(error, "code", None)
    if code == _BUSY:
        return BUSY_DATABASE
    if code is not None or type(error).__name__ == "OpenMLPrivateDatasetError":
        return None
    return f"sent an unreadable answer ({type(error).__name__})"


@contextmanager
def _borrowed(root: Path) -> Iterator[Any]:
    with _ONE_AT_A_TIME:
        client = _imported()
        config = client.config
        kept = dict(config.get_config_as_dict())
        config.server, config.apikey, config.show_progress = f"{server()}/api/v1/xml", "", False
        config.set_root_cache_directory(root)
        config.set_retry_policy("human", 1)
        try:
            with limited(), _quiet():
                yield client
        finally:
            for name in ("server", "apikey", "show_progress"):
                setattr(config, name, kept[name])
            config.set_root_cache_directory(kept["cachedir"])
            config.set_retry_policy(kept["retry_policy"], int(kept["connection_n_retries"]))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the client from configuring the root logger, which ``logging.info`` does if it has no handler."""
    logger, handler = logging.getLogger(), logging.NullHandler()
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def _imported() -> Any:
    """Import the client.

    On import it creates folders for its cache and its settings. Unless the user has configured them, they are created
    in our cache instead, and the client's own paths are restored afterwards.
    """
    home, linux = Path("~").expanduser(), sys.platform.startswith("linux")
    config = (
        Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "openml" if linux else home / ".openml"
    )
    cache = (
        Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "openml" if linux else home / ".openml"
    )
    if "openml" in sys.modules or "OPENML_CACHE_DIR" in os.environ or (config / "config").exists():
        return importlib.import_module("openml")
    kept, ours = os.environ.get("XDG_CONFIG_HOME"), str(cache_root() / "openml" / "client")
    os.environ.update(OPENML_CACHE_DIR=ours, XDG_CONFIG_HOME=ours)
    try:
        client = importlib.import_module("openml")
    finally:
        del os.environ["OPENML_CACHE_DIR"], os.environ["XDG_CONFIG_HOME"]
        os.environ.update({"XDG_CONFIG_HOME": kept} if kept is not None else {})
    client.config.set_root_cache_directory(cache)
    return client


def listed(root: Path, what: str, filters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return one row for each data set that matches the filters: ``did``, ``name``, ``version``, ``status``, ..."""
    # The client does not quote values in paths.
    quoted = {name: quote(v, safe="") if isinstance(v, str) else v for name, v in filters.items()}

    def question(client: Any) -> list[dict[str, Any]]:
        list_datasets = client.datasets.list_datasets
        if "output_format" in inspect.signature(list_datasets).parameters:
            quoted["output_format"] = "dataframe"
        rows: list[dict[str, Any]] = list_datasets(**quoted).to_dict("records")
        return rows

    try:
        return ask(what, root, question)
    except Exception as error:
        raise _refused(what, error) from error


def describe(root: Path, number: int) -> dict[str, Any]:
    """Return the description of a data set: the elements of its XML, repeated ones as lists."""
    what = f"OpenML data set {number}"
    try:
        ask(what, root, lambda client: client.datasets.get_dataset(number, download_data=False))
    except Exception as error:
        raise _refused(what, error) from error
    # Status and address of the Parquet file are in the client's file, but not in its return value.
    for path in root.rglob("description.xml"):
        return _elements(path)
    raise DataError(f"{what}: the client kept no description; report this with the version of openml")


def _elements(path: Path) -> dict[str, Any]:
    from xml.etree import ElementTree

    elements: dict[str, Any] = {}
    for element in ElementTree.parse(path).getroot():
        name, text = element.tag.rpartition("}")[2], (element.text or "").strip()
        if name in elements:
            earlier = elements[name]
            elements[name] = [*earlier, text] if isinstance(earlier, list) else [earlier, text]
        else:
            elements[name] = text
    return elements


def features(root: Path, number: int) -> tuple[dict[str, tuple[str, tuple[str, ...]]], int | None]:
    """Return column -> kind and declared values, and the number of rows if the server knows it."""

    def question(client: Any) -> Any:
        dataset = client.datasets.get_dataset(
            number, download_data=False, download_features_meta_data=True, download_qualities=True
        )
        return dataset.features, dataset.qualities or {}

    what = f"OpenML data set {number}"
    try:
        columns, qualities = ask(what, root, question)
    except Exception as error:
        raise _refused(what, error) from error
    ordered = [columns[place] for place in sorted(columns)]
    rows = qualities.get("NumberOfInstances")
    known = rows is not None and rows == rows
    return {c.name: (c.data_type, tuple(c.nominal_values or ())) for c in ordered}, int(
        rows
    ) if known else None


def suite(root: Path, number: int | str) -> list[int]:
    """Return the ids of the data sets of a benchmark suite, by its id or alias."""
    what = f"OpenML benchmark suite '{number}'"
    safe = quote(number, safe="") if isinstance(number, str) else number
    try:
        members = ask(what, root, lambda client: client.study.get_suite(safe).data)
    except Exception as error:
        raise _refused(what, error) from error
    return [int(number) for number in members or ()]


def _refused(what: str, error: Exception) -> DataError:
    """Convert a permanent refusal of the server to one sentence."""
    if isinstance(error, DataError):
        return error
    if type(error).__name__ == "OpenMLPrivateDatasetError":
        return DataError(f"{what} is not public on {server()}; choose another data set")
    code = getattr(error, "code", None)
    if code in _UNKNOWN:
        return DataError(f"{what} does not exist on {server()}; check the id")
    message = str(getattr(error, "message", "")).removesuffix(" - None")
    if code == _NO_SUCH_QUESTION:
        return DataError(
            f"{what}: the server {server()} does not support this request ({message!r}); "
            "check PUBENCH_OPENML_SERVER, or choose data sets by id"
        )
    if code is not None:
        return DataError(f"{what}: the server {server()} answered {message!r} (code {code}); try again later")
    if isinstance(error, OSError):
        return DataError(
            f"{what}: cannot write the cache: {error.strerror or error}; set PUBENCH_CACHE to another folder"
        )
    raise error
