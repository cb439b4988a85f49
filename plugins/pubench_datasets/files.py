"""Files of one's own: CSV, TSV, Parquet, ARFF, SVMlight, NumPy archives and JSON lines.

Every loader takes ``path`` and reads a name that ends in ``.gz`` as gzip data. Those of tables share these
parameters:

target
    The column of the classes; default ``"target"``.
labelled
    In real PU data, the column of s: 1 = labelled positive, 0 = unlabelled. There is no target then.
split
    A column that says ``"train"`` or ``"test"``.
drop
    Columns to leave out: keys, dates, second outcomes.
categorical
    Columns to take as categories although they hold numbers, or more distinct texts than max(50, n / 10).
missing
    Texts that mean a missing cell besides the empty one (in ARFF: besides ``?``). Without it, "NA" is text.
threshold, quantile
    Make two classes of a numeric target: ``"high"`` is what lies above the threshold, ``"low"`` the rest. The
    quantile is taken over all rows of the file.

Columns of text become codes in the order of their names, missing cells NaN, true and false 1 and 0.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pubench.data import Data
from pubench.errors import DataError
from pubench_datasets.arrays import npz, svmlight
from pubench_datasets.source import check_file, identity, open_bytes, reading, refuse_if_large
from pubench_datasets.text import jsonl

if TYPE_CHECKING:
    from pubench_datasets.tables import Roles

__all__ = ["arff", "csv", "identity", "jsonl", "npz", "parquet", "svmlight", "tsv"]

Names = str | Sequence[str]

# What pandas calls an index without a name.
_ROW_NUMBER = re.compile(r"__index_level_\d+__")


def _roles(threshold: float | None, quantile: float | None, **named: Any) -> Roles:
    from pubench_datasets.tables import Roles, names_of
    from pubench_datasets.targets import Cut

    for name in ("drop", "categorical", "missing"):
        named[name] = names_of(name, named[name])
    return Roles(cut=Cut(threshold, quantile), **named)


def csv(
    path: str,
    target: str | None = None,
    *,
    labelled: str | None = None,
    split: str | None = None,
    drop: Names = (),
    categorical: Names = (),
    missing: Names = (),
    threshold: float | None = None,
    quantile: float | None = None,
    encoding: str = "utf-8",
    delimiter: str = ",",
) -> Data:
    """Load a table of text whose first line names the columns; spaces after a delimiter do not count."""
    from pubench_datasets.delimited import read_delimited
    from pubench_datasets.tables import table_data

    roles = _roles(
        threshold,
        quantile,
        target=target,
        labelled=labelled,
        split=split,
        drop=drop,
        categorical=categorical,
        missing=missing,
    )
    return table_data(read_delimited(path, roles, delimiter, encoding), roles)


def tsv(
    path: str,
    target: str | None = None,
    *,
    labelled: str | None = None,
    split: str | None = None,
    drop: Names = (),
    categorical: Names = (),
    missing: Names = (),
    threshold: float | None = None,
    quantile: float | None = None,
    encoding: str = "utf-8",
) -> Data:
    """Load a table whose cells are separated by tabs: as `csv`."""
    return csv(
        path,
        target,
        labelled=labelled,
        split=split,
        drop=drop,
        categorical=categorical,
        missing=missing,
        threshold=threshold,
        quantile=quantile,
        encoding=encoding,
        delimiter="\t",
    )


def arff(
    path: str,
    target: str | None = None,
    *,
    labelled: str | None = None,
    split: str | None = None,
    drop: Names = (),
    categorical: Names = (),
    missing: Names = (),
    threshold: float | None = None,
    quantile: float | None = None,
    encoding: str = "utf-8",
) -> Data:
    """Load an ARFF file, dense or sparse; nominal attributes are categories."""
    from pubench_datasets.arff import read_arff
    from pubench_datasets.tables import table_data

    roles = _roles(
        threshold,
        quantile,
        target=target,
        labelled=labelled,
        split=split,
        drop=drop,
        categorical=categorical,
        missing=missing,
    )
    return table_data(read_arff(path, encoding), roles)


def parquet(
    path: str,
    target: str | None = None,
    *,
    labelled: str | None = None,
    split: str | None = None,
    drop: Names = (),
    categorical: Names = (),
    missing: Names = (),
    threshold: float | None = None,
    quantile: float | None = None,
) -> Data:
    """Load a Parquet file; columns of text and dictionaries are categories."""
    from pubench_datasets.tables import Table, table_data

    roles = _roles(
        threshold,
        quantile,
        target=target,
        labelled=labelled,
        split=split,
        drop=drop,
        categorical=categorical,
        missing=missing,
    )
    return table_data(Table(_parquet_frame(path), path, lambda row: f"row {row + 1}"), roles)


def _parquet_frame(path: str) -> Any:
    try:
        reader = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise DataError(
            f"{path}: Parquet needs pyarrow; install it with: pip install 'pubench[parquet]'"
        ) from error
    check_file(path, binary=True)
    with reading(path), open_bytes(path) as file:
        try:
            found = reader.ParquetFile(file)
            refuse_if_large(path, found.metadata.num_rows * found.metadata.num_columns * 8)
            # What pandas noted of its own types and index is not needed, and may be damaged.
            frame = found.read().to_pandas(ignore_metadata=True)
        except (ValueError, OSError, NotImplementedError) as error:
            reason = str(error).partition("\n")[0][:120]
            raise DataError(f"{path} is not a Parquet file, or is damaged: {reason}; get it again") from error
    return frame[[name for name in frame.columns if not _ROW_NUMBER.fullmatch(name)]]
