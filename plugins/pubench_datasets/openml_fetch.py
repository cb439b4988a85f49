"""Fetch the data file of an OpenML data set: Parquet if it can be checked, otherwise ARFF."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pubench.errors import DataError
from pubench_datasets.openml_http import Received, SilentError, UnansweredError, download, patiently
from pubench_datasets.openml_settings import server

__all__ = ["fetch_file"]

_LOG = logging.getLogger("pubench.data")
_MD5 = re.compile(r"[0-9a-f]{32}")
_TOLD_SECONDS = 0.5


def fetch_file(number: int, told: Mapping[str, Any], place: Path) -> dict[str, Any]:
    """Put the data file into a folder; return its name, MD5 and size, and (for Parquet) the kinds of its columns."""
    if told.get("parquet_url"):
        try:
            return _parquet(number, told, place)
        except UnansweredError:
            raise
        except DataError as error:
            _LOG.info("%s; taking the ARFF file instead", error)
    if not told.get("url"):
        raise DataError(f"OpenML data set {number} has no data file on {server()}")
    received = _fetch(number, told, str(told["url"]), place / "data.arff", told.get("md5_checksum") or None)
    if not told.get("md5_checksum"):
        _LOG.warning("OpenML data set %d comes without a checksum", number)
    return _facts("data.arff", received)


def _facts(name: str, received: Received) -> dict[str, Any]:
    return {"file": name, "md5": received.md5, "size": received.size}


def _fetch(number: int, described: Mapping[str, Any], url: str, path: Path, md5: str | None) -> Received:
    plain = path.suffix == ".parquet"
    title = f"OpenML data set {number} ({described.get('name')}, version {described.get('version')})"

    told = 0.0

    def progress(size: int, total: int | None) -> None:
        nonlocal told
        if size and time.monotonic() - told < _TOLD_SECONDS:
            return
        told = time.monotonic()
        _LOG.info("fetching %s: %s, %s", title, path.suffix[1:], _amount(size, total))

    def fetch() -> Received:
        return patiently(
            f"OpenML data set {number}",
            lambda: download(url, path, progress=progress, plain=plain, md5=md5),
            # There is another file to fall back on.
            tries=2 if plain else None,
        )

    try:
        return fetch()
    except SilentError:
        # A server that makes a large file when it is asked for it has it ready the second time.
        return fetch()


def _amount(size: int, total: int | None) -> str:
    """Say how much has arrived, of how much."""
    if total is None:
        return f"{size / 1e6:.2f} MB so far" if size else "of unknown size"
    return f"{size / 1e6:.2f} of {total / 1e6:.2f} MB" if size else f"{total / 1e6:.2f} MB"


def _parquet(number: int, told: Mapping[str, Any], place: Path) -> dict[str, Any]:
    """Fetch the Parquet file, or say why it cannot be trusted."""
    from pubench_datasets.openml_client import features
    from pubench_datasets.openml_tables import UnsoundError, parquet_frame

    path = place / "data.parquet"
    try:
        columns, rows = features(place / "client", number)
        kinds = {name: _kind(kind, values) for name, (kind, values) in columns.items()}
        received = _fetch(number, told, str(told["parquet_url"]), path, None)
        if not _MD5.fullmatch(received.etag):
            raise DataError(f"OpenML data set {number}: its Parquet file comes without an MD5")
        parquet_frame(path, kinds, rows)
    except ImportError as error:
        raise DataError(f"OpenML data set {number}: Parquet needs pyarrow") from error
    except UnsoundError as error:
        raise DataError(
            f"OpenML data set {number}: its Parquet file is not as described ({error})"
        ) from error
    return {**_facts(path.name, received), "kinds": kinds}


def _kind(kind: str, values: tuple[str, ...]) -> str | tuple[str, ...]:
    if kind == "nominal":
        return values
    return "numeric" if kind in {"numeric", "real", "integer"} else "string"
