"""Write the tables of PAGES from the committed rows: ``python reports/conclusions.py``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

REPORTS = Path(__file__).parent
PAGES = tuple(
    REPORTS.parent / "docs" / name for name in ("conclusions.md", "conclusions-tuning.md", "faq.md")
)
CONTROL = "naive-et-prior"
PLACE = re.compile(
    r"(<!-- Below: (\w+), made by reports/conclusions\.py -->\n).*?(<!-- Above -->\n)", re.DOTALL
)


def cells(suite: str) -> pd.DataFrame:
    """Return the finished cells of a committed report."""
    rows = pd.read_csv(REPORTS / suite / "cells.csv", keep_default_na=False, na_values=[""])
    return rows[rows["status"] == "ok"]


def methods() -> str:
    """Return the scores of all methods, the best F1 first, and how their accuracy compares with the control's."""
    rows = cells("baselines")
    rows["rare"] = rows["f1"].where(rows["true_prior"] < 0.15)
    scores = rows.groupby("algorithm").agg(
        reference=("reference", "first"),
        accuracy=("accuracy", "mean"),
        f1=("f1", "mean"),
        rare=("rare", "mean"),
        auc=("roc-auc", "mean"),
        error=("calibration-error", "mean"),
        collapsed=("collapsed", lambda found: found.astype(bool).mean()),
    )
    verdicts = {metric: _verdicts("baselines", metric) for metric in ("accuracy", "f1")}
    lines = [
        [
            f"`{name}`{' †' if row.reference else ''}",
            *(share(value) for value in (row.accuracy, row.f1, row.rare, row.auc, row.error)),
            f"{100 * row.collapsed:.1f} %",
            *(found.get(name, "") for found in verdicts.values()),
        ]
        for name, row in scores.sort_values("f1", ascending=False).iterrows()
    ]
    heads = ["method", "accuracy", "F1", "F1, rare", "AUC", "calibration error", "collapsed"]
    return table([*heads, "accuracy, points", "F1, points"], lines)


def _verdicts(suite: str, metric: str) -> Mapping[str, str]:
    """Return, by method, its mean difference to the control in points; bold where a test sees it."""
    pairs = pd.read_csv(REPORTS / suite / "pairs.csv")
    found = {}
    for pair in pairs[pairs["metric"] == metric].itertuples():
        other, sign = (pair.first, 1) if pair.second == CONTROL else (pair.second, -1)
        said = f"{100 * sign * pair.difference:+.1f}"
        found[other] = f"**{said}**" if pair.adjusted_p < 0.05 else said
    return found


def tuning() -> str:
    """Return, by criterion, what tuning gains and loses in points, by both rules."""
    kinds = {rule: _searches(f"tuning-{rule}") for rule in ("best", "one-se")}
    names = sorted(set(kinds["best"]["criterion"]), key=lambda name: (name.startswith("oracle"), name))
    lines = [
        [
            f"`{name}`{' †' if name.startswith('oracle') else ''}",
            *(
                quantity(found[found["criterion"] == name])
                for quantity in QUANTITIES.values()
                for found in kinds.values()
            ),
        ]
        for name in names
    ]
    return table(["criterion", *(f"{head}, {rule}" for head in QUANTITIES for rule in kinds)], lines)


def _searches(suite: str) -> pd.DataFrame:
    """Return one row for each search, with the accuracy and the F1 of the default setting."""
    rows = cells(suite)
    keys = ["dataset", "labelling", "replicate", "algorithm"]
    is_default = rows["algorithm"].str.endswith(", default")
    default = rows[is_default].assign(algorithm=rows["algorithm"].str.removesuffix(", default"))
    return rows[~is_default].join(
        default.set_index(keys)[["accuracy", "f1"]].add_suffix(" of default"), on=keys
    )


def _gain(found: pd.DataFrame, metric: str) -> pd.Series[float]:
    """Return the gain of each search over the default setting; one that keeps this setting gains nothing."""
    gain = found[metric] - found[f"{metric} of default"]
    # The two fits have other seeds, which is no matter of tuning.
    return gain.where(found["params"].fillna("{}") != "{}", 0.0)


