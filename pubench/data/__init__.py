"""Data: loaded, kept as arrays in a cache, split, labelled and preprocessed; the truth separately in ``data.truth``."""

from pubench.data.cache import Download, cache_root, digest, write_atomically
from pubench.data.labelling import Labelling
from pubench.data.values import Data, Matrix
from pubench.sandbox.guard import refuse_in_child

__all__ = [
    "Data",
    "Download",
    "Labelling",
    "Matrix",
    "cache_root",
    "digest",
    "refuse_in_child",
    "write_atomically",
]
