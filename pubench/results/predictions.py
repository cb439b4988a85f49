"""Test predictions as a run folder keeps them: ``predictions.bin`` has the numbers, ``predictions.jsonl`` says whose.

The numbers of one model are its scores and, where there are any, its probabilities, both rounded to 32 bits, and its
decisions, one bit each. A line of the index holds their place and a digest of their bytes, which is checked on reading.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from pubench.errors import DamagedFileError, RunFolderError
from pubench.protocol import Predictions
from pubench.results.checked import checksum

__all__ = [
    "BINARY",
    "PackedPredictions",
    "StoredPredictions",
    "labels_digest",
    "read_packed",
    "read_predictions",
]

BINARY = "predictions.bin"
_REMEDY = "run the suite with --force, which computes all cells again"
_LARGEST = float(np.finfo(np.float32).max)


class PackedPredictions(msgspec.Struct, frozen=True, kw_only=True):
    """The predictions of a model for n test rows as bytes, and the digest of the labels that they were judged by."""

    n: int
    probability: bool
    labels: str
    data: bytes

    @classmethod
    def of(cls, predictions: Predictions, y: NDArray[np.uint8]) -> PackedPredictions:
        """Pack predictions for rows with labels ``y``."""
        columns = [predictions.score]
        columns += [] if predictions.probability is None else [predictions.probability]
        # What 32 bits cannot hold becomes the largest number that they can: infinities are not scores.
        packed = [np.clip(column, -_LARGEST, _LARGEST).astype("<f4").tobytes() for column in columns]
        packed.append(np.packbits(predictions.decision).tobytes())
        return cls(n=len(y), probability=len(columns) > 1, labels=labels_digest(y), data=b"".join(packed))


class StoredPredictions(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the index: where the predictions of a cell begin, their shape, and the digests of bytes and labels."""

    key: str
    start: int
    n: int
    probability: bool
    digest: str
    labels: str

    @classmethod
    def of(cls, key: str, start: int, packed: PackedPredictions) -> StoredPredictions:
        """Return the line for packed predictions that begin at byte ``start``."""
        digest = checksum(packed.data).decode()
        return cls(
            key=key,
            start=start,
            n=packed.n,
            probability=packed.probability,
            digest=digest,
            labels=packed.labels,
        )

    @property
    def end(self) -> int:
        """The first byte behind them."""
        return self.start + 4 * self.n * (1 + self.probability) + (self.n + 7) // 8


def labels_digest(y: NDArray[np.uint8]) -> str:
    """Return the digest of test labels: predictions are scored only against the labels that they were made for."""
    return checksum(np.ascontiguousarray(y, dtype=np.uint8).tobytes()).decode()


def read_predictions(folder: Path, line: StoredPredictions) -> Predictions:
    """Return the predictions of a cell; raises as :func:`read_packed` does."""
    return _unpacked(line, read_packed(folder, line).data)


def read_packed(folder: Path, line: StoredPredictions) -> PackedPredictions:
    """Return the predictions of a cell as they are stored.

    Raises
    ------
    DamagedFileError
        If a byte of them is not as it was written, or some are missing.
    RunFolderError
        If the file cannot be opened.
    """
    path = folder / BINARY
    try:
        with path.open("rb") as file:
            file.seek(line.start)
            data = file.read(line.end - line.start)
    except FileNotFoundError:
        raise RunFolderError(f"{path} is missing; {_REMEDY}") from None
    except OSError as error:
        raise RunFolderError(f"cannot read {path}: {error.strerror}") from None
    if checksum(data).decode() != line.digest:
        raise DamagedFileError(
            f"{path} is damaged: the predictions of cell {line.key} were altered; {_REMEDY}"
        )
    return PackedPredictions(n=line.n, probability=line.probability, labels=line.labels, data=data)


def _unpacked(line: StoredPredictions, data: bytes) -> Predictions:
    n, columns = line.n, 1 + line.probability
    numbers = np.frombuffer(data, "<f4", n * columns).astype(np.float64).reshape(columns, n)
    decision = np.unpackbits(np.frombuffer(data, np.uint8, offset=4 * n * columns), count=n)
    return Predictions(numbers[0], decision, numbers[1] if line.probability else None)
