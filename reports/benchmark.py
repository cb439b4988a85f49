"""Test what the reference benchmark's rows say, check it against rows of another seed, and write docs/benchmark.md.

Run:  python reports/benchmark.py

A statement compares two methods, or one method with two kinds of labels, over the tables of a suite: Wilcoxon's
signed-rank test of the means over replicates, with Holm's correction within its family. It is made where the corrected
p is below 0.05, and it survives if other rows have the same sign with p below 0.05: those of another seed (fresh.csv,
made by "make fresh-SUITE"), or of a replicate that was set aside. Statements that do not survive are listed as removed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from conclusions import share, table

from pubench.stats.paired import paired_differences, signed_rank

REPORTS = Path(__file__).parent
PAGES = tuple(REPORTS.parent / "docs" / name for name in ("benchmark.md", "benchmark-statements.md"))
PLACE = re.compile(
    r"(<!-- Below: (\w+), made by reports/benchmark\.py -->\n).*?(<!-- Above -->\n)", re.DOTALL
)
CONTROL = "naive-et-prior"
METRICS = {"accuracy": "accuracy", "f1": "F1", "roc-auc": "AUC"}
ERROR = "calibration-error"
SHOWN = METRICS | {ERROR: "calibration error"}
NETWORKS = ("cvir", "dist-pu", "imbalanced-nnpu", "pusb", "robust-pu", "self-pu")
TREES = ("naive-et-prior", "puet", "purf")
RANDOM, EASY, HARD = (f"single-training-set c=0.3{kind}" for kind in ("", " easy 5", " hard 5"))
FOR_BIAS = ("lbe", "pu-weighted", "pusb", "sar-em")
ALPHA = 0.05
FRESH = "fresh.csv"
HALVES = ("made", "checked")


class Side(NamedTuple):
    """What a statement compares: a method with a kind of labels."""

    method: str
    labels: str = RANDOM


class Statement(NamedTuple):
    """A difference between two sides by one metric: what it is in points, and its corrected p-value."""

    family: str
    suite: str
    metric: str
    first: Side
    second: Side
    points: float
    p: float


class Verdict(NamedTuple):
    """A statement, and the same difference in the other rows."""

    statement: Statement
    points: float
    p: float

    @property
    def survives(self) -> bool:
        """Whether the other rows say the same beyond chance."""
        return self.points * self.statement.points > 0 and self.p < ALPHA


@cache
def scores(suite: str, file: str = "cells.csv", replicates: tuple[int, ...] = ()) -> pd.DataFrame:
    """Return the mean over some replicates (default: all) of each metric, by table, method and labels."""
    rows = pd.read_csv(REPORTS / suite / file, keep_default_na=False, na_values=[""])
    rows = rows[(rows["status"] == "ok") & (rows["scenario"] == "single-training-set")]
    if replicates:
        rows = rows[rows["replicate"].isin(replicates)]
    return rows.groupby(["dataset", "algorithm", "labelling"])[list(SHOWN)].mean()


class Check(NamedTuple):
    """Which rows make the statements of a suite, and which ones they have to survive."""

    made: pd.DataFrame
    other: pd.DataFrame


def check(suite: str) -> Check:
    """Return them: all rows against those of another seed; without such rows, two replicates against the third.

    Replicates have splits, labels and fits of their own. The other seed of "core-lite" has other tables, too.
    """
    if suite == "core-lite":
        return Check(scores(suite), scores("baselines"))
    if (REPORTS / suite / FRESH).exists():
        return Check(scores(suite), scores(suite, FRESH))
    return Check(scores(suite, replicates=(0, 1)), scores(suite, replicates=(2,)))


def difference(found: pd.DataFrame, metric: str, first: Side, second: Side) -> tuple[float, float]:
    """Return the mean difference over tables in points, and the p-value of the signed-rank test."""
    columns = found[metric].unstack(["algorithm", "labelling"])
    gaps = paired_differences(*(columns[tuple(side)].to_numpy() for side in (first, second)))
    return 100 * float(np.nanmean(gaps)), signed_rank(gaps).p


def family(name: str, suite: str, metric: str, pairs: Sequence[tuple[Side, Side]]) -> Iterator[Statement]:
    """Yield the statements of a family that Holm's correction leaves."""
    tested = [(pair, *difference(check(suite).made, metric, *pair)) for pair in pairs]
    tested.sort(key=lambda one: one[2])
    worst = 0.0
    for place, (pair, points, p) in enumerate(tested):
        worst = max(worst, min(1.0, p * (len(tested) - place)))
        if worst < ALPHA:
            yield Statement(name, suite, metric, *pair, points, worst)


def statements() -> Iterator[Statement]:
    """Yield what the rows say before they are checked."""
    small = _methods("core-small")
    pairs = [(Side(one), Side(CONTROL)) for one in small if one != CONTROL]
    yield from family("baseline", "core-small", ERROR, pairs)
    for metric in METRICS:
        best = _ranks("core-small", metric).index[0]
        yield from family(
            "best", "core-small", metric, [(Side(best), Side(one)) for one in small if one != best]
        )
        yield from family("baseline", "core-small", metric, pairs)
        yield from family(
            "all methods",
            "core-lite",
            metric,
            [(Side(one), Side(CONTROL)) for one in _common("core-lite", "baselines") if one != CONTROL],
        )
        biased = _methods("core-sar-lite")
        for kind in (EASY, HARD):
            changed = [(Side(one, kind), Side(one)) for one in biased]
            yield from family(f"bias, {_kind(kind)}", "core-sar-lite", metric, changed)
            against = [(Side(one, kind), Side(CONTROL, kind)) for one in FOR_BIAS]
            yield from family(f"methods for bias, {_kind(kind)}", "core-sar-lite", metric, against)


