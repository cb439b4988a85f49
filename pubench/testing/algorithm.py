"""The contract of algorithms; here the checks that vary the input: hard rows, sparse rows, many rows, all settings."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pubench.metrics import roc_auc
from pubench.specs import Algorithm, Choice
from pubench.testing.contract import ContractError, attempt, fail, plain, quiet, skip
from pubench.testing.fits import METHODS, answers, difference, factory_parameters, fitted, make
from pubench.testing.learning import CHANCE, LearningContract
from pubench.testing.samples import DEGENERATE, degenerate, easy_sample, wide_sample
from pubench.testing.spaces import ends, space_problem

__all__ = ["AlgorithmContract"]

_POWERS = {"linear": 1, "quadratic": 2, "cubic": 3}
_SLACK = 0.8
# The rest is for weights, and for matrices of all pairs of rows.
_DENSE_SHARE = 0.45


class AlgorithmContract(LearningContract):
    """What pubench expects of an algorithm; see :class:`pubench.specs.Algorithm`.

    Attributes
    ----------
    params : mapping
        Parameters for all checks, for example fewer trees, so that they take less time.
    expected_failed_checks : mapping of str to str
        Checks of scikit-learn that are known to fail, each with the reason.
    """

    def test_input_untouched(self) -> None:
        """It does not write into its input."""
        sample = self._usable()
        spec: Algorithm = self.spec
        labels = (sample.y if spec.labels == "true" else sample.s).copy()
        given = {"X": sample.X.copy(), "s": labels}
        before = {name: value.copy() for name, value in given.items()}
        with attempt("fitting"):
            model = make(spec, sample, self.params)
            model = model.fit(given["X"], given["s"]) or model
        _refuse_changes("fit", before, given)
        rows = {"X": sample.X_test.copy()}
        for method in METHODS:
            if hasattr(model, method):
                with attempt(method):
                    getattr(model, method)(rows["X"])
                _refuse_changes(method, {"X": sample.X_test}, rows)

    def test_one_positive(self) -> None:
        """It survives a single labelled row."""
        self._survives("one positive")

    def test_constant_features(self) -> None:
        """It survives constant features."""
        self._survives("constant features")

    def test_duplicated_rows(self) -> None:
        """It survives duplicated rows."""
        self._survives("duplicated rows")

    def _survives(self, kind: str) -> None:
        self._usable()
        for sample in degenerate(kind, self.spec.scenarios[0]):
            what = f"on {kind} ({DEGENERATE[kind]}) it"
            try:
                with quiet():
                    found = answers(fitted(self.spec, sample, self.params), sample.X_test)
            except (Exception, SystemExit) as error:
                if kind == "one positive" and _refuses(error):
                    continue
                raise ContractError(f"{what} raised {plain(error)}") from error
            for method, told in found.items():
                if told.dtype.kind == "f" and not np.isfinite(told).all():
                    fail(f"{what} fits, but {method} returns NaN or infinity")

    def test_sparse_rows(self) -> None:
        """It takes sparse rows where it claims to, and keeps them sparse."""
        if "sparse" not in self.spec.accepts:
            skip("it claims no sparse rows")
        self._usable()
        self._learns_from_sparse_rows()
        sample = wide_sample(self.spec.scenarios[0])
        dense = sample.X.shape[0] * sample.X.shape[1] * 8
        tracemalloc.start()
        try:
            with attempt(f"on {sample.X.shape[0]} sparse rows of {sample.X.shape[1]} columns it"):
                answers(fitted(self.spec, sample, self.params), sample.X_test)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        if peak > _DENSE_SHARE * dense:
            fail(
                f"it claims sparse rows but makes them dense: {peak / 1e6:.0f} MB for a matrix of {sample.X.nnz} "
                f"entries whose dense copy takes {dense / 1e6:.0f} MB; compute on the sparse rows, or take "
                "'sparse' out of accepts"
            )

    def _learns_from_sparse_rows(self) -> None:
        from scipy.sparse import csr_array

        sample = easy_sample(self.spec.scenarios[0])
        # Counts, since some methods take nothing below 0.
        X, X_test = (csr_array(np.maximum(np.round(2 + rows), 0.0)) for rows in (sample.X, sample.X_test))
        with attempt("on sparse rows it"):
            found = answers(fitted(self.spec, replace(sample, X=X), self.params), X_test)
        scores = next(found[name] for name in reversed(METHODS) if name in found)
        if not np.isfinite(scores).all():
            fail("on sparse rows it answers NaN or infinity")
        auc = roc_auc(sample.y_test, scores if scores.ndim == 1 else scores[:, 1])
        if auc < CHANCE:
            fail(f"on easy sparse rows its ROC AUC is {auc:.2f}, where {CHANCE} is asked for")

    def test_scaling(self) -> None:
        """Its time grows with the rows as it claims."""
        claimed = self.spec.scaling
        if not claimed:
            skip("it promises nothing of how it scales")
        self._usable()
        small, large = (self._seconds(rows) for rows in (1_000, 4_000))
        power = np.log(large / small) / np.log(4)
        if power > _POWERS[claimed] + _SLACK:
            fail(
                f"it claims {claimed} time, but four times the rows took {large / small:.0f} times as long "
                f"({small:.3f} and {large:.3f} seconds): about n to the power of {power:.1f}"
            )

    def _seconds(self, rows: int) -> float:
        sample, taken = easy_sample(self.spec.scenarios[0], n=rows), []
        for _ in range(3):
            started = time.process_time()
            with attempt(f"on {rows} rows it"):
                fitted(self.spec, sample, self.params)
            taken.append(time.process_time() - started)
        return max(min(taken), 1e-3)

    def test_search_space(self) -> None:
        """Its search space is valid, and its ends can be fitted."""
        spec, sample = self.spec, self._usable()
        problem = space_problem(spec, factory_parameters(spec))
        if problem:
            fail(problem)
        if not spec.space:
            skip("it has no search space")
        for name, param in spec.space.items():
            for value in param.values if isinstance(param, Choice) else ends(param):
                with attempt(f"with {name}={value!r}, which its search space holds, it"):
                    found = answers(fitted(spec, sample, {**self.params, name: value}), sample.X_test)
                if not all(np.isfinite(told).all() for told in found.values() if told.dtype.kind == "f"):
                    fail(f"with {name}={value!r}, which its search space holds, it answers NaN or infinity")


def _refuse_changes(method: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    changed = difference(before, after)
    if changed:
        fail(
            f"{method} wrote into the {changed} it was given; work on a copy, since the same rows are given to others"
        )


def _refuses(error: BaseException) -> bool:
    """Whether an error is a considered refusal of too few labelled rows, rather than a crash."""
    words = ("label", "positive", "at least", "too few")
    return isinstance(error, ValueError) and any(word in str(error).lower() for word in words)
