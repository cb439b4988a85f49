"""A fitted tree as text, and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from pubench_extratrees.forest import PUTrees
from pubench_extratrees.trees import Trees

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["export_text", "plot_tree"]


@dataclass(frozen=True, slots=True)
class _Shown:
    """A tree as it is shown: with names, and cut at a depth."""

    trees: Trees
    names: Sequence[str]
    max_depth: int | None

    def ends(self, node: int, depth: int) -> bool:
        return bool(self.trees.left[node] == node) or depth == self.max_depth

    def question(self, node: int) -> str:
        return f"{self.names[self.trees.feature[node]]} <= {self.trees.threshold[node]:.4g}"

    def share(self, node: int) -> str:
        return f"share {self.trees.share[node]:.3f}"

    def rows(self, node: int) -> str:
        return f"P {self.trees.n_labelled[node]}, U {self.trees.n_unlabelled[node]}"

    def content(self, node: int) -> str:
        return f"{self.share(node)}, {self.rows(node)}, risk {self.trees.risk[node]:.3g}"

    def walk(self, node: int, depth: int = 0) -> Iterator[tuple[int, int]]:
        """Return nodes with their depths, parents before children, left before right."""
        waiting = [(node, depth)]
        while waiting:
            node, depth = waiting.pop()
            yield node, depth
            if not self.ends(node, depth):
                left = int(self.trees.left[node])
                waiting += [(left + 1, depth + 1), (left, depth + 1)]


def export_text(
    model: PUTrees, *, tree: int = 0, feature_names: Sequence[str] | None = None, max_depth: int | None = None
) -> str:
    """Return one tree as indented text.

    Every node shows the estimated share of positives, its rows of P and U, and the least risk of a constant
    prediction; inner nodes also what they ask. The branch that answers yes comes first.

    Parameters
    ----------
    model : PUTrees
        Fitted.
    tree : int, default=0
        Which of its trees.
    feature_names : sequence of d str, or None
        None takes the names seen in ``fit``, or x0, x1, ...
    max_depth : int or None, default=None
        Where to cut the tree.

    Returns
    -------
    str
    """
    shown, root = _show(model, tree, feature_names, max_depth)
    return "\n".join(_line(shown, node, depth) for node, depth in shown.walk(root)) + "\n"


def _line(shown: _Shown, node: int, depth: int) -> str:
    if shown.ends(node, depth):
        cut = "" if shown.trees.left[node] == node else " ..."
        return f"{'|   ' * depth}|-- {shown.content(node)}{cut}"
    return f"{'|   ' * depth}|-- {shown.question(node)}  [{shown.content(node)}]"


def plot_tree(
    model: PUTrees,
    *,
    tree: int = 0,
    feature_names: Sequence[str] | None = None,
    max_depth: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one tree; boxes are the bluer, the more positives a node is estimated to hold.

    Parameters
    ----------
    model, tree, feature_names, max_depth
        As in :func:`export_text`.
    ax : matplotlib Axes or None, default=None
        Where to draw; None takes the current axes, in a figure large enough for the leaves if there is none yet.

    Returns
    -------
    matplotlib Axes
    """
    import matplotlib.pyplot as plt

    shown, root = _show(model, tree, feature_names, max_depth)
    places = _places(shown, root)
    if ax is None:
        width = 1.0 + max(x for x, _ in places.values())
        height = 1.0 + max(depth for _, depth in places.values())
        ax = plt.gca() if plt.get_fignums() else plt.figure(figsize=(1.6 * width, 1.2 * height)).add_subplot()
    colours = plt.get_cmap("coolwarm_r")
    for node, (x, depth) in places.items():
        ends = shown.ends(node, depth)
        ax.annotate(
            f"{'' if ends else shown.question(node) + chr(10)}{shown.share(node)}\n{shown.rows(node)}",
            (x, -depth),
            ha="center",
            va="center",
            fontsize=7,
            bbox={"boxstyle": "round", "facecolor": _pale(colours(float(shown.trees.share[node])))},
        )
        if not ends:
            for child in (int(shown.trees.left[node]), int(shown.trees.left[node]) + 1):
                ax.plot(
                    [x, places[child][0]], [-depth, -places[child][1]], color="0.6", linewidth=0.8, zorder=0
                )
    ax.set_axis_off()
    return ax


def _show(
    model: PUTrees, tree: int, feature_names: Sequence[str] | None, max_depth: int | None
) -> tuple[_Shown, int]:
    check_is_fitted(model)
    trees: Trees = model.trees_
    if not 0 <= tree < len(trees.roots):
        raise ValueError(f"tree must be in 0..{len(trees.roots) - 1}, the trees of the model; got {tree!r}")
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth must be at least 0, or None for the whole tree; got {max_depth!r}")
    return _Shown(trees, _names(model, feature_names), max_depth), int(trees.roots[tree])


def _names(model: Any, given: Sequence[str] | None) -> Sequence[str]:
    if given is None:
        given = getattr(model, "feature_names_in_", [f"x{i}" for i in range(model.n_features_in_)])
    if len(given) != model.n_features_in_:
        raise ValueError(
            f"feature_names has {len(given)} name{'' if len(given) == 1 else 's'}; "
            f"the model has {model.n_features_in_} features"
        )
    return given


def _places(shown: _Shown, root: int) -> dict[int, tuple[float, int]]:
    """Put leaves side by side, and each parent above the middle of its children."""
    order = list(shown.walk(root))
    places: dict[int, tuple[float, int]] = {}
    column = 0
    for node, depth in order:
        if shown.ends(node, depth):
            places[node] = (float(column), depth)
            column += 1
    for node, depth in reversed(order):
        if not shown.ends(node, depth):
            left = int(shown.trees.left[node])
            places[node] = ((places[left][0] + places[left + 1][0]) / 2, depth)
    return places


def _pale(colour: tuple[float, float, float, float]) -> tuple[float, float, float]:
    # Text must stay readable on it.
    red, green, blue = (0.5 + 0.5 * part for part in colour[:3])
    return red, green, blue