QUANTITIES: Mapping[str, Callable[[pd.DataFrame], str]] = {
    "accuracy": lambda found: f"{100 * _gain(found, 'accuracy').mean():+.1f}",
    "F1": lambda found: f"{100 * _gain(found, 'f1').mean():+.1f}",
    "keep the default": lambda found: f"{100 * (found['params'].fillna('{}') == '{}').mean():.0f} %",
    "below the default": lambda found: f"{100 * (_gain(found, 'accuracy') < 0).mean():.0f} %",
    "below by a point": lambda found: f"{100 * (_gain(found, 'accuracy') < -0.01).mean():.0f} %",
    "collapsed": lambda found: f"{100 * found['collapsed'].astype(bool).mean():.0f} %",
}
"""What tuning does to a method: its mean gain over the default setting in points, and how often it does harm."""


def priors() -> str:
    """Return, by table, how far the estimated prior is from the true one, and how often its interval holds it."""
    samples = cells("estimated-prior").drop_duplicates(["dataset", "labelling", "replicate"])
    samples = samples.assign(
        error=samples["prior"] - samples["true_prior"],
        width=samples["prior_high"] - samples["prior_low"],
        held=samples["true_prior"].between(samples["prior_low"], samples["prior_high"]),
    )
    groups = [*samples.groupby("dataset"), ("all tables", samples)]
    lines = [
        [
            str(name),
            share(found["true_prior"].mean()),
            share(found["prior"].mean()),
            share(found["error"].abs().mean()),
            share(found["width"].mean()),
            f"{found['held'].sum()} of {len(found)}",
        ]
        for name, found in groups
    ]
    return table(
        ["table", "true", "estimated", "mean error", "width of the interval", "interval holds"], lines
    )


def cost() -> str:
    """Return, by method, its scores with the true prior and with an estimated one."""
    means = {
        source: cells(suite).groupby("algorithm")[["accuracy", "f1"]].mean()
        for source, suite in (("true", "baselines"), ("estimated", "estimated-prior"))
    }
    names = means["estimated"].sort_values("f1", ascending=False).index
    lines = [
        [
            f"`{name}`",
            *(share(found.loc[name, metric]) for metric in ("accuracy", "f1") for found in means.values()),
        ]
        for name in names
    ]
    return table(
        ["method", *(f"{metric}, {source}" for metric in ("accuracy", "F1") for source in means)], lines
    )


def collapse() -> str:
    """Return how many rows are called positive, by how much too high the estimated prior is."""
    rows = cells("estimated-prior")
    limits = [-1.0, 0.05, 0.1, 0.2, 1.0]
    heads = ["less than .05", ".05 to .1", ".1 to .2", "more than .2"]
    bands = pd.cut(rows["prior"] - rows["true_prior"], limits, labels=heads)
    lines = [
        [
            str(band),
            str(len(found)),
            share(found["true_prior"].mean()),
            share(found["predicted-positive-rate"].mean()),
            share(found["accuracy"].mean()),
            f"{100 * (found['predicted-positive-rate'] == 1).mean():.1f} %",
        ]
        for band, found in rows.groupby(bands, observed=True)
    ]
    return table(
        ["prior too high by", "fits", "positive", "called positive", "accuracy", "all called positive"], lines
    )


TABLES: Mapping[str, Callable[[], str]] = {
    "collapse": collapse,
    "methods": methods,
    "tuning": tuning,
    "priors": priors,
    "cost": cost,
}


def share(value: float) -> str:
    """Return a number between -1 and 1 with three digits, without its zero; empty for NaN."""
    return "" if np.isnan(value) else f"{value:.3f}".removeprefix("0")


def table(heads: list[str], lines: list[list[str]]) -> str:
    """Return a table in Markdown; the first column holds names."""
    rows = [heads, ["---"] + ["---:"] * (len(heads) - 1), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def written(page: str) -> str:
    """Return the page with new tables."""
    return PLACE.sub(lambda place: f"{place[1]}\n{TABLES[place[2]]()}\n\n{place[3]}", page)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
