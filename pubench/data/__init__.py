"""Data: loaded, kept as arrays in a cache, split, labelled and preprocessed; the truth separately in ``data.truth``."""

from pubench.data.cache import Download, cache_root, digest, write_atomically
from pubench.data.labelling import Labelling
from pubench.data.stored import StoredDataset
from pubench.data.values import Data, Matrix

__all__ = [
    "Data",
    "Download",
    "Labelling",
    "Matrix",
    "StoredDataset",
    "cache_root",
    "digest",
    "write_atomically",
]
