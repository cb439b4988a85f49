from typing import Any

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]
_Reals = NDArray[np.floating[Any]]

def place_cuts(ordered: _Floats, uppers: _Floats, cuts: _Floats) -> int: ...
def encode(values: _Reals, cuts: _Floats, places: NDArray[np.intp], codes: NDArray[np.uint8]) -> None: ...
def running_sums(codes: NDArray[np.uint8], weights: _Floats, sums: _Floats) -> None: ...
def snap(
    draws: _Floats, uppers: _Floats, lowest: _Floats, bins: NDArray[np.int32], chosen: NDArray[np.int32]
) -> None: ...
def best_stump(
    positive: _Floats,
    labelled: _Floats,
    negative: _Floats,
    bins: NDArray[np.int32],
    chosen: NDArray[np.int32],
    masses: tuple[float, float, float],
    growths: tuple[float, float, float],
    tolerance: float,
) -> tuple[int, int, int, float]: ...
def reweight(
    codes: NDArray[np.uint8], cut: int, up: float, down: float, positive: _Floats, negative: _Floats
) -> tuple[float, float, float]: ...
def add_votes(
    X: _Reals, features: NDArray[np.intp], thresholds: _Floats, votes: _Floats, scores: _Floats
) -> None: ...
