"""Loaders of the user's own files: CSV, TSV, Parquet, ARFF, SVMlight, NumPy archives and JSON lines.

Every loader takes ``path`` and reads a file whose name ends in ``.gz`` as gzip data. The loaders of tables share these
parameters:

target
    The column of the classes; default ``"target"``.
labelled
    In real PU data, the column of s: 1 = labelled positive, 0 = unlabelled. It excludes ``target``.
audited
    In real PU data, the column of the true classes that a person has checked: 1, 0, or blank. These rows are the test
    rows and are not trained on.
split
    A column of ``"train"`` and ``"test"``.
drop
    Columns to exclude: keys, dates, other outcomes.
categorical
    Columns to treat as categories although they contain numbers, or more distinct texts than max(50, n / 10).
missing
    Texts that stand for a missing cell besides the empty one (in ARFF: besides ``?``). By default, "NA" is text.
threshold, quantile
    Convert a numeric target to two classes: ``"high"`` above the threshold, ``"low"`` up to and including it. The
    quantile is computed over all rows of the file.

Columns of text become codes in the order of their names, missing cells NaN, true and false 1 and 0.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any

from pubench.data import Data, refuse_in_child
from pubench.errors import DataError
from pubench_datasets.arrays import npz, svmlight
from pubench_datasets.source import check_file, identity, open_bytes, reading, refuse_if_large
from pubench_datasets.text import jsonl

if TYPE_CHECKING:
    from pubench_datasets.tables import Roles, Table

__all__ = ["arff", "csv", "identity", "jsonl", "npz", "parquet", "svmlight", "tsv"]

Names = str | Sequence[str]

# The name that pandas gives to an index without a name.
_ROW_NUMBER = re.compile(r"__index_level_\d+__")


def _of_table(read: Callable[..., Table]) -> Callable[..., Data]:
    """Return the loader of a type of table, with the parameters of all tables and those of its reader.

    Its signature lists both, so that a misspelt parameter can be detected.
    """

    @wraps(read)
    def load(
        path: str,
        target: str | None = None,
        *,
        labelled: str | None = None,
        audited: str | None = None,
        split: str | None = None,
        drop: Names = (),
        categorical: Names = (),
        missing: Names = (),
        threshold: float | None = None,
        quantile: float | None = None,
        **own: Any,
    ) -> Data:
        from pubench_datasets.tables import Roles, names_of, table_data
        from pubench_datasets.targets import Cut

        refuse_in_child()
        roles = Roles(
            target=target,
            labelled=labelled,
            audited=audited,
            split=split,
            drop=names_of("drop", drop),
            categorical=names_of("categorical", categorical),
            missing=names_of("missing", missing),
            cut=Cut(threshold, quantile),
        )
        return table_data(read(path, roles, **own), roles)

    shared = inspect.signature(load, follow_wrapped=False)
    *common, _ = shared.parameters.values()
    own = [p for p in inspect.signature(read).parameters.values() if p.kind is p.KEYWORD_ONLY]
    load.__signature__ = shared.replace(parameters=[*common, *own])  # type: ignore[attr-defined]
    return load


@_of_table
def csv(path: str, roles: Roles, *, encoding: str = "utf-8", delimiter: str = ",") -> Table:
    """Load a text table whose first line names the columns; spaces after a delimiter are ignored."""
    from pubench_datasets.delimited import Dialect, read_delimited

    return read_delimited(Dialect(path, delimiter, encoding), roles)


@_of_table
def tsv(path: str, roles: Roles, *, encoding: str = "utf-8") -> Table:
    """Load a table whose cells are separated by tabs, like `csv`."""
    from pubench_datasets.delimited import Dialect, read_delimited

    return read_delimited(Dialect(path, "\t", encoding, fixed=True), roles)


@_of_table
def arff(path: str, roles: Roles, *, encoding: str = "utf-8") -> Table:
    """Load an ARFF file, dense or sparse; nominal attributes are categories."""
    from pubench_datasets.arff import read_arff

    return read_arff(path, encoding)


@_of_table
def parquet(path: str, roles: Roles) -> Table:
    """Load a Parquet file; columns of text and dictionaries are categories, and the pandas index is not a feature."""
    from pubench_datasets.tables import Table, refuse_duplicates

    try:
        reader = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise DataError(
            f"{path}: Parquet needs pyarrow; install it with: pip install 'pubench[parquet]'"
        ) from error
    check_file(path, binary=True)
    with reading(path), open_bytes(path) as file:
        try:
            opened = reader.ParquetFile(file)
            refuse_if_large(path, opened.metadata.num_rows * opened.metadata.num_columns * 8)
            refuse_duplicates(path, opened.schema_arrow.names)
            # The metadata of pandas are not needed, and may be damaged.
            frame = opened.read().replace_schema_metadata().to_pandas()
        except (ValueError, OSError, NotImplementedError) as error:
            reason = str(error).partition("\n")[0][:120]
            raise DataError(
                f"{path} is not a Parquet file, or is damaged: {reason}; get a new copy"
            ) from error
    used = {*roles.named(), *roles.categorical}
    index = [name for name in _index_of(opened.schema_arrow) if name not in used]
    return Table(frame.drop(columns=index), path, lambda row: f"row {row + 1}")


def _index_of(schema: Any) -> list[str]:
    """Return the columns that were the index of a pandas table, as its metadata say."""
    recorded: object = None
    with suppress(ValueError, LookupError, TypeError):
        recorded = json.loads(schema.metadata[b"pandas"])["index_columns"]
    named = recorded if isinstance(recorded, list) else []
    return [name for name in schema.names if name in named or _ROW_NUMBER.fullmatch(name)]
