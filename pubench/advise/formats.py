"""Readers of tables that are not delimited text: Parquet, ARFF, JSON lines, NumPy archives and SVMlight."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec
import numpy as np

from pubench.advise.memory import refuse_if_large
from pubench.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    from pyarrow.parquet import ParquetFile

__all__ = ["parquet_chunks", "read_arff", "read_json_lines", "read_npz", "read_parquet", "read_svmlight"]


def read_parquet(path: Path) -> pd.DataFrame:
    """Read a Parquet file."""
    with _parquet(path) as file:
        refuse_if_large(str(path), 8 * file.metadata.num_rows * file.metadata.num_columns)
        frame: pd.DataFrame = file.read().to_pandas()
        return frame


def parquet_chunks(path: Path, rows: int) -> Iterator[pd.DataFrame]:
    """Yield the rows of a Parquet file in parts of at most ``rows`` rows."""
    with _parquet(path) as file:
        for batch in file.iter_batches(batch_size=rows):
            yield batch.to_pandas()


@contextmanager
def _parquet(path: Path) -> Iterator[ParquetFile]:
    """Open a Parquet file; what goes wrong while it is read becomes one sentence."""
    if path.name.lower().endswith(".gz"):
        raise DataError(f"{path}: Parquet files are compressed inside; unpack it with gunzip")
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise DataError(
            f"{path}: Parquet needs pyarrow; install pubench[parquet], or save the table as CSV"
        ) from error
    try:
        with pq.ParquetFile(path) as file:
            yield file
    except pa.ArrowException as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise DataError(f"{path} is not a Parquet file, or is damaged ({reason}); get a new copy") from error


def read_arff(path: Path) -> pd.DataFrame:
    """Read an ARFF file; ``?`` is a missing cell."""
    import arff
    import pandas as pd

    with _open_text(path) as file:
        try:
            found = arff.load(file)
        except arff.ArffException as error:
            raise DataError(f"{path} is not an ARFF file: {error}; correct it, or save it as CSV") from error
    return pd.DataFrame(found["data"], columns=[name for name, _ in found["attributes"]])


def read_json_lines(path: Path) -> pd.DataFrame:
    """Read a file with one JSON object in each line."""
    import pandas as pd

    refuse_if_large(str(path), path.stat().st_size)
    with gzip.open(path) if path.name.lower().endswith(".gz") else open(path, "rb") as file:
        content = file.read()
    try:
        records = msgspec.json.Decoder(dict[str, object]).decode_lines(content)
    except msgspec.DecodeError as error:
        raise DataError(f"{path} does not hold one JSON object in each line ({error}); correct it") from error
    return pd.DataFrame(records)


def read_npz(path: Path) -> pd.DataFrame:
    """Read a NumPy archive: an array of shape (n,) is a column; one of shape (n, d) gives "data 1", "data 2", ..."""
    import pandas as pd

    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (ValueError, zipfile.BadZipFile) as error:
        raise DataError(
            f"{path} is not an archive of plain arrays ({error}); save numbers and text"
        ) from error
    if len({len(array) for array in arrays.values() if array.ndim}) != 1:
        raise DataError(f"{path}: its arrays differ in length; each must have one entry for each row")
    columns: dict[str, object] = {}
    for name, array in arrays.items():
        if array.ndim == 1:
            columns[name] = array
        elif array.ndim > 1:
            flat = array.reshape(len(array), -1)
            columns |= {f"{name} {place}": flat[:, place - 1] for place in range(1, flat.shape[1] + 1)}
    return pd.DataFrame(columns)


def read_svmlight(path: Path) -> pd.DataFrame:
    """Read an SVMlight file: the first number of a line is the column "label", then come "column 1", "column 2", ..."""
    import pandas as pd
    from sklearn.datasets import load_svmlight_file

    try:
        X, label = load_svmlight_file(str(path))
    except ValueError as error:
        raise DataError(f"{path} is not an SVMlight file ({error}); correct it") from error
    refuse_if_large(f"{path}, as a dense table,", 8 * X.shape[0] * X.shape[1])
    frame = pd.DataFrame(X.toarray(), columns=[f"column {place}" for place in range(1, X.shape[1] + 1)])
    frame.insert(0, "label", label)
    return frame


def _open_text(path: Path) -> IO[str]:
    if path.name.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return open(path, encoding="utf-8-sig")
