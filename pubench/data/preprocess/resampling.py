"""Resampling of the rows that an estimator is fitted to; rows to be predicted stay as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.errors import DataError

if TYPE_CHECKING:
    from pubench.data.values import Matrix

__all__ = ["resample_rows"]

_NEIGHBOURS = 5


def resample_rows(X: Matrix, labels: NDArray[np.uint8], seed: int) -> tuple[Matrix, NDArray[np.uint8]]:
    r"""Make both labels equally frequent by SMOTE, then remove Tomek links (Batista et al., 2004).

    SMOTE adds rows :math:`x + u (x' - x)` with u uniform in [0, 1], where x has the rarer label and x' is one of its
    nearest neighbours of the same label. A Tomek link is a pair of nearest neighbours with different labels; both are
    removed.

    Parameters
    ----------
    X : matrix of shape (n, d)
        Without missing numbers.
    labels : uint8 array of shape (n,)
    seed : int

    Raises
    ------
    DataError
        If imbalanced-learn is missing, or the rarer label has a single row.
    """
    try:
        from imblearn.combine import SMOTETomek
        from imblearn.over_sampling import SMOTE
    except ImportError:
        raise DataError(
            'resample = "smote-tomek" needs the package imbalanced-learn; run: pip install "pubench[resample]"'
        ) from None
    rare = int(np.bincount(labels, minlength=2).min())
    if rare < 2:
        raise DataError(
            f'resample = "smote-tomek" needs two rows of each label, and one has {rare}; remove it'
        )
    smote = SMOTE(k_neighbors=min(_NEIGHBOURS, rare - 1), random_state=seed % 2**32)
    X_new, new = SMOTETomek(smote=smote, random_state=seed % 2**32).fit_resample(X, labels)
    return X_new, np.asarray(new, dtype=np.uint8)
