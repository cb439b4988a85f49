"""The contract of data sets: valid rows, the same every time, with the classes that the spec declares."""

from __future__ import annotations

import inspect
import json
from typing import ClassVar, cast

import numpy as np

from pubench.data.checks import check_params, checked_data
from pubench.data.values import Data, Matrix
from pubench.errors import DataError
from pubench.plugins.imports import resolve
from pubench.specs import Dataset, JSONValue, Params
from pubench.testing.contract import Contract, attempt, fail, skip

__all__ = ["DatasetContract"]


class DatasetContract(Contract):
    """What pubench expects of a data set; see :class:`pubench.specs.Dataset`.

    Attributes
    ----------
    params : mapping
        Arguments of the loader, if it requires any.
    """

    kind: ClassVar[str] = "datasets"
    required: ClassVar[tuple[str, ...]] = ("summary", "source", "licence", "citation")
    params: ClassVar[Params] = {}

    @property
    def spec(self) -> Dataset:
        """The spec."""
        return cast("Dataset", self.registered.spec)

    def test_signature(self) -> None:
        """Its loader accepts the parameters that the spec fixes."""
        with attempt(f"resolving '{self.spec.loader}'"):
            loader = resolve(self.spec.loader)
        self._skip_without_arguments()
        try:
            check_params(loader, self._arguments)
        except DataError as error:
            fail(f"{self.spec.loader}: {error}")

    def test_loads(self) -> None:
        """It loads valid rows."""
        self._skip_without_arguments()
        with attempt("loading it"):
            loaded = resolve(self.spec.loader)(**self._arguments)
        try:
            checked_data(self.name, loaded)
        except DataError as error:
            fail(str(error))

    def test_loads_the_same_again(self) -> None:
        """It loads the same rows every time."""
        first, second = self._load(), self._load()
        same_rows = _equal(first.X, second.X)
        if not (same_rows and np.array_equal(first.target, second.target)):
            fail(
                "it returns different rows when it is loaded twice; seed random draws, and sort the files it reads"
            )

    def test_classes(self) -> None:
        """It has at least two classes, and the positive classes of the spec."""
        data = self._load()
        classes = {str(value) for value in np.unique(data.target).tolist()}
        if len(classes) < 2:
            fail(f"all its rows are of one class, {', '.join(classes)}; a benchmark needs two")
        if self.spec.positive and not data.pu:
            missing = [str(name) for name in self.spec.positive if str(name) not in classes]
            if missing:
                known = ", ".join(sorted(classes)[:12])
                fail(f"positive lists {', '.join(missing)}, but the classes are {known}; correct positive")
            if classes <= {str(name) for name in self.spec.positive}:
                fail("positive lists all classes, so that no row is negative; remove some")

    def test_features(self) -> None:
        """At least one of its features varies."""
        X = self._load().X
        spread = (
            np.nanmax(X, axis=0) - np.nanmin(X, axis=0)
            if isinstance(X, np.ndarray)
            else (X.max(axis=0) - X.min(axis=0)).toarray()
        )
        if not (np.nan_to_num(spread) > 0).any():
            fail("every feature is constant, so that no method can distinguish its rows; check the loader")

    def test_identity(self) -> None:
        """Its identity is reproducible, and JSON."""
        if not self.spec.identity:
            skip("it has no identity: its data change only with its version")
        with attempt("its identity"):
            values = [resolve(self.spec.identity)(**self._arguments) for _ in range(2)]
            texts = [json.dumps(value, sort_keys=True) for value in values]
        if texts[0] != texts[1]:
            fail(
                "its identity differs between two calls, so that the cache would never be used; make it reproducible"
            )

    def test_card(self) -> None:
        """Its card consists of texts and whole numbers."""
        if not self.spec.card:
            skip("it has no card")
        with attempt("its card"):
            facts = resolve(self.spec.card)(**self._arguments)
            invalid = [name for name, value in facts.items() if not isinstance(value, str | int)]
        if invalid:
            fail(
                f"in its card, {', '.join(map(str, invalid))} is neither text nor a whole number; convert it"
            )

    @property
    def _arguments(self) -> dict[str, JSONValue]:
        return {**self.spec.params, **self.params}

    def _skip_without_arguments(self) -> None:
        known = inspect.signature(resolve(self.spec.loader)).parameters.values()
        kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        missing = [
            p.name
            for p in known
            if p.kind in kinds and p.default is p.empty and p.name not in self._arguments
        ]
        if missing:
            skip(
                f"its loader requires {', '.join(missing)}; a test can set them as params of a DatasetContract"
            )

    def _load(self) -> Data:
        try:
            return checked_data(self.spec.name, resolve(self.spec.loader)(**self._arguments))
        except Exception:
            skip("it does not load: see the previous checks")


def _equal(first: Matrix, second: Matrix) -> bool:
    if first.shape != second.shape:
        return False
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return bool(np.array_equal(first, second, equal_nan=True))
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return False
    return bool(abs(first - second).max() == 0)
