"""Label easy positives first, and see what that does to the estimated prior and to the ranking."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import pubench

rng = np.random.default_rng(1)
y = rng.random(2000) < 0.4
X = rng.normal(size=(2000, 2)) + 1.5 * y[:, None]
distance = X.sum(axis=1) - X[y].sum(axis=1).mean()

strengths, priors, aucs = [0.0, 1.0, 2.0, 4.0], [], []
for strength in strengths:
    # The propensity of a positive: one half on average, higher where it is far from the negatives.
    propensity = 1.0 / (1.0 + np.exp(-strength * distance))
    s = (y & (rng.random(2000) < propensity)).astype(int)
    estimate = pubench.estimate_prior(
        X, s, scenario="single-training-set", estimator="profile", random_state=0
    )
    priors.append(estimate.value)
    scores = LogisticRegression().fit(X, s).decision_function(X)
    aucs.append(roc_auc_score(y, scores))

figure, axes = plt.subplots(1, 2, figsize=(7, 2.6), layout="constrained")
axes[0].plot(strengths, priors, "o-", color="#c2410c")
axes[0].axhline(0.4, linestyle=":", color="#1d4ed8")
axes[0].set(xlabel="strength of the bias", ylabel="estimated prior (dotted: truth)", ylim=(0, 0.6))
axes[1].plot(strengths, aucs, "o-", color="#c2410c")
axes[1].set(xlabel="strength of the bias", ylabel="AUC of the ranking", ylim=(0.5, 1.0))
figure.savefig("sar_labelling.png", dpi=110)
for strength, prior, auc in zip(strengths, priors, aucs, strict=True):
    print(f"bias {strength:g}: prior {prior:.2f}, AUC {auc:.2f}")
