"""Presence-only records of species, with surveyed presence and absence as truth: the data of the R package disdat.

``PUBENCH_DATA`` names a folder that holds ``disdat/``: for each region R the files ``R_train_po``, ``R_train_bg`` and
``R_test``, as ``.csv.gz``. ``docs/species.md`` says how to make them. Nothing is bundled.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pubench import GivenLabels
from pubench.data import Data, refuse_in_child
from pubench.errors import DataError, did_you_mean
from pubench_datasets.arguments import whole
from pubench_datasets.root import data_root

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

__all__ = ["REGIONS", "disdat", "identity", "regions"]

REGIONS = ("AWT", "CAN", "NSW", "NZ", "SA", "SWI")
UNLABELLED = ("background", "target-group")
_CATEGORIES = ("ontveg", "vegsys", "toxicats", "calc")
_NO_FEATURES = frozenset(("siteid", "spid", "x", "y", "occ", "group"))
_PARTS = {"train_po": ("spid", "group", "x", "y"), "train_bg": ("x", "y"), "test": ("x", "y")}
"""A region's files, and the columns that each has beside features."""
_SEED = 20200612
_REMEDY = "docs/species.md says how to make it from the R package disdat"


def regions(region: str = "", **params: Any) -> dict[str, dict[str, Any]]:
    """Return the parameters of each region, or of the one that an entry names."""
    if region:
        return {"": {"region": region, **params}}
    return {name: {"region": name, **params} for name in REGIONS}


def identity(region: str = "", **_: Any) -> list[tuple[str, int]]:
    """Return the sizes of a region's files."""
    return [(path.name, path.stat().st_size) for path in _files(region)]


def disdat(
    region: str,
    *,
    unlabelled: str = "background",
    points: int = 10_000,
    least_records: int = 5,
    species: Sequence[str] = (),
) -> Data:
    """Load a region: its rows once, and a learning problem for each species.

    Parameters
    ----------
    region : str
        One of :data:`REGIONS`.
    unlabelled : str
        What U is: ``"background"``, random points of the region, or ``"target-group"``, the distinct sites of all
        records of the species' group, which share the recorders' habits (Phillips et al., 2009).
    points : int
        How many background points, or sites of each group, to use at most, drawn at random. There are 10,000 background
        points, and up to 11,429 sites of a group.
    least_records : int
        Species with fewer records are left out; nsw30 has two.
    species : sequence of str
        The species to keep; default: all.

    Returns
    -------
    Data
        ``given`` holds, by species, its records as P, U, and surveyed presence and absence as test rows. Coordinates
        are not features; folds of spatial blocks use them.
    """
    refuse_in_child()
    if unlabelled not in UNLABELLED:
        raise DataError(f"unlabelled = {unlabelled!r} is unknown{did_you_mean(str(unlabelled), UNLABELLED)}")
    whole("points", points, 1, 10**9)
    whole("least_records", least_records, 1, 10**9)
    if isinstance(species, str) or not isinstance(species, Sequence):
        raise DataError(f"species = {species!r} is no list of names such as ['nz01', 'nz02']")
    import pandas as pd

    (records, background, survey), columns = _tables(region)
    rng = np.random.default_rng(_SEED)
    if unlabelled == "background":
        pool = _drawn(background, points, rng)
    else:
        sites = records.drop_duplicates(["group", "x", "y"])
        groups = (part for _, part in sites.groupby("group", sort=True))
        pool = pd.concat([_drawn(part, points, rng) for part in groups])
    X, categorical = _encoded([records, pool, survey], columns)
    chosen = _chosen(region, records, survey, least_records, species)
    given = {name: _labels(name, records, pool, survey, unlabelled) for name in chosen}
    s = np.repeat(np.array([1, 0, 0], dtype=np.uint8), [len(records), len(pool), len(survey)])
    places = np.concatenate([part[["x", "y"]].to_numpy(dtype=np.float64) for part in (records, pool, survey)])
    return Data(X, s, tuple(columns), categorical, pu=True, given=given, coordinates=places)


