"""Features as bins of one byte: sorted once, so that a round of boosting is one pass of additions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench_adapu._stumps import encode, place_cuts

__all__ = ["MOST_BINS", "Bins", "bin_features"]

MOST_BINS = 256
# A cache line holds eight numbers of a row: as many columns are copied out together.
_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class Bins:
    """The binned features of a sample, labelled rows first.

    Attributes
    ----------
    codes : uint8 array of shape (d, n)
        The bin of each row, by feature.
    counts : int32 array of shape (d,)
        How many bins a feature has; 1 if it is constant.
    cuts : float array of shape (d, 256)
        A row lies in a bin up to k if its value is at most ``cuts[j, k]``; infinity beyond the last cut.
    uppers : float array of shape (d, max_bins)
        The largest value in each bin.
    lowest : float array of shape (d,)
        The least value of each feature.
    """

    codes: NDArray[np.uint8]
    counts: NDArray[np.int32]
    cuts: NDArray[np.float64]
    uppers: NDArray[np.float64]
    lowest: NDArray[np.float64]


def bin_features(X: NDArray[np.floating[Any]], s: NDArray[np.uint8], max_bins: int) -> Bins:
    """Bin each feature: a bin for each distinct value, or about as many rows in each of ``max_bins`` bins.

    Parameters
    ----------
    X : float32 or float64 array of shape (n, d)
    s : uint8 array of shape (n,)
        1 = labelled; these rows come first in the codes, each kind in its order.
    max_bins : int
        At most 256.
    """
    n, d = X.shape
    places = np.empty(n, dtype=np.intp)
    places[np.argsort(s == 0, kind="stable")] = np.arange(n)
    bins = Bins(
        np.empty((d, n), dtype=np.uint8),
        np.empty(d, dtype=np.int32),
        np.empty((d, MOST_BINS)),
        np.empty((d, max_bins)),
        np.empty(d),
    )
    for start in range(0, d, _COLUMNS):
        for j, column in enumerate(np.ascontiguousarray(X[:, start : start + _COLUMNS].T), start):
            ordered = np.sort(column).astype(np.float64, copy=False)
            bins.lowest[j] = ordered[0]
            bins.counts[j] = place_cuts(ordered, bins.uppers[j], bins.cuts[j])
            encode(column, bins.cuts[j], places, bins.codes[j])
    return bins
