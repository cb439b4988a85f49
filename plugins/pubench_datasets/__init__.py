"""Data sets that ship with scikit-learn: the hook and its specs; loaders import it only when called."""

from __future__ import annotations

from pubench.hookspecs import hookimpl
from pubench.specs import Dataset

__all__ = ["pubench_datasets"]

_SOURCE = "UCI Machine Learning Repository, as shipped with scikit-learn"
_LICENCE = "CC BY 4.0"


@hookimpl
def pubench_datasets() -> list[Dataset]:
    """Return the four classification sets embedded in scikit-learn; they need no network."""
    return [
        Dataset(
            name="breast-cancer",
            loader="pubench_datasets.embedded:breast_cancer",
            summary="Wisconsin breast cancer: 569 tumours, 30 features of cell nuclei; malignant is positive",
            version="1",
            positive=("malignant",),
            source=_SOURCE,
            licence=_LICENCE,
            citation="W. Wolberg, O. Mangasarian, N. Street and W. Street (1993), doi:10.24432/C5DW2B",
        ),
        Dataset(
            name="digits",
            loader="pubench_datasets.embedded:digits",
            summary="Handwritten digits: 1797 images of 8 x 8 pixels, ten classes; even digits are positive",
            version="1",
            positive=("0", "2", "4", "6", "8"),
            source=_SOURCE,
            licence=_LICENCE,
            citation="E. Alpaydin and C. Kaynak (1998), doi:10.24432/C50P49",
        ),
        Dataset(
            name="wine",
            loader="pubench_datasets.embedded:wine",
            summary="Wine: 178 wines, 13 measurements, three growers; the most frequent one is positive",
            version="1",
            positive=("class_1",),
            source=_SOURCE,
            licence=_LICENCE,
            citation="S. Aeberhard and M. Forina (1992), doi:10.24432/C5PC7J",
        ),
        Dataset(
            name="iris",
            loader="pubench_datasets.embedded:iris",
            summary="Iris: 150 flowers, 4 measurements, three species; virginica is positive",
            version="1",
            positive=("virginica",),
            source=_SOURCE,
            licence=_LICENCE,
            citation="R. A. Fisher (1936), doi:10.24432/C56C76",
        ),
    ]
