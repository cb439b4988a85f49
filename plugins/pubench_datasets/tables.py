"""From a table to a data set: features, target, labels and split, for the loaders of all table formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pubench.data import Data
from pubench.errors import DataError, did_you_mean
from pubench_datasets.audited import check_audited, to_given
from pubench_datasets.columns import encode, plain
from pubench_datasets.source import refuse_if_large
from pubench_datasets.targets import (
    Column,
    Cut,
    check_answer,
    check_name,
    to_classes,
    to_labels,
    to_split,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Roles", "Table", "check_roles", "names_of", "refuse_duplicates", "table_data"]


@dataclass(frozen=True, slots=True)
class Roles:
    """The roles of columns that are not features, and how to read the features.

    Attributes
    ----------
    target : str or None
        The column of the classes; None means ``"target"``, or no column if ``labelled`` is set.
    labelled : str or None
        The column of s (1 / 0) in real PU data, whose true classes are unknown.
    audited : str or None
        The column of the true classes that a person has checked in real PU data: 1, 0, or blank.
    """

    target: str | None = None
    labelled: str | None = None
    audited: str | None = None
    split: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    cut: Cut = field(default_factory=Cut)

    def __post_init__(self) -> None:
        check_answer(self.target, self.labelled, self.cut)
        check_name("split", self.split)
        check_audited(self.audited, self.labelled, self.split)

    @property
    def answer(self) -> str:
        """The column that becomes ``Data.target``."""
        return self.labelled if self.labelled is not None else self.target or "target"

    def named(self) -> dict[str, str]:
        """Return the columns that are not features, each with the parameter that names it."""
        uses = [("labelled" if self.labelled is not None else "target", self.answer)]
        uses += [("audited", self.audited)] if self.audited is not None else []
        uses += [("split", self.split)] if self.split is not None else []
        uses += [("drop", name) for name in self.drop]
        for name, count in Counter(name for _, name in uses).items():
            if count > 1:
                both = " and ".join(use for use, other in uses if other == name)
                raise DataError(f"column '{name}' is used twice, as {both}; use it once")
        return {name: use for use, name in uses}


@dataclass(frozen=True, slots=True)
class Table:
    """A table, its file, the location of each row for messages, and whether the file is text."""

    frame: pd.DataFrame
    path: str
    at: Callable[[int], str]
    text: bool = False


def names_of(parameter: str, value: str | Sequence[str]) -> tuple[str, ...]:
    """Return a tuple of names; a single name is allowed."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise DataError(f"{parameter} = {value!r} must be a list of texts; write {parameter} = ['...']")
    return tuple(value)


def refuse_duplicates(path: str, columns: Sequence[str]) -> None:
    """Refuse a header with duplicate names."""
    for name, count in Counter(columns).items():
        if count > 1:
            places = [str(place) for place, other in enumerate(columns, 1) if other == name]
            raise DataError(
                f"{path}: {count} columns are named '{name}' (columns {', '.join(places)}); rename all but one"
            )


def check_roles(path: str, columns: Sequence[str], roles: Roles) -> list[str]:
    """Return the feature columns; raise DataError if a name is wrong."""
    named = roles.named()
    uses = {**named, **dict.fromkeys(roles.categorical, "categorical")}
    for name, use in uses.items():
        if name not in columns:
            if name == "target" and roles.target is None:
                raise DataError(
                    f"{path} has no column 'target'; set target to the column of the classes, or labelled to the one "
                    "that marks labelled positives"
                )
            raise DataError(f"{path} has no column '{name}' ({use}){did_you_mean(name, columns)}")
        if name in named and name in roles.categorical:
            raise DataError(
                f"{path}: column '{name}' is used twice, as {named[name]} and categorical; use it once"
            )
    features = [name for name in columns if name not in named]
    if not features:
        raise DataError(
            f"{path} has no features: its only columns are {', '.join(named)}; add a feature column"
        )
    return features


def table_data(table: Table, roles: Roles) -> Data:
    """Return the data set of a table: features as float64, text as codes, rows in the order of the file."""
    frame, path = table.frame, table.path
    names = [str(name) for name in frame.columns]
    refuse_duplicates(path, names)
    frame.columns = names
    features = check_roles(path, names, roles)
    if len(frame) == 0:
        raise DataError(f"{path} has no rows after its header; add some")
    answer = _column(table, roles.answer, roles.missing)
    pu = roles.labelled is not None
    target = to_labels(answer) if pu else to_classes(answer, roles.cut)
    split = None if roles.split is None else to_split(_column(table, roles.split))
    given = {} if roles.audited is None else to_given(target, _column(table, roles.audited, roles.missing))
    X, categorical = _features(table, features, roles)
    return Data(X, target, tuple(features), categorical, split, pu=pu, given=given)


def _column(table: Table, name: str, missing: Sequence[str] = ()) -> Column:
    series = table.frame[name]
    if series.dtype.kind not in "iufb":
        series = series.astype(object)
    if missing:
        series = series.mask(series.astype(object).map(plain).isin(list(missing)))
    return Column(f"{table.path}: column '{name}'", series.to_numpy(), table.at)


def _features(
    table: Table, features: Sequence[str], roles: Roles
) -> tuple[Any, Mapping[int, tuple[str, ...]]]:
    refuse_if_large(table.path, len(table.frame) * len(features) * 8)
    X = np.empty((len(table.frame), len(features)))
    categorical: dict[int, tuple[str, ...]] = {}
    # The readers of text files have already replaced missing cells.
    missing = () if table.text else roles.missing
    for place, name in enumerate(features):
        series = table.frame.pop(name)
        column = Column(f"{table.path}: column '{name}'", series.to_numpy(), table.at)
        wanted = name in roles.categorical
        X[:, place], names = encode(series, column, categorical=wanted, text=table.text, missing=missing)
        if names is not None:
            categorical[place] = names
    return X, categorical
