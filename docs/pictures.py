"""Draw the pictures of the documents.

``python docs/pictures.py`` draws those of explanation.md, ``python docs/pictures.py runs/puet-fig2`` that of papers.md
from a run of this suite.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from scipy.stats import norm

FOLDER = Path(__file__).with_name("pictures")
POSITIVE, NEGATIVE, GREY = "#c2410c", "#1d4ed8", "#6b7280"
SIZE, SIZE_OF_GRID = (8.0, 2.9), (9.0, 2.1)

# Two Gaussians, the positive one to the right; a decision is "at least t".
PRIOR, GAP = 0.4, 2.0
THRESHOLDS = np.linspace(-5.0, 6.0, 1101)
RECALL, FALL_OUT = norm.sf(THRESHOLDS - GAP), norm.sf(THRESHOLDS)
CALLED = PRIOR * RECALL + (1.0 - PRIOR) * FALL_OUT


def scenarios() -> None:
    """Draw which rows are P and U in either scenario."""
    rng = np.random.default_rng(3)
    figure, axes = plt.subplots(1, 2, figsize=SIZE, layout="constrained")
    for ax, title in zip(axes, ("case-control", "single training set"), strict=True):
        y = rng.random(90) < PRIOR
        X = rng.normal(size=(90, 2)) + np.where(y, 2.2, 0.0)[:, None] * [1.0, 0.3]
        labelled = y & (rng.random(90) < 0.5)
        if title == "case-control":
            apart = rng.normal((2.2, 0.66), size=(18, 2))
            X, y = np.vstack([X, apart]), np.append(y, np.ones(18, dtype=bool))
            labelled = np.arange(len(X)) >= 90
        _draw_rows(ax, X, y, labelled)
        ax.set_title(title)
    axes[0].set_xlabel("U alone is a sample of the population;\nP was drawn separately")
    axes[1].set_xlabel("P and U together are the sample;\nU alone lacks the labelled positives")
    axes[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    _save(figure, "scenarios")


def _draw_rows(ax: Axes, X: np.ndarray, y: np.ndarray, labelled: np.ndarray) -> None:
    kinds = (
        (labelled, "P: labelled", POSITIVE, "*"),
        (~labelled & y, "U: positive, not known", POSITIVE, "o"),
    )
    for rows, name, colour, marker in (*kinds, (~y, "U: negative, not known", NEGATIVE, "o")):
        face = colour if marker == "*" else "none"
        ax.scatter(
            *X[rows].T,
            marker=marker,
            s=70 if marker == "*" else 22,
            edgecolor=colour,
            facecolor=face,
            label=name,
        )
    ax.set(xticks=[], yticks=[])


def criteria() -> None:
    """Draw what criteria say of thresholds and which they choose, with classes apart and with classes mixed."""
    figure, axes = plt.subplots(1, 2, figsize=SIZE, layout="constrained", sharey=True)
    for ax, gap, prior in ((axes[0], GAP, PRIOR), (axes[1], 0.6, 0.6)):
        recall = norm.sf(THRESHOLDS - gap)
        called = prior * recall + (1.0 - prior) * FALL_OUT
        accuracy = prior * recall + (1.0 - prior) * (1.0 - FALL_OUT)
        puf = recall**2 / called
        for values, name, colour in ((puf, "PUF", POSITIVE), (accuracy, "accuracy, 1 - PU risk", NEGATIVE)):
            ax.plot(THRESHOLDS, values, color=colour, label=name)
            ax.plot(THRESHOLDS[values.argmax()], values.max(), "o", color=colour)
        ax.axhline(1.0, color=GREY, linewidth=0.8, linestyle=":")
        ax.set(
            title=f"prior {prior:g}, means {gap:g} sd apart", xlabel="threshold of the decision", xlim=(-4, 5)
        )
    axes[0].annotate("all positive: PUF = 1", (-3.9, 0.86), color=GREY)
    axes[0].set_ylim(0.0, 2.2)
    axes[1].legend(loc="upper right", frameon=False)
    _save(figure, "criteria")


def wrong_prior() -> None:
    """Draw the threshold that the PU risk chooses, and the accuracy it has, over the prior that it was told."""
    factors = np.linspace(0.5, 2.0, 61)
    # The expected zero-one risk with a prior p in the place of the truth: p + called - 2 p recall.
    chosen = np.array([np.argmin(CALLED - 2.0 * factor * PRIOR * RECALL) for factor in factors])
    accuracy = PRIOR * RECALL + (1.0 - PRIOR) * (1.0 - FALL_OUT)
    figure, axes = plt.subplots(1, 2, figsize=SIZE, layout="constrained")
    axes[0].plot(factors, CALLED[chosen], color=POSITIVE)
    axes[0].axhline(PRIOR, color=GREY, linewidth=0.8, linestyle=":")
    axes[0].set(ylabel="share called positive", ylim=(0.0, 1.0))
    axes[1].plot(factors, accuracy[chosen], color=NEGATIVE)
    axes[1].set(ylabel="accuracy", ylim=(0.3, 0.9))
    for ax in axes:
        ax.axvline(1.0, color=GREY, linewidth=0.8, linestyle=":")
        ax.set_xlabel("prior that was told / true prior of 0.4")
    _save(figure, "wrong-prior")


def importances(run: Path) -> None:
    """Draw the weight of each pixel as the report does, larger and in one file."""
    from pubench import read_results
    from pubench.reporting import report_of
    from pubench.reporting.draw.pixels import png
    from pubench.reporting.sections.images import find_galleries

    (gallery,) = find_galleries(report_of(read_results(run)))
    shape = len(gallery.algorithms), len(gallery.datasets)
    figure, axes = plt.subplots(*shape, figsize=SIZE_OF_GRID, layout="constrained", squeeze=False)
    for line, algorithm in zip(axes, gallery.algorithms, strict=True):
        for ax, dataset in zip(line, gallery.datasets, strict=True):
            image = gallery.images[dataset, algorithm]
            pixels = plt.imread(io.BytesIO(png(image.weights, signed=image.signed)))
            ax.imshow(pixels, interpolation="nearest")
            ax.set(xticks=[], yticks=[])
        line[0].set_ylabel(algorithm)
    for ax, dataset in zip(axes[0], gallery.datasets, strict=True):
        ax.set_title(dataset)
    figure.savefig(FOLDER / "importances.png", dpi=100, metadata={"Software": None})
    plt.close(figure)


def _save(figure: plt.Figure, name: str) -> None:
    figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    """Draw all, or what a run tells."""
    mpl.rcParams.update(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "pubench",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )
    FOLDER.mkdir(exist_ok=True)
    if len(sys.argv) > 1:
        importances(Path(sys.argv[1]))
        return
    for draw in (scenarios, criteria, wrong_prior):
        draw()


if __name__ == "__main__":
    main()
