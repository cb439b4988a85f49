"""The values that hold rows. What a learner sees and the truth are two types that never travel together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pubench.specs import Array, Scenario

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Array", "Assignment", "Data", "GivenLabels", "Matrix", "PUTrain", "Truth"]

Matrix: TypeAlias = "NDArray[np.floating[Any]] | csr_array"
"""Rows of numbers: dense, or sparse in CSR form."""


@dataclass(frozen=True, slots=True, eq=False)
class GivenLabels:
    """Labels that come with the data, and true classes of other rows from another source, which judge.

    Attributes
    ----------
    s : int array of shape (n,)
        1 = labelled positive, 0 = unlabelled, -1 = not for training.
    y_test : int array of shape (n,)
        1 = positive, 0 = negative, -1 = unknown. Rows with a known class are the test rows: they are not trained on,
        whatever their s is.

    Examples
    --------
    >>> labels = pubench.GivenLabels(s=np.array([1, 0, 0, -1]), y_test=np.array([-1, -1, -1, 1]))
    >>> int((labels.y_test >= 0).sum())  # one test row
    1
    """

    s: Array
    y_test: Array


@dataclass(frozen=True, slots=True)
class Data:
    """What a data set plugin loads.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        Numbers; NaN where a cell is missing. Categorical columns hold codes 0, 1, ... Images may come as arrays of
        shape (n, height, width) or (n, height, width, channels). Bytes (uint8) are stored as bytes.
    target : array of shape (n,)
        The class of each row, as text, whole numbers or booleans.
    feature_names : tuple of str
        d names, or empty.
    categorical : mapping of int to tuple of str
        For each categorical column, the names of its codes.
    split : array of shape (n,) or None
        ``"train"`` or ``"test"`` for each row where the data come with a split of their own.
    posterior : array of shape (n,) or None
        Pr(y = 1 | x) of each row where it is known, for the two classes ``0`` and ``1``.
    pu : bool
        Real PU data: ``target`` is s (1 = labelled positive, 0 = unlabelled) and the true classes are unknown.
    given : mapping of str to GivenLabels
        For real PU data with test rows whose true classes are known: the labels of each learning problem by name. All
        problems share the rows, which are stored once. A single problem may have an empty name.
    image_shape : tuple of int
        (height, width), or (height, width, channels), where each row is an image, pixel by pixel and line by line; else
        empty. Reports then draw what models make of the pixels, and algorithms may receive it.
    coordinates : array of shape (n, 2) or None
        Where each row was observed, if known, in units of length. They are not features: no algorithm receives them.
        Tuning can use them to make folds of spatial blocks.

    Examples
    --------
    >>> data = pubench.Data(np.array([[1.0], [2.0]]), np.array(["good", "bad"]), feature_names=("size",))
    >>> data.X.shape
    (2, 1)
    """

    X: Matrix
    target: Array
    feature_names: tuple[str, ...] = ()
    categorical: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    split: Array | None = None
    posterior: NDArray[np.float64] | None = None
    pu: bool = False
    image_shape: tuple[int, ...] = ()
    given: Mapping[str, GivenLabels] = field(default_factory=dict)
    coordinates: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class PUTrain:
    """All that a learner is given: rows, which of them are labelled, and the prior it may use.

    Attributes
    ----------
    X : matrix of shape (n, d)
    s : uint8 array of shape (n,), 1 = labelled positive, 0 = unlabelled
    rows : int array of shape (n,)
        An opaque identity of each row. In case-control data one row may stand among P and U; folds keep its
        copies together.
    prior : float or None
    scenario : str
    """

    X: Matrix
    s: NDArray[np.uint8]
    rows: NDArray[np.int64]
    prior: float | None
    scenario: Scenario


@dataclass(frozen=True, slots=True)
class Truth:
    """True classes (1 = positive) of the training and the test rows; only the evaluator holds one.

    Of real PU data nobody knows them: there it holds s. ``posterior`` is Pr(y = 1 | x) of the test rows, if known.
    """

    train: NDArray[np.uint8]
    test: NDArray[np.uint8]
    posterior: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """Which rows train, which of them are labelled, which rows test.

    ``train`` has the labelled rows first, then the unlabelled ones; with case-control labelling a row may stand in
    both parts. ``prior`` is Pr(y = 1) of the population that the scenario speaks of; None where nobody
    knows it. ``notes`` say what a reader should know, for example that positives were drawn with replacement.
    ``propensity`` is Pr(s = 1 | y = 1, x) of each training row, shape (n,), where pubench itself has drawn the labels.
    It follows from true classes and stays where they are, except for methods named ``oracle-*``.
    """

    train: NDArray[np.int64]
    s: NDArray[np.uint8]
    test: NDArray[np.int64]
    prior: float | None
    notes: tuple[str, ...] = ()
    propensity: NDArray[np.float64] | None = None
