"""From true classes to an assignment: a cell's training and test rows, and its labelled positives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.data.labelling.protocol import Labelling, check_counts, labelled_count
from pubench.data.splits import given_split, rounded, train_test
from pubench.data.values import Array, Assignment
from pubench.errors import DataError

if TYPE_CHECKING:
    from pubench.data.values import Matrix

__all__ = ["assign", "label_all"]

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """P in random order, the propensity of each row of the data (NaN where no row could be drawn), and notes."""

    chosen: Rows
    propensity: NDArray[np.float64]
    notes: tuple[str, ...]


def assign(
    y: NDArray[np.uint8],
    labelling: Labelling,
    *,
    split_rng: np.random.Generator,
    label_rng: np.random.Generator,
    split: Array | None = None,
    features: Callable[[], Matrix] | None = None,
) -> Assignment:
    """Choose the training and test rows and label some training positives.

    case-control, test from the population (Kiryo et al., 2017)
        U is all training rows. P is drawn from their positives, with replacement if there are too few.
        The prior is the training rows' mean of y.
    case-control, test from the unlabelled rows (Wang et al., PUAL, section 4.2.3)
        P is drawn from all positives; the other rows are split into U and test. The prior is U's mean of y.
    single-training-set (PUAL, section 4.1.2; Lee and Liu, 2003, section 5.1)
        P is drawn from the training positives, U is the rest, or (section 5.3) the rest without some of its
        positives. The prior is the mean of y over P and U.

    The split uses `split_rng` only. With ``scar`` and ``sar`` each positive draws one key from `label_rng`, and the
    positives with the largest keys are labelled. A larger P therefore contains a smaller one drawn with the same seeds.
    (P drawn with replacement is an i.i.d. sample; it contains a smaller such P, not one drawn without replacement.)

    Parameters
    ----------
    y : uint8 array of shape (n,)
        True classes, 1 = positive.
    labelling : Labelling
    split_rng, label_rng : Generator
    split : array of shape (n,), optional
        ``"train"`` or ``"test"``, for ``test="given"``.
    features : callable, optional
        Returns the features, shape (n, d); called only if the mechanism uses features.

    Returns
    -------
    Assignment
        Positions in y; P and U each in random order.
    """
    given = _given_parts(y, labelling, split)
    if labelling.is_given:
        return _given_labels(y, labelling, split_rng, given)
    n_positive = int(np.count_nonzero(y))
    in_train = None if given is None else (int(y[given[0]].sum()), int((y[given[0]] == 0).sum()))
    check_counts(n_positive, y.size - n_positive, labelling, given=in_train)
    if labelling.test_from == "unlabelled":
        drawn = _draw(y, np.arange(y.size), labelling, label_rng, features)
        unlabelled, test = train_test(
            y, float(labelling.test), split_rng, pool=_without(drawn.chosen, y.size)
        )
    else:
        if given is None:
            train, test = train_test(y, float(labelling.test), split_rng)
        else:
            train, test = split_rng.permutation(given[0]), split_rng.permutation(given[1])
        drawn = _draw(y, train, labelling, label_rng, features)
        unlabelled = _unlabelled(y, train, drawn.chosen, labelling)
    return _assignment(drawn, unlabelled, test, _prior(y, drawn.chosen, unlabelled, labelling))


def label_all(
    y: NDArray[np.uint8],
    labelling: Labelling,
    *,
    rng: np.random.Generator,
    features: Callable[[], Matrix] | None = None,
) -> Assignment:
    """Label some positives without a test split; real PU data (``positives="given"``) keep their labels.

    Parameters
    ----------
    y : uint8 array of shape (n,)
        True classes, 1 = positive; s where labels are given.
    labelling : Labelling
        ``test`` and ``test_from`` have no effect.
    rng : Generator
    features : callable, optional
        Returns the features, shape (n, d); called only if the mechanism uses features.

    Returns
    -------
    Assignment
    """
    rows, nothing = rng.permutation(y.size), np.empty(0, dtype=np.int64)
    if labelling.is_given:
        ordered = np.concatenate([rows[y[rows] == 1], rows[y[rows] == 0]])
        return Assignment(ordered, y[ordered], nothing, None)
    drawn = _draw(y, rows, labelling, rng, features)
    unlabelled = _unlabelled(y, rows, drawn.chosen, labelling)
    return _assignment(drawn, unlabelled, nothing, _prior(y, drawn.chosen, unlabelled, labelling))


def _unlabelled(y: NDArray[np.uint8], rows: Rows, chosen: Rows, labelling: Labelling) -> Rows:
    """Return U: all rows in case-control data, else the rows outside P."""
    if labelling.scenario == "case-control":
        return rows
    rest: Rows = rows[_without(chosen, y.size)[rows]]
    if labelling.unlabelled_positives == 1:
        return rest
    positives = rest[y[rest] == 1]
    # Rows are in random order, so that the first ones are a random sample, and larger samples contain smaller ones.
    left_out = positives[rounded(labelling.unlabelled_positives * positives.size) :]
    kept: Rows = rest[_without(left_out, y.size)[rest]]
    return kept


def _prior(y: NDArray[np.uint8], chosen: Rows, unlabelled: Rows, labelling: Labelling) -> float:
    """Return the share of positives in the population sample: U, or P and U together."""
    sample = unlabelled if labelling.scenario == "case-control" else np.concatenate([chosen, unlabelled])
    return float(y[sample].mean())


def _assignment(drawn: _Drawn, unlabelled: Rows, test: Rows, prior: float) -> Assignment:
    train = np.concatenate([drawn.chosen, unlabelled])
    s = np.zeros(train.size, dtype=np.uint8)
    s[: drawn.chosen.size] = 1
    return Assignment(train, s, test, prior, drawn.notes, drawn.propensity[train])


def _given_labels(
    s: NDArray[np.uint8],
    labelling: Labelling,
    rng: np.random.Generator,
    given: tuple[Rows, Rows] | None,
) -> Assignment:
    """Split real PU data; both parts keep labelled and unlabelled rows, and the prior is unknown."""
    train, test = train_test(s, float(labelling.test), rng) if given is None else given
    train, test = rng.permutation(train), rng.permutation(test)
    ordered = np.concatenate([train[s[train] == 1], train[s[train] == 0]])
    note = "true classes unknown: evaluated by PU-only criteria on held-out rows"
    return Assignment(ordered, s[ordered], test, None, (note,))


def _given_parts(y: NDArray[np.uint8], labelling: Labelling, split: Array | None) -> tuple[Rows, Rows] | None:
    if labelling.test != "given":
        return None
    if split is None or len(split) != y.size:
        raise DataError(
            f"labelling '{labelling.label}': test = 'given', but the data set has no split of its own; "
            "set a share such as test = 0.3"
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
) -> _Drawn:
    """Draw P from the positives among the rows."""
    n_positive = int(np.count_nonzero(y[rows]))
    count = labelled_count(labelling, n_positive)

    def candidate_features() -> Matrix:
        if features is None:
            raise ValueError(f"labelling '{labelling.label}' needs features")
        return features()[rows]

    draw = labelling.mechanism.draw(candidate_features, y[rows], count, rng)
    propensity = np.full(y.size, np.nan)
    propensity[rows] = draw.propensity
    note = f"{count} positives drawn with replacement from {n_positive}"
    return _Drawn(rows[draw.labelled], propensity, (note,) if count > n_positive else ())
