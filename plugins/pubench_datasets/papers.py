"""Loaders of the papers' data sets, from files of the data root, or from OpenML if it has the same table.

The data root (``PUBENCH_DATA``, see `pubench_datasets.root`) takes precedence. If it is not set or does not list the
file, and the recipe has an OpenML id, the table comes from there: with the same rows and columns, but perhaps in
another order, so that random draws differ. `pubench_datasets.paper_recipes` defines the data sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pubench.data import Data, refuse_in_child
from pubench.errors import DataError, did_you_mean
from pubench_datasets.paper_recipes import RECIPES, Recipe
from pubench_datasets.root import catalog_entry, find

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SETS", "PaperSet", "identity", "one_hot", "paper"]

_EPOCH = datetime(1970, 1, 1)
_SECONDS_PER_DAY = 86_400


def paper(name: str, seed: int | None = None) -> Data:
    """Load a data set as a paper defines it.

    Parameters
    ----------
    name : str
        One of the names in `pubench_datasets.paper_recipes.RECIPES`.
    seed : int, optional
        Random seed of the draw, in data sets of which the paper took a sample: class by class, in the order of the
        recipe, ``numpy.random.default_rng(seed).choice`` without replacement from the rows in the order of the file.
        Default 0; the papers do not publish their draws. In other data sets it is refused, because nothing is drawn.

    Returns
    -------
    Data
        Rows in the order of the file. ``target`` contains the names of the classes as text; dates among the features
        are days since 1970.
    """
    refuse_in_child()
    recipe = _recipe(name)
    _check_seed(name, recipe, seed)
    data = _selected(name, recipe, _loaded(recipe))
    chosen = _drawn(name, recipe, data.target, np.random.default_rng(seed or 0))
    return _latent(_with_numbers(_rows(data, chosen)), recipe.latent)


@dataclass(frozen=True, slots=True)
class PaperSet:
    """A data set of a paper; its loader has no parameter for the name, so that a suite cannot load another one."""

    name: str

    def load(self, seed: int | None = None) -> Data:
        """Load it; see `paper`."""
        return paper(self.name, seed)

    def identity(self, **_: object) -> dict[str, Any]:
        """Return the identity of its table; see `identity`."""
        return identity(self.name)


SETS = SimpleNamespace(**{name.replace("-", "_"): PaperSet(name) for name in RECIPES})


def identity(name: str) -> dict[str, Any]:
    """Return the identity of the table without reading it: its checksum in the catalog, or OpenML's server and id."""
    try:
        recipe = _recipe(name)
        entry = catalog_entry(recipe.file)
    except DataError as error:
        # The loader raises the same error, which is then reported as the reason.
        return {"problem": str(error)}
    if entry is not None:
        return {"sha256": entry.sha256}
    if recipe.openml is None:
        return {"problem": "no data root"}
    from pubench_datasets.openml_source import identity as openml_identity

    return openml_identity(id=recipe.openml)


def _recipe(name: str) -> Recipe:
    if name not in RECIPES:
        raise DataError(f"name = {name!r} is not a data set of a paper{did_you_mean(str(name), RECIPES)}")
    return RECIPES[name]


def _check_seed(name: str, recipe: Recipe, seed: Any) -> None:
    if seed is None:
        return
    if not recipe.draws:
        raise DataError(f"seed = {seed!r}: no rows of '{name}' are drawn at random; remove seed")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise DataError(f"seed = {seed!r} is not a whole number of at least 0; correct it")


def _loaded(recipe: Recipe) -> Data:
    """Return the whole table, from the data root or from OpenML."""
    if recipe.openml is not None and catalog_entry(recipe.file) is None:
        return _from_openml(recipe)
    return _read(find(recipe.file), recipe.read)


def _read(path: Path, options: Mapping[str, Any]) -> Data:
    from pubench_datasets.files import csv, jsonl, npz

    for ending, reader in ((".npz", npz), (".jsonl", jsonl), (".csv", csv)):
        if path.name.removesuffix(".gz").endswith(ending):
            return reader(str(path), **options)
    raise DataError(f"{path} is not .csv, .jsonl or .npz; correct the catalog of the data root")


