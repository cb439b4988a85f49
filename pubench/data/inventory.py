"""What the cache holds: stored data sets and what plugins have downloaded; finding, checking and removing it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pubench.data.cache import Download, cache_root
from pubench.data.loading import read_stored
from pubench.data.stored import StoredDataset, has_categories, is_intact
from pubench.data.truth import truth_path
from pubench.errors import PubenchError, UnknownNameError, did_you_mean
from pubench.plugins.imports import resolve
from pubench.plugins.registry import Registry
from pubench.specs import Dataset

__all__ = [
    "CacheEntry",
    "CachedDataset",
    "cached_datasets",
    "downloads",
    "empty_cache",
    "entries",
    "find_held",
    "remove_download",
]


_FEWEST_DIGITS = 6
_ASKED_LETTERS = 200


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """A folder of the cache that holds, or should hold, a stored data set.

    ``stored`` is None where a file is missing, unreadable or of another size than it was written with; ``name`` and
    ``params`` are what was asked for, empty where even that cannot be read.
    """

    folder: Path
    name: str
    params: Mapping[str, Any]
    stored: StoredDataset | None

    @property
    def title(self) -> str:
        """How messages call it."""
        digits = self.stored.fingerprint if self.stored is not None else self.folder.name
        return f"{self.asked}  {digits[:12]}"

    @property
    def asked(self) -> str:
        """What the user asked for: the data set's name and its arguments."""
        texts = [f"{key}={v if isinstance(v, str) else json.dumps(v)}" for key, v in self.params.items()]
        return " ".join([self.name or "(unreadable)", ", ".join(texts)]).strip()[:_ASKED_LETTERS]

    def is_sound(self) -> bool:
        """Read everything and tell whether it is still what was saved."""
        return self.stored is not None and is_intact(self.stored) and has_categories(self.stored)

    def size(self) -> int:
        """Return the bytes on the disk."""
        return sum(path.stat().st_size for path in self._files() if path.is_file())

    def forget(self) -> None:
        """Remove the data set from the cache."""
        for path in self._files():
            path.unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _files(self) -> list[Path]:
        truth = truth_path(self.folder)
        return [*self.folder.glob("*"), *truth.parent.glob(f"{truth.stem}*.npy")]


def entries() -> list[CacheEntry]:
    """Return all that the cache holds of stored data sets, damaged ones too, sorted by name."""
    folders = (cache_root() / "prepared").glob("[0-9a-f]*")
    found = [CacheEntry(folder, *_asked(folder), read_stored(folder)) for folder in folders]
    return sorted(found, key=lambda entry: (entry.name, entry.folder.name))


def _asked(folder: Path) -> tuple[str, Mapping[str, Any]]:
    try:
        fields = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        return str(fields["name"]), dict(fields.get("params", {}))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "", {}


@dataclass(frozen=True, slots=True)
class CachedDataset:
    """The same rows, once for all the ways in which they were asked for."""

    entries: tuple[CacheEntry, ...]
    stored: StoredDataset

    @property
    def asked(self) -> tuple[str, ...]:
        """Every way in which they were asked for."""
        return tuple(dict.fromkeys(entry.asked for entry in self.entries))

    @property
    def size(self) -> int:
        """The bytes of all copies."""
        return sum(entry.size() for entry in self.entries)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-able values."""
        return {
            "name": self.stored.name,
            "params": dict(self.stored.params),
            "asked": list(self.asked),
            "rows": self.stored.n_rows,
            "features": self.stored.n_features,
            "bytes": self.size,
            "copies": len(self.entries),
            "fingerprint": self.stored.fingerprint,
        }


def cached_datasets() -> list[CachedDataset]:
    """Return the whole data sets that the cache holds, each fingerprint once, sorted by name."""
    groups: dict[str, list[CacheEntry]] = {}
    first: dict[str, StoredDataset] = {}
    for entry in entries():
        if entry.stored is not None:
            first.setdefault(entry.stored.fingerprint, entry.stored)
            groups.setdefault(entry.stored.fingerprint, []).append(entry)
    return [CachedDataset(tuple(groups[key]), stored) for key, stored in first.items()]


def find_held(
    name: str, fetched: Iterable[tuple[str, Download]], *, with_downloads: bool
) -> tuple[list[CacheEntry], list[Download]]:
    """Return what a name stands for: a data set, a fingerprint or how it begins, a download; an error if nothing."""
    fetched, held = list(fetched), entries()
    chosen = [entry for entry in held if entry.name == name or _begins(entry, name)]
    own = [one for owner, one in fetched if one.name == name or (with_downloads and owner == name)]
    if not chosen and not own:
        if any(owner == name for owner, _ in fetched):
            raise UnknownNameError(
                f"the cache holds only downloads of '{name}'; add --downloads to remove them"
            )
        known = {entry.name for entry in held if entry.name} | {one.name for _, one in fetched}
        if not known:
            raise UnknownNameError(f"'{name}' is not in the cache: it is empty")
        raise UnknownNameError(f"'{name}' is not in the cache{did_you_mean(name, known)}")
    return chosen, own


def _begins(entry: CacheEntry, name: str) -> bool:
    """Whether the name is a fingerprint or how one begins."""
    digits = entry.stored.fingerprint if entry.stored is not None else entry.folder.name
    return len(name) >= _FEWEST_DIGITS and digits.startswith(name.lower())


def downloads(registry: Registry) -> list[tuple[str, Download]]:
    """Return what the plugins of data sets keep in the cache, each with the name of the data set."""
    specs = [entry.spec for entry in registry.all("datasets").values()]
    asked = {spec.name: spec.downloads for spec in specs if isinstance(spec, Dataset) and spec.downloads}
    return [(name, download) for name, reference in asked.items() for download in _listed(name, reference)]


def _listed(name: str, reference: str) -> list[Download]:
    listing: Callable[[], Any] = resolve(reference)
    try:
        return list(listing())
    except Exception as error:
        raise PubenchError(
            f"data set '{name}' cannot list its downloads: {type(error).__name__}: {error}"
        ) from error


def remove_download(download: Download) -> None:
    """Remove a download; what a plugin claims outside the cache is left alone."""
    path = download.path.absolute()
    if not path.is_relative_to(cache_root()):
        raise PubenchError(f"{path} is not in the cache {cache_root()}; remove it yourself")
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def empty_cache() -> None:
    """Remove everything that pubench keeps in its cache folder, and nothing else."""
    (cache_root() / "checked.json").unlink(missing_ok=True)
    for name in ("prepared", "truth", "openml"):
        shutil.rmtree(cache_root() / name, ignore_errors=True)
