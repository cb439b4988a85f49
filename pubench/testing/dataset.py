"""The contract of data sets: rows that can be used, the same every time, with the classes that the spec names."""

from __future__ import annotations

import inspect
import json
from typing import Any, ClassVar

import numpy as np

from pubench.data.checks import check_params, checked_data
from pubench.data.values import Data
from pubench.errors import DataError
from pubench.plugins.imports import resolve
from pubench.specs import Dataset
from pubench.testing.contract import Contract, attempt, fail, skip

__all__ = ["DatasetContract"]


class DatasetContract(Contract):
    """What pubench expects of a data set; see :class:`pubench.specs.Dataset`.

    Attributes
    ----------
    params : mapping
        Arguments of the loader, where it cannot do without.
    """

    kind: ClassVar[str] = "datasets"
    required: ClassVar[tuple[str, ...]] = ("summary", "source", "licence", "citation")
    params: ClassVar[dict[str, Any]] = {}

    def test_signature(self) -> None:
        """Its loader takes the parameters that the spec fixes."""
        with attempt(f"resolving '{self.spec.loader}'"):
            loader = resolve(self.spec.loader)
        self._skip_without_arguments()
        try:
            check_params(loader, self._arguments)
        except DataError as error:
            fail(f"{self.spec.loader}: {error}")

    def test_loads(self) -> None:
        """It loads rows that can be used."""
        self._skip_without_arguments()
        with attempt("loading it"):
            loaded = resolve(self.spec.loader)(**self._arguments)
        try:
            checked_data(self.name, loaded)
        except DataError as error:
            fail(str(error))

    def test_loads_the_same_again(self) -> None:
        """It loads the same rows again."""
        one, other = self._load(), self._load()
        same_rows = _equal(one.X, other.X)
        if not (same_rows and np.array_equal(one.target, other.target)):
            fail("loaded twice, it returns different rows; seed what it draws, and sort what it reads")

    def test_classes(self) -> None:
        """It has both classes, and those that the spec calls positive."""
        data = self._load()
        found = {str(value) for value in np.unique(data.target).tolist()}
        if len(found) < 2:
            fail(f"all its rows are of one class, {', '.join(found)}; a benchmark needs two")
        if self.spec.positive and not data.pu:
            missing = [str(name) for name in self.spec.positive if str(name) not in found]
            if missing:
                known = ", ".join(sorted(found)[:12])
                fail(f"positive names {', '.join(missing)}, which is none of its classes; they are {known}")
            if found <= {str(name) for name in self.spec.positive}:
                fail("positive names all its classes, so that no row is negative; leave some out")

    def test_features(self) -> None:
        """Its features say something: they vary."""
        X: Any = self._load().X
        dense = isinstance(X, np.ndarray)
        spread = (
            np.nanmax(X, axis=0) - np.nanmin(X, axis=0)
            if dense
            else (X.max(axis=0) - X.min(axis=0)).toarray()
        )
        if not (np.nan_to_num(spread) > 0).any():
            fail("every feature holds one value only, so that no method can tell its rows apart")

    def test_identity(self) -> None:
        """Its identity is the same again, and JSON."""
        if not self.spec.identity:
            skip("it names no identity: its data change with its version only")
        with attempt("its identity"):
            values = [resolve(self.spec.identity)(**self._arguments) for _ in range(2)]
            texts = [json.dumps(value, sort_keys=True) for value in values]
        if texts[0] != texts[1]:
            fail("asked twice, its identity differs, so that nothing would ever be found in the cache")

    def test_card(self) -> None:
        """Its card holds texts and whole numbers."""
        if not self.spec.card:
            skip("it has no card")
        with attempt("its card"):
            facts = resolve(self.spec.card)(**self._arguments)
            strange = [name for name, value in facts.items() if not isinstance(value, str | int)]
        if strange:
            fail(f"its card holds {', '.join(map(str, strange))}, which is neither text nor a whole number")

    @property
    def _arguments(self) -> dict[str, Any]:
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
                f"its loader needs {', '.join(missing)}; a test can give them as params of a DatasetContract"
            )

    def _load(self) -> Data:
        spec: Dataset = self.spec
        try:
            return checked_data(spec.name, resolve(spec.loader)(**self._arguments))
        except Exception:
            skip("it does not load: see the checks before")


def _equal(one: Any, other: Any) -> bool:
    if one.shape != other.shape:
        return False
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other, equal_nan=True))
    return bool(abs(one - other).max() == 0)
