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
    Make two classes of a numeric target: ``"high"`` is what lies above the threshold, ``"low"`` the rest, a value
    equal to the threshold included. The quantile is taken over all rows of the file.

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

from pubench.data import Data
from pubench.errors import DataError
from pubench_datasets.arrays import npz, svmlight
from pubench_datasets.source import check_file, identity, open_bytes, reading, refuse_if_large
from pubench_datasets.text import jsonl

if TYPE_CHECKING:
    from pubench_datasets.tables import Roles, Table

__all__ = ["arff", "csv", "identity", "jsonl", "npz", "parquet", "svmlight", "tsv"]

Names = str | Sequence[str]

# What pandas calls an index without a name.
_ROW_NUMBER = re.compile(r"__index_level_\d+__")


def _of_table(read: Callable[..., Table]) -> Callable[..., Data]:
    """Return the loader of a kind of table: it takes the parameters of all tables, and those of its reader.

    Its signature lists both, so that whoever looks there finds out which parameter is misspelt.
    """

    @wraps(read)
    def load(
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
        **own: Any,
    ) -> Data:
        from pubench_datasets.tables import Roles, names_of, table_data
        from pubench_datasets.targets import Cut

        roles = Roles(
            target=target,
            labelled=labelled,
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
    """Load a table of text whose first line names the columns; spaces after a delimiter do not count."""
    from pubench_datasets.delimited import Dialect, read_delimited

    return read_delimited(Dialect(path, delimiter, encoding), roles)


@_of_table
def tsv(path: str, roles: Roles, *, encoding: str = "utf-8") -> Table:
    """Load a table whose cells are separated by tabs: as `csv`."""
    from pubench_datasets.delimited import Dialect, read_delimited

    return read_delimited(Dialect(path, "\t", encoding, fixed=True), roles)


@_of_table
def arff(path: str, roles: Roles, *, encoding: str = "utf-8") -> Table:
    """Load an ARFF file, dense or sparse; nominal attributes are categories."""
    from pubench_datasets.arff import read_arff

    return read_arff(path, encoding)


@_of_table
def parquet(path: str, roles: Roles) -> Table:
    """Load a Parquet file; columns of text and dictionaries are categories, an index of pandas is no feature."""
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
            found = reader.ParquetFile(file)
            refuse_if_large(path, found.metadata.num_rows * found.metadata.num_columns * 8)
            refuse_duplicates(path, found.schema_arrow.names)
            # What pandas noted of its own types is not needed, and may be damaged: it is left out.
            frame = found.read().replace_schema_metadata().to_pandas()
        except (ValueError, OSError, NotImplementedError) as error:
            reason = str(error).partition("\n")[0][:120]
            raise DataError(f"{path} is not a Parquet file, or is damaged: {reason}; get it again") from error
    used = {*roles.named(), *roles.categorical}
    index = [name for name in _index_of(found.schema_arrow) if name not in used]
    return Table(frame.drop(columns=index), path, lambda row: f"row {row + 1}")


def _index_of(schema: Any) -> list[str]:
    """Return the columns that were the index of a table of pandas, which notes them in the file."""
    noted: Any = None
    with suppress(ValueError, LookupError, TypeError):
        noted = json.loads(schema.metadata[b"pandas"])["index_columns"]
    named = noted if isinstance(noted, list) else []
    return [name for name in schema.names if name in named or _ROW_NUMBER.fullmatch(name)]
