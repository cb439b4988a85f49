"""Every message between a worker, which holds the truth, and its child, which runs plugins: a tagged union each way.

The worker sends a :data:`Request`, the child answers with :data:`Reply` values. Arrays travel beside a message as raw
bytes and nothing is ever unpickled, so that what a plugin returns cannot run code where the truth is. The parts of a
request (algorithm, criteria, search, prior) are what ``plan/`` resolved: a concept has one shape.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from pubench.specs import Array, Scenario
from pubench.status import Problem
from pubench.tasks import AlgorithmPlan, CriterionPlan, Features, Preprocess, PriorPlan, SearchPlan, Seeds

if TYPE_CHECKING:
    from pubench.specs import JSONValue, Params
else:
    # edge: msgspec cannot read recursive aliases; it takes any JSON here.
    JSONValue, Params = Any, Mapping[str, Any]

__all__ = [
    "CellStarted",
    "CellsRequest",
    "End",
    "Failed",
    "Introspection",
    "LoadRequest",
    "Loaded",
    "LogLine",
    "OracleQuestion",
    "OracleValues",
    "PixelWeights",
    "Predictions",
    "PriorFound",
    "PriorRequest",
    "ProtocolError",
    "Ready",
    "Reply",
    "Request",
    "Result",
    "Searched",
    "Started",
    "Trial",
    "from_json",
    "to_json",
]


M = TypeVar("M")


def to_json(value: object) -> bytes:
    """Return a message or record as JSON; NumPy's numbers become plain ones, unknown objects their text."""
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        # Paths and texts may hold bytes that are not UTF-8, which Python keeps as surrogates.
        return json.dumps(msgspec.to_builtins(value, enc_hook=_plain), allow_nan=False).encode()


def from_json(decoder: msgspec.json.Decoder[M], text: bytes) -> M:
    """Read what :func:`to_json` wrote; raise a ValueError if it is something else."""
    try:
        return decoder.decode(text)
    except msgspec.DecodeError as error:
        try:
            return msgspec.convert(json.loads(text), decoder.type)
        except (ValueError, RecursionError):
            raise error from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else repr(value)


_ENCODER = msgspec.json.Encoder(enc_hook=_plain)


class ProtocolError(ValueError):
    """The other side sent something that does not fit the protocol."""


class CellsRequest(msgspec.Struct, frozen=True, kw_only=True, tag="cells"):
    """Tune, fit and score one algorithm; a result for each criterion.

    Arrays: training rows, s, test rows; and true labels for a reference algorithm.
    """

    files: tuple[str, ...]
    data: Features
    preprocess: Preprocess
    scenario: Scenario
    algorithm: AlgorithmPlan
    criteria: tuple[CriterionPlan, ...]
    training: tuple[CriterionPlan, ...]
    tuning: SearchPlan | None
    prior: PriorPlan
    seeds: Seeds


class PriorRequest(msgspec.Struct, frozen=True, kw_only=True, tag="prior"):
    """Estimate the prior. Arrays: rows, s."""

    files: tuple[str, ...]
    data: Features
    preprocess: Preprocess
    scenario: Scenario
    seed: int
    name: str
    function: str
    params: Params


class LoadRequest(msgspec.Struct, frozen=True, kw_only=True, tag="load"):
    """Load a data set into ``folder``; ``asked`` is what the user wrote, ``params`` adds the plugin's defaults."""

    name: str
    loader: str
    card: str
    params: Params
    asked: Params
    files: tuple[str, ...]
    folder: str


class OracleValues(msgspec.Struct, frozen=True, kw_only=True, tag="values"):
    """The worker's answer to an :class:`OracleQuestion`; None where a metric is undefined."""

    values: Mapping[str, float | None]


Request: TypeAlias = CellsRequest | PriorRequest | LoadRequest | OracleValues