def _from_openml(recipe: Recipe) -> Data:
    from pubench_datasets.openml_source import openml

    options = recipe.read if recipe.openml_read is None else recipe.openml_read
    try:
        data = openml(id=recipe.openml, **options)
    except DataError as error:
        raise DataError(f"{error}; or set PUBENCH_DATA to a folder with '{recipe.file}'") from error
    if recipe.one_hot:
        return one_hot(data, recipe.one_hot)
    return replace(data, X=data.X.astype(np.uint8)) if recipe.pixels else data


def one_hot(data: Data, letters: Sequence[str]) -> Data:
    """Return a column of 0 and 1 for each category, features and categories in the order of the recipe."""
    X: Any = data.X
    parts, names = [], []
    for column, name in enumerate(data.feature_names):
        known = data.categorical.get(column, ())
        if column >= len(letters) or not set(letters[column]) <= set(known):
            raise DataError(
                f"feature '{name}' has other categories than the paper's: {', '.join(known)}; get the table again"
            )
        parts += [X[:, column] == known.index(letter) for letter in letters[column]]
        names += [f"{name}={letter}" for letter in letters[column]]
    return replace(
        data, X=np.column_stack(parts).astype(np.float64), feature_names=tuple(names), categorical={}
    )


def _selected(name: str, recipe: Recipe, data: Data) -> Data:
    """Return the rows that a recipe selects by position, with the paper's names of classes."""
    if recipe.features not in (0, data.X.shape[1]):
        raise DataError(
            f"the table of '{name}' has {data.X.shape[1]} features, but the paper's has {recipe.features}; "
            f"get file '{recipe.file}' of the data root again"
        )
    target = np.asarray([recipe.names.get(text, text) for text in data.target.astype(str).tolist()])
    split = data.split
    if recipe.train and split is None:
        split = np.where(np.arange(len(target)) < recipe.train, "train", "test")
    place = np.arange(len(target))[recipe.start : recipe.stop]
    if recipe.part and split is not None:
        place, split = place[split[place] == recipe.part], None
    if recipe.complete:
        X: Any = data.X
        place = place[~np.isnan(X[place]).any(axis=1)]
    return _rows(replace(data, target=target, split=split, image_shape=recipe.image), place)


def _rows(data: Data, place: NDArray[np.int64]) -> Data:
    if place.size == len(data.target):
        return data
    split = None if data.split is None else data.split[place]
    return replace(data, X=data.X[place], target=data.target[place], split=split)


def _drawn(name: str, recipe: Recipe, target: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the rows to keep, in ascending order."""
    if not recipe.draw:
        return np.arange(len(target))
    parts = []
    for label, count in recipe.draw.items():
        place = np.flatnonzero(target == label)
        if place.size < max(count, 1):
            raise DataError(
                f"the table of '{name}' has {place.size} rows of class '{label}', but the paper takes "
                f"{count or 'all'}; get file '{recipe.file}' of the data root again"
            )
        parts.append(rng.choice(place, size=count, replace=False) if count else place)
    return np.sort(np.concatenate(parts))


def _latent(data: Data, size: int) -> Data:
    """Return term counts as dense features, if the recipe says so."""
    if not size or data.split is None:
        return data
    from pubench_datasets.latent import latent_features

    names = tuple(f"direction {i}" for i in range(1, size + 1))
    return replace(data, X=latent_features(data.X, data.split == "train", size), feature_names=names)


def _with_numbers(data: Data) -> Data:
    """Return the data with categories that are numbers or dates converted to numbers."""
    if not data.categorical:
        return data
    X: Any = data.X.copy()
    for column, categories in data.categorical.items():
        try:
            values = np.asarray([_number(text) for text in categories])
        except ValueError as error:
            raise DataError(
                f"column '{data.feature_names[column]}' contains neither numbers nor dates: {error}; get the file again"
            ) from error
        X[:, column] = values[X[:, column].astype(np.int64)]
    return replace(data, X=X, categorical={})


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return (datetime.fromisoformat(text) - _EPOCH).total_seconds() / _SECONDS_PER_DAY
