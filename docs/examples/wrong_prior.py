"""Give a method priors that are too low and too high, and see how its decisions and its ranking change."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import accuracy_score, roc_auc_score

import pubench

rng = np.random.default_rng(2)


def draw(n):
    """Return rows of two classes, and the classes."""
    y = rng.random(n) < 0.4
    return rng.normal(size=(n, 2)) + 1.4 * y[:, None], y


X_unlabelled, _ = draw(1500)
X_positive = rng.normal(1.4, size=(300, 2))
X, s = np.vstack([X_positive, X_unlabelled]), np.repeat([1, 0], [300, 1500])
X_test, y_test = draw(3000)

priors, accuracy, auc = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], [], []
for prior in priors:
    model = pubench.make("upu", prior=prior, scenario="case-control").fit(X, s)
    accuracy.append(accuracy_score(y_test, model.predict(X_test)))
    auc.append(roc_auc_score(y_test, model.decision_function(X_test)))

figure, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
ax.plot(priors, accuracy, "o-", color="#c2410c", label="accuracy of decisions")
ax.plot(priors, auc, "o-", color="#1d4ed8", label="AUC of the ranking")
ax.axvline(0.4, linestyle=":", color="#6b7280")
ax.set(xlabel="prior given to the method (dotted: the truth)", ylim=(0.3, 1.0))
ax.legend(frameon=False)
figure.savefig("wrong_prior.png", dpi=110)
for prior, one, other in zip(priors, accuracy, auc, strict=True):
    print(f"prior {prior}: accuracy {one:.2f}, AUC {other:.2f}")
