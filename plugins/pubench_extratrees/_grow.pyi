import numpy as np
from numpy.typing import NDArray

def grow(
    values: NDArray[np.float32],
    rows: NDArray[np.int32] | None,
    starts: NDArray[np.int64] | None,
    p_rows: NDArray[np.int32],
    u_rows: NDArray[np.int32],
    n_features: int,
    weights: tuple[float, float, float, int, bool],
    rules: tuple[int, int, int, int, int, int, float],
    seed: int,
    by_row: bool = False,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]: ...
