"""How s is made from y: which rows train and test, and which positives carry a label."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from pubench.data import Assignment
from pubench.errors import DataError, did_you_mean
from pubench.preprocess import Preprocess, fit_preprocess
from pubench.specs import SCENARIOS, Scenario
from pubench.splits import given_split, held_out, rounded, train_test

if TYPE_CHECKING:
    from pubench.data import Matrix

__all__ = ["Labelling", "assign", "check_counts"]

Rows = NDArray[np.int64]
Counts = tuple[int, int]

# Ridge penalty per training row of the hidden linear model: weak, yet enough to keep collinear columns sane.
_RIDGE = 0.01

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "scenario": SCENARIOS,
    "mechanism": ("scar", "sar"),
    "test_from": ("population", "unlabelled"),
    "sar_model": ("linear", "direction"),
}


@dataclass(frozen=True, slots=True)
class Labelling:
    """A labelling protocol.

    Attributes
    ----------
    scenario : str
        ``"case-control"`` or ``"single-training-set"``.
    positives, frequency : int or None, float in (0, 1] or None
        How many positives are labelled, as a number or as a share of the positives there are; exactly one.
    mechanism : str
        ``"scar"``: every positive is as likely to be labelled; ``"sar"``: its features matter.
    test : float or "given"
        The share of the rows that test, or the data set's own split.
    test_from : str
        ``"population"``: split first, label training positives. ``"unlabelled"`` (case-control only): label
        first, then split what is left, as Wang et al. do (PUAL, section 4.2.3).
    sar_model, sar_strength : str, float
        The hidden score z of a SAR labelling: ``"linear"``, a ridge regression of y on x, or ``"direction"``,
        a random direction of x. A positive's propensity is 1 / (1 + exp(-strength z)), z standardised over
        the positives so that a strength means the same for every data set.
    name : str
        What tables call it.
    """

    scenario: Scenario
    positives: int | None = None
    frequency: float | None = None
    mechanism: Literal["scar", "sar"] = "scar"
    test: float | Literal["given"] = 0.3
    test_from: Literal["population", "unlabelled"] = "population"
    sar_model: Literal["linear", "direction"] = "linear"
    sar_strength: float = 2.0
    name: str = ""

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"{name} = {value!r} is unknown{did_you_mean(str(value), choices)}")
        if (self.positives is None) == (self.frequency is None):
            raise ValueError("give exactly one of positives and frequency")
        if self.positives is not None and self.positives < 1:
            raise ValueError(f"positives = {self.positives} must be at least 1")
        if self.frequency is not None and not 0 < self.frequency <= 1:
            raise ValueError(f"frequency = {self.frequency} must lie in (0, 1]")
        if self.test != "given" and (isinstance(self.test, str) or not 0 < self.test < 1):
            raise ValueError(f"test = {self.test!r} must lie in (0, 1) or be 'given'")
        if self.test_from == "unlabelled" and (self.scenario != "case-control" or self.test == "given"):
            raise ValueError("test_from = 'unlabelled' needs scenario = 'case-control' and test as a share")

    @property
    def label(self) -> str:
        """The name, or a short description such as ``"case-control n_p=100"``."""
        if self.name:
            return self.name
        size = f"n_p={self.positives}" if self.frequency is None else f"c={self.frequency:g}"
        return f"{self.scenario} {size}" + (" sar" if self.mechanism == "sar" else "")


def check_counts(
    n_positive: int, n_negative: int, labelling: Labelling, *, given: Counts | None = None
) -> None:
    """Raise DataError if a data set with these class counts cannot be labelled so.

    `assign` calls it too, so that whatever passes here can be assigned.

    Parameters
    ----------
    n_positive, n_negative : int
        Rows of each class in the whole data set.
    labelling : Labelling
    given : (int, int), optional
        Positive and negative rows in the training part of the data set's own split. Without it,
        ``test="given"`` is checked only as far as the totals tell.
    """
    total = (n_positive, n_negative)
    for n, kind in zip(total, ("positive", "negative"), strict=True):
        if n == 0:
            raise DataError(f"labelling '{labelling.label}': the data have no {kind} row; name other classes")
    if labelling.test_from == "unlabelled":
        pool = (n_positive - _labelled_count(labelling, n_positive), n_negative)
        _check_parts(labelling, pool, _held_out_counts(labelling, pool))
    elif labelling.test != "given":
        test = _held_out_counts(labelling, total)
        _check_parts(labelling, total, test)
        _labelled_count(labelling, n_positive - test[0])
    elif given is not None:
        _check_parts(labelling, total, (n_positive - given[0], n_negative - given[1]))
        _labelled_count(labelling, given[0])
    else:
        _check_parts(labelling, total, (1, 1))
        _labelled_count(labelling, n_positive - 1)


def _held_out_counts(labelling: Labelling, counts: Counts) -> Counts:
    share = float(labelling.test)
    return held_out(counts[0], share), held_out(counts[1], share)


def _check_parts(labelling: Labelling, total: Counts, test: Counts) -> None:
    for n, n_test, kind in zip(total, test, ("positive", "negative"), strict=True):
        for rows, part in ((n - n_test, "training"), (n_test, "test")):
            if rows < 1:
                raise DataError(
                    f"labelling '{labelling.label}': of {n} {kind} rows none is left for the {part} part "
                    f"(test = {labelling.test}); use more rows or another test share"
                )


def _labelled_count(labelling: Labelling, n_positive: int) -> int:
    """Return how many positives are labelled out of n, at least one."""
    if labelling.frequency is not None:
        return max(1, rounded(labelling.frequency * n_positive))
    wanted = labelling.positives or 1
    # Only there is P a sample of its own, apart from U and test, so that a row may be drawn twice.
    can_repeat = labelling.scenario == "case-control" and labelling.test_from == "population"
    if wanted > n_positive and not can_repeat:
        raise DataError(
            f"labelling '{labelling.label}': {wanted} positives asked for, {n_positive} can be labelled; "
            f"lower positives to at most {n_positive} or give a frequency"
        )
    return wanted


def assign(
    y: NDArray[np.uint8],
    labelling: Labelling,
    *,
    split_rng: np.random.Generator,
    label_rng: np.random.Generator,
    split: NDArray[Any] | None = None,
    features: Callable[[], Matrix] | None = None,
) -> Assignment:
    """Choose the training and test rows and label some training positives.

    case-control, test from the population (Kiryo et al., 2017)
        U is all training rows, P is drawn from their positives, with replacement once there are too few.
        The prior is the training rows' mean of y.
    case-control, test from the unlabelled rows (Wang et al., PUAL, section 4.2.3)
        P is drawn from all positives; the other rows are split into U and test. The prior is U's mean of y.
    single-training-set (PUAL, section 4.1.2; Lee and Liu, 2003, section 5.1)
        P is drawn from the training positives, U is the rest. The prior is the training rows' mean of y.

    The split uses `split_rng` only. Each positive draws one key from `label_rng` and the largest keys win, so
    that a larger P contains a smaller one drawn with the same seeds. (P drawn with replacement is an i.i.d.
    sample; it contains a smaller such P, not one drawn without replacement.)

    Parameters
    ----------
    y : uint8 array of shape (n,)
        True classes, 1 = positive.
    labelling : Labelling
    split_rng, label_rng : Generator
    split : array of shape (n,), optional
        ``"train"`` or ``"test"``, for ``test="given"``.
    features : callable, optional
        Returns the features, shape (n, d); called for a SAR labelling only.

    Returns
    -------
    Assignment
        Positions in y; P and U each in random order.
    """
    given = _given_parts(y, labelling, split)
    n_positive = int(np.count_nonzero(y))
    in_train = None if given is None else (int(y[given[0]].sum()), int((y[given[0]] == 0).sum()))
    check_counts(n_positive, y.size - n_positive, labelling, given=in_train)
    if labelling.test_from == "unlabelled":
        chosen, notes = _draw(y, np.arange(y.size), labelling, label_rng, features)
        unlabelled, test = train_test(y, float(labelling.test), split_rng, pool=_without(chosen, y.size))
        prior = y[unlabelled].mean()
    else:
        if given is None:
            train, test = train_test(y, float(labelling.test), split_rng)
        else:
            train, test = split_rng.permutation(given[0]), split_rng.permutation(given[1])
        chosen, notes = _draw(y, train, labelling, label_rng, features)
        single = labelling.scenario == "single-training-set"
        unlabelled = train[_without(chosen, y.size)[train]] if single else train
        prior = y[train].mean()
    s = np.zeros(chosen.size + unlabelled.size, dtype=np.uint8)
    s[: chosen.size] = 1
    return Assignment(np.concatenate([chosen, unlabelled]), s, test, float(prior), notes)


def _given_parts(
    y: NDArray[np.uint8], labelling: Labelling, split: NDArray[Any] | None
) -> tuple[Rows, Rows] | None:
    if labelling.test != "given":
        return None
    if split is None or len(split) != y.size:
        raise DataError(
            f"labelling '{labelling.label}': test = 'given', but the data set has no split of its own; "
            "give a share such as test = 0.3"
        )
    return given_split(split)


def _without(chosen: Rows, n: int) -> NDArray[np.bool_]:
    mask = np.ones(n, dtype=bool)
    mask[chosen] = False
    return mask


def _draw(
    y: NDArray[np.uint8],
    rows: Rows,
    labelling: Labelling,
    rng: np.random.Generator,
    features: Callable[[], Matrix] | None,
) -> tuple[Rows, tuple[str, ...]]:
    """Draw P from the positives among the rows; return it in random order, with what a reader should know."""
    is_positive = y[rows] == 1
    candidates = rows[is_positive]
    count = _labelled_count(labelling, candidates.size)
    log_weight = np.zeros(candidates.size)
    if labelling.mechanism == "sar":
        if features is None:
            raise ValueError("a SAR labelling needs features")
        score = _hidden_score(features()[rows], y[rows], labelling.sar_model, rng)[is_positive]
        log_weight = -np.logaddexp(0.0, -labelling.sar_strength * _standardised(score))
    if count <= candidates.size:
        # The largest sums of log weight and Gumbel noise are an exact weighted sample without replacement.
        keys = log_weight + rng.gumbel(size=candidates.size)
        return rng.permutation(candidates[np.argsort(-keys, kind="stable")[:count]]), ()
    cumulative = np.cumsum(np.exp(log_weight - log_weight.max()))
    picks = np.searchsorted(cumulative, rng.random(count) * cumulative[-1], side="right")
    note = f"{count} positives drawn with replacement from {candidates.size}"
    return candidates[np.minimum(picks, candidates.size - 1)], (note,)


def _hidden_score(
    X: Matrix, y: NDArray[np.uint8], model: Literal["linear", "direction"], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the hidden model's score of each row, shape (n,), fitted to these very rows."""
    Z: Any = fit_preprocess(Preprocess("mean", "standard", "codes"), X, {}).transform(X)
    score: NDArray[np.float64]
    if model == "direction":
        score = Z @ rng.standard_normal(Z.shape[1])
    else:
        from scipy.sparse.linalg import lsqr

        score = Z @ lsqr(Z, y - y.mean(), damp=math.sqrt(_RIDGE * y.size), iter_lim=200)[0]
    return score


def _standardised(score: NDArray[np.float64]) -> NDArray[np.float64]:
    deviation = score - score.mean()
    size = float(np.abs(deviation).max())
    # Scores that differ by rounding only say nothing; dividing by their spread would make noise of it.
    if size <= 1e-12 * (1.0 + float(np.abs(score).max())):
        return np.zeros_like(score)
    standardised: NDArray[np.float64] = deviation / deviation.std()
    return standardised
