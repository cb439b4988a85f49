import numpy as np
from numpy.typing import NDArray

def walk_dense(
    steps: NDArray[np.int32],
    roots: NDArray[np.int32],
    X: NDArray[np.float32],
    sums: NDArray[np.float64] | None,
    leaves: NDArray[np.int32] | None,
) -> None: ...
def walk_sparse(
    steps: NDArray[np.int32],
    roots: NDArray[np.int32],
    values: NDArray[np.float32],
    columns: NDArray[np.int32],
    starts: NDArray[np.int32],
    n_features: int,
    sums: NDArray[np.float64] | None,
    leaves: NDArray[np.int32] | None,
) -> None: ...
