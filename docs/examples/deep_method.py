"""Train nnPU's network on images of digits, and see which new images it calls even."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score

import pubench

X, digit = load_digits(return_X_y=True)
X, y = X / 16.0, digit % 2 == 0
rng = np.random.default_rng(5)
train = rng.permutation(len(X))[:1200]
test = np.setdiff1d(np.arange(len(X)), train)
s = (y[train] & (rng.random(len(train)) < 0.4)).astype(int)

model = pubench.make("nnpu", prior=float(y[train].mean()), scenario="single-training-set", random_state=0)
model.fit(X[train], s)
decision = model.predict(X[test]).astype(bool)

figure, axes = plt.subplots(2, 10, figsize=(7, 1.7), layout="constrained")
for row, called in zip(axes, (True, False), strict=True):
    for ax, image in zip(row, X[test][decision == called], strict=False):
        ax.imshow(image.reshape(8, 8), cmap="gray_r")
        ax.set(xticks=[], yticks=[])
    row[0].set_ylabel("even" if called else "odd")
figure.savefig("deep_method.png", dpi=110)
print(f"accuracy on test images: {accuracy_score(y[test], decision):.2f}")
