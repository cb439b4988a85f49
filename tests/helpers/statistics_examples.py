"""The worked example of Demsar (2006), Table 6: AUC of C4.5 with and without tuning on 14 data sets.

"voting" has the ranks 2 and 3 for two values that are printed as 0.975; the last digit here keeps that order.
"""

import numpy as np

NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
AUC = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],  # adult (sample)
        [0.599, 0.591, 0.590, 0.569],  # breast cancer
        [0.954, 0.971, 0.968, 0.967],  # breast cancer wisconsin
        [0.628, 0.661, 0.654, 0.657],  # cmc
        [0.882, 0.888, 0.886, 0.898],  # ionosphere
        [0.936, 0.931, 0.916, 0.931],  # iris
        [0.661, 0.668, 0.609, 0.685],  # liver disorders
        [0.583, 0.583, 0.563, 0.625],  # lung cancer
        [0.775, 0.838, 0.866, 0.875],  # lymphography
        [1.000, 1.000, 1.000, 1.000],  # mushroom
        [0.940, 0.962, 0.965, 0.962],  # primary tumor
        [0.619, 0.666, 0.614, 0.669],  # rheum
        [0.972, 0.981, 0.9751, 0.975],  # voting
        [0.957, 0.978, 0.946, 0.970],  # wine
    ]
)
RANKS = (3.143, 2.000, 2.893, 1.964)
