"""The specs of all bundled data sets but those of papers: of scikit-learn, generated, from files, from OpenML."""

from __future__ import annotations

from pubench.citations import cite
from pubench.specs import Dataset

__all__ = ["embedded_datasets", "file_datasets", "openml_datasets", "species_datasets", "synthetic_datasets"]

_SOURCE = "UCI Machine Learning Repository, as shipped with scikit-learn"
_LICENCE = "CC BY 4.0"


def embedded_datasets() -> list[Dataset]:
    """Return the four classification sets included in scikit-learn; they work offline."""
    return [
        Dataset(
            name="breast-cancer",
            loader="pubench_datasets.embedded:breast_cancer",
            summary="Wisconsin breast cancer: 569 tumours, 30 features of cell nuclei; malignant is positive",
            version="1",
            positive=("malignant",),
            source=_SOURCE,
            licence=_LICENCE,
            bibtex=cite("uci-breast-cancer"),
        ),
        Dataset(
            name="digits",
            loader="pubench_datasets.embedded:digits",
            summary="Handwritten digits: 1797 images of 8 x 8 pixels, ten classes; even digits are positive",
            version="1",
            positive=("0", "2", "4", "6", "8"),
            source=_SOURCE,
            licence=_LICENCE,
            bibtex=cite("uci-digits"),
        ),
        Dataset(
            name="wine",
            loader="pubench_datasets.embedded:wine",
            summary="Wine: 178 wines, 13 measurements, three growers; the most frequent one is positive",
            version="1",
            positive=("class_1",),
            source=_SOURCE,
            licence=_LICENCE,
            bibtex=cite("uci-wine"),
        ),
        Dataset(
            name="iris",
            loader="pubench_datasets.embedded:iris",
            summary="Iris: 150 flowers, 4 measurements, three species; virginica is positive",
            version="1",
            positive=("virginica",),
            source=_SOURCE,
            licence=_LICENCE,
            bibtex=cite("uci-iris"),
        ),
    ]


def synthetic_datasets() -> list[Dataset]:
    """Return generated data with known posteriors; ``params`` set size, prior, noise and seed."""
    summaries = {
        "trifurcate": "Positives on both sides of the negatives in the plane; mean_p2 moves the far group",
        "gaussians": "Two Gaussians with a common covariance; Bayes accuracy in closed form",
        "moons": "Two interleaved half circles with noise",
        "checkerboard": "Squares of alternating class",
        "topics": "Sparse word counts of documents about one topic each",
    }
    return [
        Dataset(
            name=name,
            loader=f"pubench_datasets.synthetic:{name}",
            summary=f"{summary}; posterior known",
            version="1",
            positive=("1",),
            preprocess={"scale": "none"} if name == "topics" else {},
            source="generated",
            licence="BSD-3-Clause",
            bibtex=cite("wang2024pual" if name == "trifurcate" else "pubench"),
        )
        for name, summary in summaries.items()
    ]


def file_datasets() -> list[Dataset]:
    """Return the file formats; ``params.path`` is relative to the suite."""
    summaries = {
        "csv": "Your own table as CSV; text becomes categories",
        "tsv": "A table separated by tabs",
        "arff": "An ARFF file, dense or sparse",
        "parquet": "A Parquet file (needs pyarrow)",
        "svmlight": "SVMlight / LIBSVM lines as a sparse matrix",
        "npz": "The arrays data, target and split of a NumPy archive",
        "jsonl": "Documents in JSON lines as raw term counts",
    }
    return [
        Dataset(
            name=name,
            loader=f"pubench_datasets.files:{name}",
            identity="pubench_datasets.files:identity",
            summary=summary,
            version="2" if name in {"jsonl", "parquet"} else "1",
            paths=("path",),
            preprocess={"scale": "none", "min_count": 6, "norm": "l2"} if name == "jsonl" else {},
            source="your own",
        )
        for name, summary in summaries.items()
    ]


def species_datasets() -> list[Dataset]:
    """Return the presence-only records of species; without a region an entry stands for all six."""
    return [
        Dataset(
            name="disdat",
            loader="pubench_datasets.species:disdat",
            identity="pubench_datasets.species:identity",
            expand="pubench_datasets.species:regions",
            summary="Presence-only records of 226 species in six regions, judged by independent surveys",
            version="2",
            source="R package disdat, from PUBENCH_DATA/disdat",
            licence="GPL >= 3 (the R package); another source of the data says CC BY-NC 4.0: not bundled",
            bibtex=cite("elith2020"),
        )
    ]


def openml_datasets() -> list[Dataset]:
    """Return the data sets of OpenML: one by id or name, or many by a list of ids, a benchmark suite or a tag."""
    return [
        Dataset(
            name="openml",
            loader="pubench_datasets.openml_source:openml",
            identity="pubench_datasets.openml_source:identity",
            expand="pubench_datasets.openml_source:expand",
            card="pubench_datasets.openml_source:card",
            downloads="pubench_datasets.openml_cache:downloads",
            summary="Any public OpenML data set, by id or by name and version; many by ids, suite or tag",
            version="1",
            source="OpenML",
            bibtex=cite("vanschoren2013"),
        )
    ]