class Started(msgspec.Struct, frozen=True, kw_only=True, tag="started"):
    """The child runs."""


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """Imports are done: the clock of the cell starts."""


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One set of parameters with the value of each criterion; ``error`` says why there are none."""

    params: Params
    values: Mapping[str, float | None]
    seconds: float
    error: str = ""


class Searched(msgspec.Struct, frozen=True, kw_only=True, tag="searched"):
    """The search is over; no trials where nothing is tuned."""

    seconds: float
    trials: tuple[Trial, ...]


class OracleQuestion(msgspec.Struct, frozen=True, kw_only=True, tag="oracle"):
    """Asks for the values of oracle criteria. Arrays: validation rows, then predictions."""

    criteria: tuple[str, ...]


class CellStarted(msgspec.Struct, frozen=True, kw_only=True, tag="start"):
    """The final fit for a criterion begins."""

    criterion: str | None


class Result(msgspec.Struct, frozen=True, kw_only=True, tag="result"):
    """A criterion's chosen model. Arrays: its predictions for the test rows."""

    criterion: str | None
    params: Params
    prior: float | None
    prior_low: float | None
    prior_high: float | None
    doubts: tuple[str, ...]
    fit_seconds: float
    score_seconds: float
    peak_memory_mb: float
    training: Mapping[str, float | None]
    training_notes: tuple[str, ...]


class PixelWeights(msgspec.Struct, frozen=True, kw_only=True):
    """Weights of the pixels of an image, line by line."""

    shape: tuple[int, ...]
    pixels: tuple[float, ...]


class Introspection(msgspec.Struct, frozen=True, kw_only=True, tag="inside"):
    """The stages and weights of a model. Arrays: with stages, their scores, shape (k, n).

    ``weights`` are (column, value) pairs, the largest first; ``of`` says what they are, ``size`` how many columns
    there are.
    """

    criteria: tuple[str | None, ...]
    stages: tuple[int, ...] = ()
    of: str = ""
    weights: tuple[tuple[int, float], ...] = ()
    size: int = 0
    image: PixelWeights | None = None
    errors: tuple[str, ...] = ()


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    """The request, or the cell that was started, has no result."""

    problem: Problem


class End(msgspec.Struct, frozen=True, kw_only=True, tag="end"):
    """All cells of a request have been answered."""


class LogLine(msgspec.Struct, frozen=True, kw_only=True, tag="log"):
    """A line that a loader logged."""

    level: int
    text: str


class Loaded(msgspec.Struct, frozen=True, kw_only=True, tag="loaded"):
    """The data set is stored."""


class PriorFound(msgspec.Struct, frozen=True, kw_only=True, tag="prior"):
    """An estimate of the prior and the seconds it took."""

    value: float
    low: float
    high: float
    level: float
    doubts: tuple[str, ...]
    seconds: float


Reply: TypeAlias = (
    Started
    | Ready
    | Searched
    | OracleQuestion
    | CellStarted
    | Result
    | Introspection
    | Failed
    | End
    | LogLine
    | Loaded
    | PriorFound
)


@dataclass(frozen=True, slots=True)
class Predictions:
    """Predictions for n rows: real scores (>= 0 means positive), 0/1 decisions, and probabilities if there are any."""

    score: NDArray[np.float64]
    decision: NDArray[np.uint8]
    probability: NDArray[np.float64] | None

    @classmethod
    def from_arrays(cls, arrays: Sequence[Array]) -> Predictions:
        """Read what :meth:`arrays` made, as it comes with a message."""
        kinds = [array.dtype.str for array in arrays]
        shapes = {array.shape for array in arrays}
        if kinds not in (_DECISIONS, [*_DECISIONS, "<f8"]) or len(shapes) != 1 or len(*shapes) != 1:
            raise ProtocolError("predictions must be scores, decisions and, at most, probabilities of n rows")
        return cls(arrays[0], arrays[1], arrays[2] if len(arrays) > 2 else None)

    def arrays(self) -> list[Array]:
        """Return the arrays to send: two of shape (n,), or three where there are probabilities."""
        arrays: list[Array] = [self.score, self.decision]
        return arrays if self.probability is None else [*arrays, self.probability]

    def of(self, rows: NDArray[np.bool_]) -> Predictions:
        """Return the predictions for some of the rows."""
        return Predictions.from_arrays([array[rows] for array in self.arrays()])


_DECISIONS = ["<f8", "|u1"]
