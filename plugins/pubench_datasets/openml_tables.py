"""From a data file of OpenML to a data set; ARFF and Parquet give the same result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pubench.data import Data
from pubench.errors import DataError, did_you_mean
from pubench_datasets.openml_arff import Arff, open_arff
from pubench_datasets.tables import Roles, Table, table_data
from pubench_datasets.targets import Column, to_classes

if TYPE_CHECKING:
    import pandas as pd

    from pubench_datasets.openml_cache import Entry

__all__ = ["Kinds", "UnsoundError", "data_of", "parquet_frame"]

# Column -> "numeric", "string" or, for a nominal column, its declared values.
Kinds = Mapping[str, str | tuple[str, ...]]


class UnsoundError(Exception):
    """A Parquet file that does not match the server's description."""


def data_of(entry: Entry, roles: Roles) -> Data:
    """Return the data set, with the roles that the user and the server assign to its columns."""
    if entry.path.suffix == ".arff":
        opened = open_arff(entry.path, entry.title)
        roles = _complete(entry, opened.kinds, roles)
        sparse = _sparse_data(opened, roles) if opened.sparse else None
        if sparse is not None:
            return sparse
        frame = opened.frame()
    else:
        kinds: Kinds = {
            name: tuple(k) if isinstance(k, list) else k for name, k in entry.facts["kinds"].items()
        }
        roles = _complete(entry, kinds, roles)
        frame = parquet_frame(entry.path, kinds)
    return table_data(Table(frame, entry.title, lambda row: f"row {row + 1}"), roles)


def _complete(entry: Entry, kinds: Kinds, roles: Roles) -> Roles:
    """Fill in the default target, drop the columns that the server excludes, and refuse text."""
    target = roles.target if roles.target is not None else _default_target(entry, kinds)
    for use, name in (("target", target), ("split", roles.split), *(("drop", name) for name in roles.drop)):
        if name is not None and name not in kinds:
            raise DataError(f"{entry.title} has no column '{name}' ({use}){did_you_mean(name, kinds)}")
    ignored = [name for name in entry.facts["ignore"] if name in kinds and name not in (target, roles.split)]
    roles = replace(roles, target=target, drop=tuple(dict.fromkeys([*roles.drop, *ignored])))
    used = roles.named()
    texts = [name for name, kind in kinds.items() if kind == "string" and name not in used]
    if texts:
        listed = ", ".join(f"'{name}'" for name in texts)
        raise DataError(
            f"{entry.title} has columns of free text or dates, which are not numbers; exclude them with "
            f"drop = [{listed}]"
        )
    return roles


def _default_target(entry: Entry, kinds: Kinds) -> str:
    target = str(entry.facts["target"] or "")
    if target in kinds:
        return target
    known = f"; columns: {', '.join(list(kinds)[-8:])}"
    if not target:
        raise DataError(f"{entry.title} declares no target; set target{known}")
    raise DataError(f"{entry.title} declares the target '{target}', which is not a column; set target{known}")


def parquet_frame(path: Path, kinds: Kinds, rows: int | None = None) -> pd.DataFrame:
    """Read a Parquet file; raise `UnsoundError` unless columns, types, rows and checksums match the description."""
    import importlib

    import pandas as pd

    reader = importlib.import_module("pyarrow.parquet")
    try:
        with reader.ParquetFile(path, page_checksum_verification=True) as file:
            frame: pd.DataFrame = file.read().to_pandas()
    except (ValueError, OSError, NotImplementedError, KeyError) as error:
        raise UnsoundError(str(error)) from error
    if list(map(str, frame.columns)) != list(kinds):
        raise UnsoundError("columns differ from the description")
    if len(frame) == 0 or (rows is not None and len(frame) != rows):
        raise UnsoundError(f"{len(frame)} rows instead of {rows}")
    return pd.DataFrame({name: _typed(frame[name], kind) for name, kind in kinds.items()})


def _typed(
    series: pd.Series[Any],  # edge: pandas' type of cells
    kind: str | tuple[str, ...],
) -> Any:  # edge: whatever a column of a frame can be made of
    """Return a column converted to its kind: float64, categories of text, or unchanged."""
    import pandas as pd

    if kind == "string":
        return series
    if kind == "numeric":
        if not pd.api.types.is_numeric_dtype(series.dtype):
            raise UnsoundError(f"column '{series.name}' is not numeric")
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    codes, values = pd.factorize(series)
    names = [_declared(value, kind) for value in values]
    if len(set(names)) != len(names):
        raise UnsoundError(f"column '{series.name}' writes the same value in two ways")
    return pd.Categorical.from_codes(codes, categories=pd.Index(names))


def _declared(value: object, names: str | tuple[str, ...]) -> str:
    """Return the declared name of a value: 1.0 may be "1", True may be "TRUE"."""
    texts = [str(value)]
    if isinstance(value, bool | np.bool_):
        texts += [texts[0].lower(), texts[0].upper()]
    elif isinstance(value, float | np.floating) and float(value).is_integer():
        texts += [str(int(value))]
    for text in texts:
        if text in names:
            return text
    raise UnsoundError(f"{value!r} is not a declared value")


def _sparse_data(opened: Arff, roles: Roles) -> Data | None:
    """Return CSR if all features are numeric and no cell is missing; None if the dense reader has to read the file."""
    from scipy.sparse import csr_array

    names = list(opened.kinds)
    features = [place for place, name in enumerate(names) if name not in roles.named()]
    cells = opened.sparse_cells()
    numeric = all(opened.kinds[names[place]] == "numeric" for place in features)
    if cells is None or not numeric or roles.split is not None or roles.categorical or not features:
        return None
    rows, columns, texts = cells
    n = int(opened.body.count(b"{"))
    places = np.full(len(names), -1)
    places[features] = np.arange(len(features))
    written = places[columns] >= 0
    try:
        values = texts[written].astype(np.float64)
    except ValueError:
        return None
    X = csr_array((values, (rows[written], places[columns[written]])), shape=(n, len(features)))
    X.sum_duplicates()
    X.eliminate_zeros()
    answer = names.index(roles.answer)
    kind = opened.kinds[roles.answer]
    # A cell that a sparse row omits is 0, or the first of the declared values.
    target = np.full(n, kind[0] if isinstance(kind, tuple) else "0", dtype=object)
    target[rows[columns == answer]] = texts[columns == answer]
    column = Column(f"{opened.title}: column '{roles.answer}'", target, lambda row: f"row {row + 1}")
    return Data(X, to_classes(column, roles.cut), tuple(names[place] for place in features))
