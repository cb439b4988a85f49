"""Choose a setting by a criterion that needs no negatives, and compare the choice with the truth."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import f1_score

import pubench
from pubench.criteria import Validation, puf

rng = np.random.default_rng(3)


def draw(n):
    """Return rows of two classes, and the classes."""
    y = rng.random(n) < 0.4
    X = rng.normal(size=(n, 20))
    X[:, :3] += y[:, None]
    return X, y


(X, y), (X_valid, y_valid) = draw(800), draw(800)
s, s_valid = ((classes & (rng.random(800) < 0.5)).astype(int) for classes in (y, y_valid))

values, by_puf, by_truth = np.geomspace(1e-4, 10.0, 11), [], []
for c in values:
    model = pubench.make("wlr", c=c).fit(X, s)
    decision = model.predict(X_valid)
    valid = Validation(
        score=model.decision_function(X_valid),
        decision=decision,
        s=s_valid,
        scenario="single-training-set",
        prior=None,
    )
    by_puf.append(puf(valid))
    by_truth.append(f1_score(y_valid, decision))

figure, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
for scores, name, colour in (
    (by_puf, "PUF, from P and U", "#c2410c"),
    (by_truth, "F1, true classes", "#1d4ed8"),
):
    ax.semilogx(values, scores, "o-", color=colour, label=name)
    ax.axvline(values[int(np.argmax(scores))], color=colour, linestyle=":")
ax.set(xlabel="c of weighted logistic regression (dotted: what each would choose)")
ax.legend(frameon=False)
figure.savefig("tuning_without_negatives.png", dpi=110)
print(f"PUF chooses c with F1 {by_truth[int(np.argmax(by_puf))]:.2f}; the best F1 is {max(by_truth):.2f}")
