"""Download of the data file of an OpenML data set: Parquet if it can be checked, otherwise ARFF."""

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
_LOG_SECONDS = 0.5


def fetch_file(number: int, description: Mapping[str, Any], place: Path) -> dict[str, Any]:
    """Download the data file to a folder; return its name, MD5, size, and (for Parquet) the types of its columns."""
    if description.get("parquet_url"):
        try:
            return _parquet(number, description, place)
        except UnansweredError:
            raise
        except DataError as error:
            _LOG.info("%s; using the ARFF file instead", error)
    if not description.get("url"):
        raise DataError(f"OpenML data set {number} has no data file on {server()}; choose another data set")
    md5 = description.get("md5_checksum") or None
    received = _fetch(number, description, str(description["url"]), place / "data.arff", md5)
    if md5 is None:
        _LOG.warning("OpenML data set %d has no checksum", number)
    return _facts("data.arff", received)


def _facts(name: str, received: Received) -> dict[str, Any]:
    return {"file": name, "md5": received.md5, "size": received.size}


def _fetch(number: int, description: Mapping[str, Any], url: str, path: Path, md5: str | None) -> Received:
    plain = path.suffix == ".parquet"
    title = f"OpenML data set {number} ({description.get('name')}, version {description.get('version')})"

    last_logged = 0.0

    def progress(size: int, total: int | None) -> None:
        nonlocal last_logged
        if size and time.monotonic() - last_logged < _LOG_SECONDS:
            return
        last_logged = time.monotonic()
        _LOG.info("fetching %s: %s, %s", title, path.suffix[1:], _amount(size, total))

    def fetch() -> Received:
        return patiently(
            f"OpenML data set {number}",
            lambda: download(url, path, progress=progress, plain=plain, md5=md5),
            # If the Parquet file fails, the ARFF file is used.
            tries=2 if plain else None,
        )

    try:
        return fetch()
    except SilentError:
        # A server that generates a large file on request has it ready the second time.
        return fetch()


def _amount(size: int, total: int | None) -> str:
    """Return the amount received, and the total."""
    if total is None:
        return f"{size / 1e6:.2f} MB so far" if size else "of unknown size"
    return f"{size / 1e6:.2f} of {total / 1e6:.2f} MB" if size else f"{total / 1e6:.2f} MB"


def _parquet(number: int, description: Mapping[str, Any], place: Path) -> dict[str, Any]:
    """Download the Parquet file; raise DataError if it cannot be verified."""
    from pubench_datasets.openml_client import features
    from pubench_datasets.openml_tables import UnsoundError, parquet_frame

    path = place / "data.parquet"
    try:
        columns, rows = features(place / "client", number)
        kinds = {name: _kind(kind, values) for name, (kind, values) in columns.items()}
        received = _fetch(number, description, str(description["parquet_url"]), path, None)
        if not _MD5.fullmatch(received.etag):
            raise DataError(f"OpenML data set {number}: its Parquet file has no MD5")
        parquet_frame(path, kinds, rows)
    except ImportError as error:
        raise DataError(f"OpenML data set {number}: Parquet needs pyarrow") from error
    except UnsoundError as error:
        raise DataError(
            f"OpenML data set {number}: its Parquet file does not match its description ({error})"
        ) from error
    return {**_facts(path.name, received), "kinds": kinds}


def _kind(kind: str, values: tuple[str, ...]) -> str | tuple[str, ...]:
    if kind == "nominal":
        return values
    return "numeric" if kind in {"numeric", "real", "integer"} else "string"
