"""Estimate the class prior with several estimators, and compare them with the truth."""

import matplotlib.pyplot as plt
import numpy as np

import pubench

TRUE_PRIOR = 0.3
rng = np.random.default_rng(0)
y = rng.random(1500) < TRUE_PRIOR
X = rng.normal(size=(1500, 2)) + 3.0 * y[:, None]
s = (y & (rng.random(1500) < 0.5)).astype(int)

names = ["profile", "dedpul", "elkan-noto-e1", "pen-l1"]
estimates = [
    pubench.estimate_prior(X, s, scenario="single-training-set", estimator=name, random_state=0)
    for name in names
]

figure, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
for place, estimate in enumerate(estimates):
    ax.plot([estimate.low, estimate.high], [place, place], color="#6b7280")
    ax.plot(estimate.value, place, "o", color="#c2410c")
ax.axvline(TRUE_PRIOR, linestyle=":", color="#1d4ed8")
ax.set(yticks=range(len(names)), yticklabels=names, xlabel="class prior (dotted: the truth)", xlim=(0, 0.6))
ax.margins(y=0.2)
figure.savefig("choosing_a_prior.png", dpi=110)
for name, estimate in zip(names, estimates, strict=True):
    print(f"{name}: {estimate.value:.2f}")
