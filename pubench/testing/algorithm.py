"""The contract of algorithms. These checks vary the input: degenerate, sparse and many rows, and all settings."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from pubench.data.values import Array
from pubench.metrics import roc_auc
from pubench.specs import Choice
from pubench.testing.contract import ContractError, attempt, fail, plain, quiet, skip
from pubench.testing.fits import (
    METHODS,
    Answers,
    answers,
    difference,
    factory_parameters,
    fitted,
    make,
    row_wise,
)
from pubench.testing.learning import CHANCE, LearningContract
from pubench.testing.samples import DEGENERATE, degenerate, easy_sample, wide_sample
from pubench.testing.spaces import ends, space_problem

__all__ = ["AlgorithmContract"]

_POWERS = {"linear": 1, "quadratic": 2, "cubic": 3}
_SLACK = 0.8
# The remaining memory is for weights, and for matrices of all pairs of rows.
_DENSE_SHARE = 0.45


class AlgorithmContract(LearningContract):
    """What pubench expects of an algorithm; see :class:`pubench.specs.Algorithm`.

    Attributes
    ----------
    params : mapping
        Parameters for all checks, for example fewer trees to save time.
    expected_failed_checks : mapping of str to str
        Checks of scikit-learn that are known to fail, each with the reason.
    """

    def test_input_untouched(self) -> None:
        """It does not modify its input."""
        sample = self._usable()
        spec = self.spec
        labels = (sample.y if spec.labels == "true" else sample.s).copy()
        given: dict[str, Array] = {"X": np.array(sample.X), "s": labels}
        before = {name: value.copy() for name, value in given.items()}
        with attempt("fitting"):
            model = make(spec, sample, self.all_params)
            model = model.fit(given["X"], given["s"], **row_wise(spec, sample)) or model
        _refuse_changes("fit", before, given)
        rows = {"X": np.array(sample.X_test)}
        for method in METHODS:
            if hasattr(model, method):
                with attempt(method):
                    getattr(model, method)(rows["X"])
                _refuse_changes(method, {"X": np.asarray(sample.X_test)}, rows)

    def test_one_positive(self) -> None:
        """It handles a single labelled row."""
        self._handles("one positive")

    def test_constant_features(self) -> None:
        """It handles constant features."""
        self._handles("constant features")

    def test_duplicated_rows(self) -> None:
        """It handles duplicated rows."""
        self._handles("duplicated rows")

    def _handles(self, kind: str) -> None:
        self._usable()
        for sample in degenerate(kind, self.spec.scenarios[0]):
            what = f"on {kind} ({DEGENERATE[kind]}) it"
            try:
                with quiet():
                    predictions = answers(fitted(self.spec, sample, self.all_params), sample.X_test)
            except (Exception, SystemExit) as error:
                if kind == "one positive" and _refuses(error):
                    continue
                raise ContractError(f"{what} raised {plain(error)}") from error
            for method, values in predictions.items():
                if values.dtype.kind == "f" and not np.isfinite(values).all():
                    fail(f"{what} fits, but {method} returns NaN or infinity")

    def test_sparse_rows(self) -> None:
        """It accepts sparse rows if it declares so, and keeps them sparse."""
        if "sparse" not in self.spec.accepts:
            skip("it does not declare sparse rows")
        self._usable()
        self._learns_from_sparse_rows()
        sample = wide_sample(self.spec.scenarios[0])
        dense = sample.X.shape[0] * sample.X.shape[1] * 8
        tracemalloc.start()
        try:
            with attempt(f"on {sample.X.shape[0]} sparse rows of {sample.X.shape[1]} columns it"):
                answers(fitted(self.spec, sample, self.all_params), sample.X_test)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        if peak > _DENSE_SHARE * dense:
            fail(
                f"it declares sparse rows but makes them dense: {peak / 1e6:.0f} MB for a sparse matrix whose dense "
                f"copy takes {dense / 1e6:.0f} MB; compute on the sparse rows, or remove 'sparse' from accepts"
            )

    def _learns_from_sparse_rows(self) -> None:
        from scipy.sparse import csr_array

        sample = easy_sample(self.spec.scenarios[0])
        # Counts, since some methods refuse negative numbers.
        X, X_test = (
            csr_array(np.maximum(np.round(2 + np.asarray(rows)), 0.0)) for rows in (sample.X, sample.X_test)
        )
        given = X.copy()
        labels = sample.y if self.spec.labels == "true" else sample.s
        with attempt("on sparse rows it"):
            model = make(self.spec, sample, self.all_params)
            model = model.fit(given, labels.copy(), **row_wise(self.spec, sample)) or model
            predictions = answers(model, X_test)
        if given.shape != X.shape or abs(given - X).max() > 0:
            fail("fit modified its sparse input; work on a copy, since other methods receive the same rows")
        scores = next(predictions[name] for name in reversed(METHODS) if name in predictions)
        if not np.isfinite(scores).all():
            fail("on sparse rows it predicts NaN or infinity")
        auc = roc_auc(sample.y_test, scores if scores.ndim == 1 else scores[:, 1])
        if auc < CHANCE:
            fail(f"on easy sparse rows its ROC AUC is {auc:.2f}; at least {CHANCE} is required")

    def test_missing_cells(self) -> None:
        """It accepts missing cells if it declares so."""
        if "missing" not in self.spec.accepts:
            skip("it does not declare missing cells")
        sample = self._usable()
        X, X_test = sample.X.copy(), sample.X_test.copy()
        X[::7, 1] = X_test[::7, 1] = np.nan
        with attempt("on rows with missing cells, which it declares to accept, it"):
            predictions = answers(fitted(self.spec, replace(sample, X=X), self.all_params), X_test)
        if not _all_finite(predictions):
            fail("on rows with missing cells, which it declares to accept, it predicts NaN or infinity")

    def test_scaling(self) -> None:
        """Its time grows with the rows as it declares."""
        declared = self.spec.scaling
        if not declared:
            skip("it does not declare how its time scales")
        self._usable()
        small, large = (self._seconds(rows) for rows in (1_000, 4_000))
        power = np.log(large / small) / np.log(4)
        if power > _POWERS[declared] + _SLACK:
            fail(
                f"it declares {declared} time, but four times the rows took {large / small:.0f} times as long "
                f"({small:.3f} and {large:.3f} seconds): about n to the power of {power:.1f}"
            )

    def _seconds(self, rows: int) -> float:
        sample, seconds = easy_sample(self.spec.scenarios[0], n=rows), []
        for _ in range(3):
            started = time.process_time()
            with attempt(f"on {rows} rows it"):
                fitted(self.spec, sample, self.all_params)
            seconds.append(time.process_time() - started)
        return max(min(seconds), 1e-3)

    def test_search_space(self) -> None:
        """Its search space is valid, and it fits at the ends of each range."""
        spec, sample = self.spec, self._usable()
        problem = space_problem(spec, factory_parameters(spec))
        if problem:
            fail(problem)
        if not spec.space:
            skip("it has no search space")
        for name, param in spec.space.items():
            for value in param.values if isinstance(param, Choice) else ends(param):
                with attempt(f"with {name}={value!r} from its search space it"):
                    predictions = answers(
                        fitted(spec, sample, {**self.all_params, name: value}), sample.X_test
                    )
                if not _all_finite(predictions):
                    fail(f"with {name}={value!r} from its search space it predicts NaN or infinity")


def _all_finite(predictions: Answers) -> bool:
    return all(np.isfinite(values).all() for values in predictions.values() if values.dtype.kind == "f")


def _refuse_changes(method: str, before: Mapping[str, Array], after: Mapping[str, Array]) -> None:
    changed = difference(before, after)
    if changed:
        fail(
            f"{method} modified its input {changed}; work on a copy, since other methods receive the same rows"
        )


def _refuses(error: BaseException) -> bool:
    """Whether an error is a deliberate refusal of too few labelled rows, rather than a crash."""
    words = ("label", "positive", "at least", "too few")
    return isinstance(error, ValueError) and any(word in str(error).lower() for word in words)
