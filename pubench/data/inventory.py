"""The contents of the cache, for ``pubench data``: stored data sets, and the downloads that plugins declare."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from pubench.data.cache import FEATURES, TRUTH, Download, cache_root
from pubench.data.loading import read_stored
from pubench.data.stored import StoredDataset, has_categories, is_intact
from pubench.data.truth import record_path, truth_path
from pubench.errors import PubenchError, UnknownNameError, did_you_mean
from pubench.plugins.imports import resolve
from pubench.plugins.registry import Registry
from pubench.specs import Dataset, JSONValue, Params

__all__ = [
    "CacheEntry",
    "CachedDataset",
    "OwnedDownload",
    "cached_datasets",
    "downloads",
    "empty_cache",
    "entries",
    "find_cached",
    "remove_download",
]


_FEWEST_DIGITS = 6
_MOST_LETTERS = 200


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """A folder of the cache for one stored data set.

    ``stored`` is None if a file is missing, unreadable or of a different size than when it was written; ``name`` and
    ``params`` are the request that created the entry, empty if even that is unreadable.
    """

    folder: Path
    name: str
    params: Params
    stored: StoredDataset | None

    @property
    def title(self) -> str:
        """Its name in messages."""
        digits = self.stored.fingerprint if self.stored is not None else self.folder.name
        return f"{self.request}  {digits[:12]}"

    @property
    def request(self) -> str:
        """The request of the user: the data set's name and its arguments."""
        texts = [f"{key}={v if isinstance(v, str) else json.dumps(v)}" for key, v in self.params.items()]
        return " ".join([self.name or "(unreadable)", ", ".join(texts)]).strip()[:_MOST_LETTERS]

    def is_sound(self) -> bool:
        """Read all files and return whether they are unchanged since they were saved."""
        return self.stored is not None and is_intact(self.stored) and has_categories(self.stored)

    def size(self) -> int:
        """Return the size on disk in bytes."""
        return sum(path.stat().st_size for path in self._files() if path.is_file())

    def remove(self) -> None:
        """Remove the data set from the cache."""
        for path in self._files():
            path.unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _files(self) -> list[Path]:
        truth = truth_path(self.folder)
        return [*self.folder.glob("*"), *truth.parent.glob(f"{truth.stem}*")]


def entries() -> list[CacheEntry]:
    """Return the entries of stored data sets, damaged ones included, sorted by name."""
    folders = (cache_root() / FEATURES).glob("[0-9a-f]*")
    unsorted = [CacheEntry(folder, *_request(folder), read_stored(folder)) for folder in folders]
    return sorted(unsorted, key=lambda entry: (entry.name, entry.folder.name))


def _request(folder: Path) -> tuple[str, Params]:
    try:
        fields = json.loads(record_path(folder).read_text(encoding="utf-8"))
        return str(fields["name"]), dict(fields.get("params", {}))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "", {}


@dataclass(frozen=True, slots=True)
class CachedDataset:
    """A data set in the cache, with the entries of all requests that led to the same rows."""

    entries: tuple[CacheEntry, ...]
    stored: StoredDataset

    @property
    def requests(self) -> tuple[str, ...]:
        """The distinct requests."""
        return tuple(dict.fromkeys(entry.request for entry in self.entries))

    @property
    def size(self) -> int:
        """The size of all copies in bytes."""
        return sum(entry.size() for entry in self.entries)

    def to_json(self) -> dict[str, JSONValue]:
        """Return the description that ``pubench data list --json`` prints."""
        return {
            "name": self.stored.name,
            "params": dict(self.stored.params),
            "asked": list(self.requests),
            "rows": self.stored.n_rows,
            "features": self.stored.n_features,
            "bytes": self.size,
            "copies": len(self.entries),
            "fingerprint": self.stored.fingerprint,
        }


def cached_datasets() -> list[CachedDataset]:
    """Return the undamaged data sets of the cache, one for each fingerprint, sorted by name."""
    groups: dict[str, list[CacheEntry]] = {}
    first: dict[str, StoredDataset] = {}
    for entry in entries():
        if entry.stored is not None:
            first.setdefault(entry.stored.fingerprint, entry.stored)
            groups.setdefault(entry.stored.fingerprint, []).append(entry)
    return [CachedDataset(tuple(groups[key]), stored) for key, stored in first.items()]


@dataclass(frozen=True, slots=True)
class OwnedDownload:
    """A download, and the name of the data set whose plugin declares it."""

    owner: str
    download: Download


def find_cached(
    name: str, owned: Iterable[OwnedDownload], *, with_downloads: bool
) -> tuple[list[CacheEntry], list[Download]]:
    """Return the entries and downloads that a name refers to.

    Parameters
    ----------
    name : str
        The name of a data set or of a download, or a fingerprint or its first digits.
    owned : iterable of OwnedDownload
    with_downloads : bool
        Whether the name of a data set also refers to its downloads.

    Raises
    ------
    UnknownNameError
        If the name refers to nothing in the cache.
    """
    owned, cached = list(owned), entries()
    chosen = [entry for entry in cached if entry.name == name or _has_fingerprint(entry, name)]
    fetched = [
        item.download
        for item in owned
        if item.download.name == name or (with_downloads and item.owner == name)
    ]
    if chosen or fetched:
        return chosen, fetched
    visible = [item for item in owned if item.download.listed]
    if any(item.owner == name for item in visible):
        raise UnknownNameError(
            f"the cache contains only downloads of '{name}'; add --downloads to remove them"
        )
    known = {entry.name for entry in cached if entry.name} | {item.download.name for item in visible}
    if not known:
        raise UnknownNameError(f"'{name}' is not in the cache, which is empty")
    raise UnknownNameError(f"'{name}' is not in the cache{did_you_mean(name, known)}")


def _has_fingerprint(entry: CacheEntry, name: str) -> bool:
    """Whether the name is the fingerprint of the entry, or its first digits."""
    digits = entry.stored.fingerprint if entry.stored is not None else entry.folder.name
    return len(name) >= _FEWEST_DIGITS and digits.startswith(name.lower())


def downloads(registry: Registry) -> list[OwnedDownload]:
    """Return the downloads that plugins declare; data sets that share a declaration are asked once."""
    owners: dict[str, str] = {}
    for entry in registry.all("datasets").values():
        if isinstance(entry.spec, Dataset) and entry.spec.downloads:
            owners.setdefault(entry.spec.downloads, entry.spec.name)
    return [
        OwnedDownload(owner, download)
        for reference, owner in owners.items()
        for download in _declared(owner, reference)
    ]


def _declared(owner: str, reference: str) -> list[Download]:
    list_downloads: Callable[[], Iterable[Download]] = resolve(reference)
    try:
        return list(list_downloads())
    except Exception as error:
        raise PubenchError(
            f"data set '{owner}' cannot list its downloads: {type(error).__name__}: {error}"
        ) from error


def remove_download(download: Download) -> None:
    """Remove a download; a path outside the cache is refused."""
    path = download.path.absolute()
    if not path.is_relative_to(cache_root()):
        raise PubenchError(f"{path} is not in the cache {cache_root()}; remove it yourself")
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def empty_cache(registry: Registry) -> None:
    """Remove the stored data sets and the downloads that plugins declare; other files in the cache folder stay."""
    for name in (FEATURES, TRUTH):
        shutil.rmtree(cache_root() / name, ignore_errors=True)
    for item in downloads(registry):
        remove_download(item.download)
        _remove_empty_folders(item.download.path.absolute().parent)


def _remove_empty_folders(folder: Path) -> None:
    """Remove a folder of the cache and its parents as far as they are empty."""
    while folder != cache_root() and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