def _drawn(rows: pd.DataFrame, most: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return rows drawn at random, at most so many, in their order."""
    return rows.iloc[np.sort(rng.permutation(len(rows))[:most])]


def _chosen(
    region: str, records: pd.DataFrame, survey: pd.DataFrame, least_records: int, species: Sequence[str]
) -> list[str]:
    """Return the species with enough records, in the order of the survey's columns."""
    counts = records["spid"].value_counts()
    known = [name for name in survey.columns if counts.get(name, 0) >= least_records]
    for name in species:
        if name not in known:
            raise DataError(f"region {region} has no species '{name}'{did_you_mean(name, known)}")
    if not known:
        raise DataError(f"region {region} has no surveyed species with least_records = {least_records}")
    chosen = [name for name in known if not species or name in species]
    for name in chosen:
        if not survey[name].dropna().isin((0, 1)).all():
            raise DataError(
                f"region {region}: column '{name}' of the survey has values other than 1, 0 and blank"
            )
    return chosen


def _labels(
    name: str, records: pd.DataFrame, pool: pd.DataFrame, survey: pd.DataFrame, unlabelled: str
) -> GivenLabels:
    own = (records["spid"] == name).to_numpy()
    in_pool = np.ones(len(pool), dtype=bool)
    if unlabelled == "target-group":
        in_pool = (pool["group"] == records["group"][own].iloc[0]).to_numpy()
    nothing = np.full(len(survey), -1)
    s = np.concatenate([np.where(own, 1, -1), np.where(in_pool, 0, -1), nothing])
    surveyed = survey[name].fillna(-1).to_numpy().astype(np.int64)
    y_test = np.concatenate([np.full(len(records) + len(pool), -1), surveyed])
    return GivenLabels(s, y_test)


def _encoded(
    frames: Sequence[pd.DataFrame], columns: Sequence[str]
) -> tuple[NDArray[np.float64], Mapping[int, tuple[str, ...]]]:
    """Return the rows of all tables as numbers; categories, as far as any table has them, become codes."""
    X = np.concatenate([frame[list(columns)].to_numpy(dtype=np.float64) for frame in frames])
    categorical: dict[int, tuple[str, ...]] = {}
    for place, name in enumerate(columns):
        if name in _CATEGORIES:
            levels, X[:, place] = np.unique(X[:, place], return_inverse=True)
            categorical[place] = tuple(f"{level:g}" for level in levels)
    return X, categorical


def _tables(region: str) -> tuple[list[pd.DataFrame], list[str]]:
    """Return records, background and survey of a region, and the names of the features."""
    import pandas as pd
    from pandas.api.types import is_numeric_dtype

    tables: list[pd.DataFrame] = []
    for path, columns in zip(_files(region), _PARTS.values(), strict=True):
        try:
            table = pd.read_csv(path)
        except (OSError, EOFError, ValueError, zlib.error) as error:
            raise DataError(f"{path} cannot be read ({error}); {_REMEDY}") from error
        if table.empty:
            raise DataError(f"{path} has no rows; {_REMEDY}")
        tables.append(table)
        features = [name for name in tables[0].columns if name not in _NO_FEATURES]
        for name in (*columns, *features):
            if name not in table.columns:
                raise DataError(f"{path} has no column '{name}'; {_REMEDY}")
        for name in features:
            if not is_numeric_dtype(table[name]):
                raise DataError(f"{path}: column '{name}' holds text; features are numbers")
    return tables, features


def _files(region: str) -> list[Path]:
    if not region:
        raise DataError("no region is named; choose one, for example region = 'NZ'")
    if region not in REGIONS:
        raise DataError(f"region = {region!r} is unknown{did_you_mean(str(region), REGIONS)}")
    root = data_root()
    if root is None:
        raise DataError(
            "PUBENCH_DATA is not set; it names the folder that holds disdat/; see docs/species.md"
        )
    found = [root / "disdat" / f"{region}_{part}.csv.gz" for part in _PARTS]
    for path in found:
        if not path.is_file():
            raise DataError(f"{path} is missing; {_REMEDY}")
    return found
