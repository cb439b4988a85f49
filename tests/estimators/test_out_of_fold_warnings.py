"""Warnings of learners that are fitted on folds: each once, with how many fits gave it; and copies of labelled rows."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from pubench import PriorCut, calibrate, state_prior
from pubench.estimators.inner_warnings import InnerWarnings


def clouds(n_p=30, n_u=120, seed=0):
    rng = np.random.default_rng(seed)
    y = np.r_[np.ones(n_p), np.arange(n_u) < 0.3 * n_u]
    return rng.normal(size=(n_p + n_u, 2)) + 2.0 * y[:, None], np.r_[np.ones(n_p, int), np.zeros(n_u, int)]


class Talkative(LogisticRegression):
    """Says how many rows it was given, twice, and more where there are many."""

    def fit(self, X, y):
        for _ in range(2):
            warnings.warn(f"{len(y)} rows are few", stacklevel=2)
        if len(y) > 140:
            warnings.warn("that is all", FutureWarning, stacklevel=2)
        return super().fit(X, y)


@pytest.mark.parametrize("wrap", [PriorCut, calibrate])
def test_each_warning_of_a_learner_is_given_once_with_its_number_of_fits(wrap):
    X, s = clouds()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        wrap(Talkative(), prior=0.3, scenario="case-control", random_state=0).fit(X, s)
    assert [(one.category, str(one.message)) for one in caught] == [
        (UserWarning, "120 rows are few (in 6 of 6 fits)"),
        (FutureWarning, "that is all (in 1 of 6 fits)"),
    ]
    assert {one.filename for one in caught} == {__file__}


def test_filters_of_the_caller_decide():
    X, s = clouds()
    model = PriorCut(LogisticRegression(max_iter=1), prior=0.3, scenario="case-control")
    with pytest.warns(ConvergenceWarning, match=r"\(in 6 of 6 fits\)"):
        model.fit(X, s)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, s)


def test_warnings_before_an_error_are_not_lost():
    class Breaks(LogisticRegression):
        def fit(self, X, y):
            warnings.warn("this will not end well", stacklevel=2)
            raise ArithmeticError

    X, s = clouds()
    with pytest.warns(UserWarning, match=r"not end well \(in 1 of 1 fits\)"), pytest.raises(ArithmeticError):
        PriorCut(Breaks(), prior=0.3, scenario="case-control").fit(X, s)


def test_a_category_of_another_form_is_shown_as_a_plain_warning():
    class Pair(UserWarning):
        def __init__(self, *, first, second):
            super().__init__(f"{first} and {second}")

    inner = InnerWarnings()
    with inner.of_one_fit():
        warnings.warn(Pair(first="a", second="b"), stacklevel=1)
    with pytest.warns(UserWarning, match=r"a and b \(in 1 of 1 fits\)"):
        inner.show(stacklevel=1)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("distinct", "is_warned"), [(1, True), (4, True), (5, False)])
def test_labelled_rows_that_are_copies_are_warned_of(distinct, is_warned, sparse):
    X, s = clouds(n_p=10)
    X[:10] = X[np.arange(10) % distinct]
    rows = csr_array(X) if sparse else X
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        PriorCut(prior=0.3, scenario="case-control", random_state=0).fit(rows, s)
    said = [str(one.message) for one in caught]
    assert [f"only {distinct} of 10 labelled rows" in one for one in said] == [True] * is_warned


def test_a_statement_about_the_prior_doubts_copies():
    X, s = clouds(n_p=60)
    X[:60] = X[0]
    doubts = state_prior(X, s, scenario="case-control", random_state=0, classifier="logistic").doubts
    assert "only 1 of 60 labelled rows is distinct, the others are copies" in doubts
