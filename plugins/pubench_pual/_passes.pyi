import numpy as np
from numpy.typing import NDArray

def congruence(
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    data: NDArray[np.float64],
    K: NDArray[np.float64],
    ridge: float,
) -> NDArray[np.float64]: ...
def nearest(distances: NDArray[np.float64], first: int, k: int) -> NDArray[np.int64]: ...
