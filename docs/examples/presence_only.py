"""Map where a species is likely to live from records of where it was seen."""

import matplotlib.pyplot as plt
import numpy as np

import pubench

rng = np.random.default_rng(4)


def environment(place):
    """Return temperature and rain at places of the unit square."""
    east, north = place.T
    return np.column_stack([25.0 - 15.0 * north, 400.0 + 900.0 * east * (1.0 - 0.4 * north)])


def lives(place):
    """Return the probability that the species lives there: it likes warm and wet places."""
    temperature, rain = environment(place).T
    return 1.0 / (1.0 + np.exp(-(0.6 * (temperature - 18.0) + 0.01 * (rain - 800.0))))


places = rng.random((6000, 2))
seen = places[rng.random(6000) < lives(places)][:200]
background = rng.random((1500, 2))
X = environment(np.vstack([seen, background]))
s = np.repeat([1, 0], [len(seen), len(background)])
model = pubench.make("rf-down", random_state=0).fit(X, s)

grid = np.stack(np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, 1, 60)), axis=-1).reshape(-1, 2)
figure, axes = plt.subplots(1, 2, figsize=(7, 3.2), layout="constrained", sharey=True)
for ax, values, title in (
    (axes[0], model.decision_function(environment(grid)), "score from presences"),
    (axes[1], lives(grid), "truth"),
):
    ax.imshow(values.reshape(60, 60), origin="lower", extent=(0, 1, 0, 1), cmap="viridis")
    ax.set(title=title, xticks=[], yticks=[])
axes[0].plot(*seen.T, ".", color="white", markersize=2)
figure.savefig("presence_only.png", dpi=110)
agreement = np.corrcoef(model.decision_function(environment(grid)), lives(grid))[0, 1]
print(f"correlation of score and truth over the map: {agreement:.2f}")
