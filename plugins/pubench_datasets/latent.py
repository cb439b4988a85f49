"""Texts as a few dense numbers each: what word vectors are for, learned from the texts to train on alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pubench.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["latent_features"]

_MIN_COUNT = 6


def latent_features(counts: Any, train: NDArray[np.bool_], size: int) -> NDArray[np.float32]:
    r"""Return the directions of texts in the space of their largest singular vectors.

    With T the weights :math:`(1 + \ln n_{tw}) \mathrm{idf}_w` of terms w in texts t to train on, rows of unit length,
    and :math:`T \approx U \Sigma V^\top`, a text x becomes :math:`x V`, again of unit length. Terms that occur fewer
    than six times in the texts to train on are left out.

    Parameters
    ----------
    counts : sparse matrix of shape (n, d)
        How often each term occurs in each text.
    train : bool array of shape (n,)
        The texts that idf and V are learned from.
    size : int
        How many singular vectors.

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
            f"{int(train.sum())} texts to train on with {int(known.sum())} terms that occur {_MIN_COUNT} times or more "
            f"have no {size} directions; get the whole file"
        )
    kept = counts[:, known].astype(np.float64)
    weights = TfidfTransformer(sublinear_tf=True).fit(kept[train]).transform(kept)
    vectors = TruncatedSVD(size, random_state=0).fit(weights[train])
    found: NDArray[np.float32] = normalize(vectors.transform(weights)).astype(np.float32)
    return found
