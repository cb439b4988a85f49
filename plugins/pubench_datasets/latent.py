"""Dense features of texts by latent semantic analysis, learned from the training texts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pubench.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["latent_features"]

_MIN_COUNT = 6


def latent_features(counts: Any, train: NDArray[np.bool_], size: int) -> NDArray[np.float32]:
    r"""Return the directions of texts in the space of the largest singular vectors.

    With T the weights :math:`(1 + \ln n_{tw}) \mathrm{idf}_w` of terms w in training texts t, rows of unit length, and
    :math:`T \approx U \Sigma V^\top`, a text x becomes :math:`x V`, again of unit length. Terms that occur fewer than
    six times in the training texts are excluded.

    Parameters
    ----------
    counts : sparse matrix of shape (n, d)
        The count of each term in each text.
    train : bool array of shape (n,)
        The training texts, from which idf and V are learned.
    size : int
        The number of singular vectors.

    Returns
    -------
    float32 array of shape (n, size)
        A text without a known term is zero.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.preprocessing import normalize

    known = np.asarray(counts[train].sum(axis=0)).ravel() >= _MIN_COUNT
    if min(int(known.sum()), int(train.sum())) <= size:
        raise DataError(
            f"{int(train.sum())} training texts with {int(known.sum())} terms that occur at least {_MIN_COUNT} times "
            f"are too few for {size} directions; get the whole file"
        )
    kept = counts[:, known].astype(np.float64)
    weights = TfidfTransformer(sublinear_tf=True).fit(kept[train]).transform(kept)
    vectors = TruncatedSVD(size, random_state=0).fit(weights[train])
    directions: NDArray[np.float32] = normalize(vectors.transform(weights)).astype(np.float32)
    return directions
