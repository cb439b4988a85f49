"""Write reports/presence-only/species.md from the rows of that report: ``python reports/species.py``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from conclusions import REPORTS, cells, share, table

from pubench.stats.paired import signed_rank

SUITE = "presence-only"
PAGE = REPORTS / SUITE / "species.md"
CONTROL = "maxent"
METRICS = {
    "AUC": ("roc-auc", "mean"),
    "AUC-PRG, median": ("auc-prg", "median"),
    "AP": ("average-precision", "mean"),
    "COR": ("cor", "mean"),
    "Boyce": ("boyce", "mean"),
}


def species(background: bool) -> pd.DataFrame:
    """Return the cells with one choice of U, with the columns ``region`` and ``species``."""
    rows = cells(SUITE)
    named = rows["dataset"].str.extract(r"^(?P<region>[A-Z]+)(?P<group>-group)?: (?P<species>.+)$")
    chosen = named["group"].isna() if background else named["group"].notna()
    return rows.join(named)[chosen]


def by_species(rows: pd.DataFrame, metric: str = "roc-auc") -> pd.DataFrame:
    """Return a metric with one row for each species, indexed by region and species, and one column for each method."""
    return rows.pivot(index=["region", "species"], columns="algorithm", values=metric)


def in_background() -> str:
    """Return all methods with background points as U."""
    return _methods(species(background=True))


def in_group() -> str:
    """Return all methods with sites of the target group as U."""
    return _methods(species(background=False))


def _methods(rows: pd.DataFrame) -> str:
    """Return, by method, its scores over species, and the difference in AUC to the control's."""
    auc = by_species(rows)
    scores = {head: by_species(rows, metric).agg(how) for head, (metric, how) in METRICS.items()}
    lines = [
        [f"`{name}`", *(share(found[name]) for found in scores.values()), *_against_control(auc, str(name))]
        for name in auc.mean().sort_values(ascending=False).index
    ]
    heads = ["difference (se)", "p, Wilcoxon", "regions' mean (se)", "better in"]
    return table(["method", *scores, *heads], lines)


def _against_control(auc: pd.DataFrame, name: str) -> list[str]:
    """Return the mean difference over species, its p-value, that over regions as strata, and regions with a gain."""
    if name == CONTROL:
        return ["", "", "", ""]
    gain = auc[name] - auc[CONTROL]
    regions = gain.groupby("region").agg(["mean", "var", "count"])
    error = float(np.sqrt((regions["var"] / regions["count"]).sum())) / len(regions)
    return [
        f"{gain.mean():+.3f} ({gain.std() / np.sqrt(len(gain)):.3f})",
        f"{signed_rank(gain.to_numpy()).p:.1g}",
        f"{regions['mean'].mean():+.3f} ({error:.3f})",
        f"{(regions['mean'] > 0).sum()} of {len(regions)}",
    ]


def regions() -> str:
    """Return the mean AUC of each method in each region, with background points and sites of the group."""
    found = [by_species(species(background)).groupby("region").mean() for background in (True, False)]
    names = found[0].mean().sort_values(ascending=False).index
    lines = [
        [
            f"`{name}`",
            *(f"{share(one)} / {share(other)}" for one, other in zip(*(f[name] for f in found), strict=True)),
        ]
        for name in names
    ]
    counts = by_species(species(background=True)).groupby("region").size()
    return table(["method", *(f"{region} ({count})" for region, count in counts.items())], lines)


def choice_of_u() -> str:
    """Return, by method, what sites of the target group gain over background points, over species."""
    background, group = (by_species(species(chosen)) for chosen in (True, False))
    gains = group - background
    lines = [
        [
            f"`{name}`",
            share(background[name].mean()),
            share(group[name].mean()),
            f"{gains[name].mean():+.3f} ({gains[name].std() / np.sqrt(len(gains)):.3f})",
            f"{100 * (gains[name] > 0).mean():.0f} %",
            f"{signed_rank(gains[name].to_numpy()).p:.1g}",
        ]
        for name in gains.mean().sort_values(ascending=False).index
    ]
    heads = ["AUC, background", "AUC, target group", "difference (se)", "species that gain", "p, Wilcoxon"]
    return table(["method", *heads], lines)


TABLES: Mapping[str, Callable[[], str]] = {
    "Background points as U": in_background,
    "Sites of the target group as U": in_group,
    "Mean AUC by region: background / target group": regions,
    "What the target group gains": choice_of_u,
}
HEAD = f"""# Species

Made by `python reports/species.py` from the rows of [the report](report.md). Every species is one observation.
Differences in AUC are to `{CONTROL}`, with their standard error over species. "Regions' mean" gives each region the
same weight, with a standard error from the species within regions.
"""


def page() -> str:
    """Return the page with all tables."""
    return "\n".join([HEAD, *(f"## {title}\n\n{make()}\n" for title, make in TABLES.items())])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