@cache
def verdicts() -> tuple[Verdict, ...]:
    """Return each statement with what the other rows say."""
    return tuple(
        Verdict(one, *difference(check(one.suite).other, one.metric, one.first, one.second))
        for one in statements()
    )


def _methods(suite: str) -> list[str]:
    names = dict.fromkeys(scores(suite).index.get_level_values("algorithm"))
    return [name for name in names if not name.startswith("supervised-")]


def _common(suite: str, other: str) -> list[str]:
    known = set(_methods(other))
    return [name for name in _methods(suite) if name in known]


def _ranks(suite: str, metric: str) -> pd.Series[float]:
    """Return the average rank of each method, the best first."""
    wide = check(suite).made[metric].unstack("algorithm")[_methods(suite)]
    return wide.rank(axis=1, ascending=False).mean().sort_values()


def _kind(labels: str) -> str:
    return labels.removeprefix(RANDOM).strip() or "at random"


def methods() -> str:
    """Return the means of each method in both seeds, and its difference to the control in points."""
    found = check("core-small")
    ranks = _ranks("core-small", "accuracy")
    lines = []
    for name in [*ranks.index, "supervised-et", "supervised-lr"]:
        line = [f"`{name}`{' †' if name.startswith('supervised-') else ''}"]
        for metric in SHOWN:
            means = [rows[metric].unstack("algorithm")[name].mean() for rows in found]
            line += [share(mean) for mean in means]
        lines.append(line)
    heads = [f"{shown}, {seed}" for shown in SHOWN.values() for seed in HALVES]
    return table(["method", *heads], lines)


def gaps() -> pd.DataFrame:
    """Return how much more accurate networks are than trees on each table, in points, in both parts of the rows."""
    found = {}
    for half, rows in zip(HALVES, check("core-small"), strict=True):
        wide = rows["accuracy"].unstack("algorithm").droplevel("labelling")
        found[half] = 100 * (wide[list(NETWORKS)].mean(axis=1) - wide[list(TREES)].mean(axis=1))
    return pd.DataFrame(found).sort_values(HALVES[0])


def tables() -> str:
    """Return the tables on which networks and trees differ most, and what all tables say."""
    found = gaps()
    ends = pd.concat([found.head(8), found.tail(8)])
    lines = [[str(name), *(f"{value:+.1f}" for value in row)] for name, row in ends.iterrows()]
    lines.append([f"mean of {len(found)} tables", *(f"{value:+.1f}" for value in found.mean())])
    lines.append(["standard deviation", *(f"{value:.1f}" for value in found.std())])
    lines.append(["correlation of the two", "", f"{found[HALVES[0]].corr(found[HALVES[1]]):.2f}"])
    return table(["table", *HALVES], lines)


def bias() -> str:
    """Return the accuracy and AUC of each method with labels at random, easy or hard ones first."""
    found = scores("core-sar-lite")
    names = sorted(_methods("core-sar-lite"), key=lambda name: -_mean(found, name, HARD, "accuracy"))
    lines = [
        [
            f"`{name}`{' ‡' if name in FOR_BIAS else ''}",
            *(
                share(_mean(found, name, kind, metric))
                for metric in ("accuracy", "roc-auc")
                for kind in KINDS
            ),
        ]
        for name in names
    ]
    heads = [f"{shown}, {_kind(kind)}" for shown in ("accuracy", "AUC") for kind in KINDS]
    return table(["method", *heads], lines)


KINDS = (RANDOM, EASY, HARD)


def _mean(found: pd.DataFrame, name: str, labels: str, metric: str) -> float:
    return float(found.xs((name, labels), level=("algorithm", "labelling"))[metric].mean())


def survived() -> str:
    """Return the statements that survive, but for those about labels, which the table of bias shows."""
    kept = [one for one in verdicts() if one.survives]
    return _listed([one for one in kept if one.statement.first.method != one.statement.second.method])


def removed() -> str:
    """Return the statements that do not survive."""
    gone = [one for one in verdicts() if not one.survives]
    return _listed(gone) if gone else "None: all survive.\n"


def counts() -> str:
    """Return how many statements of each family survive."""
    names = dict.fromkeys(one.statement.family for one in verdicts())
    lines = []
    for name in names:
        own = [one for one in verdicts() if one.statement.family == name]
        kept = [one for one in own if one.survives]
        same = [one for one in own if one.points * one.statement.points > 0]
        lines.append([name, own[0].statement.suite, str(len(own)), str(len(kept)), str(len(same))])
    return table(["family", "suite", "made", "survive", "same sign"], lines)


def _listed(found: Sequence[Verdict]) -> str:
    lines = [
        [
            one.statement.family,
            SHOWN[one.statement.metric],
            _said(one.statement),
            f"{one.statement.points:+.1f}",
            f"{one.points:+.1f}",
            "< .001" if one.p < 0.001 else f"{one.p:.3f}".removeprefix("0"),
        ]
        for one in found
    ]
    heads = ["family", "metric", "compared", "made", "checked", "p, checked"]
    rows = [heads, ["---"] * 3 + ["---:"] * 3, *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _said(one: Statement) -> str:
    first, second = one.first, one.second
    if first.method == second.method:
        return f"`{first.method}`: labels {_kind(first.labels)} against at random"
    return f"`{first.method}` against `{second.method}`"


TABLES: Mapping[str, Callable[[], str]] = {
    made.__name__: made for made in (methods, tables, bias, counts, survived, removed)
}


def written(page: str) -> str:
    """Return the page with new tables."""
    return PLACE.sub(lambda place: f"{place[1]}\n{TABLES[place[2]]()}\n\n{place[3]}", page)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
