"""Price rules of selection from the trials of the suite "selection-study".

Run:  python reports/selection.py ensembles runs/selection-study   writes ensembles.csv beside the exported trials
      python reports/selection.py                                  writes prices.md from both files

The first command needs the run with its stored predictions: it averages the models of all trials, weighted by softmax,
and judges the averages by the true classes of the test rows. docs/selection.md says what rules and prices are.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from pubench.advise.choosing import softmax_weights
from pubench.metrics import accuracy, f1, roc_auc
from pubench.plugins.discovery import discover
from pubench.results.predictions import read_predictions
from pubench.results.store import read_evaluated, read_predictions_index
from pubench.results.trials import trial_rows
from pubench.run.labels import label_job
from pubench.run.running_again import plan_again

REPORT = Path(__file__).parent / "selection-study"
METRICS = ("accuracy", "f1", "roc-auc")
POOLED = "all methods"
WHERE = ["dataset", "labelling", "replicate"]
Floats = NDArray[np.float64]
Rule = Callable[[Floats], int]
"""From the values of m trials on J folds, larger being better and the default setting first, to the chosen trial."""


@cache
def directions() -> Mapping[str, bool]:
    """Return, by criterion, whether greater is better; what an oracle maximises is a metric."""
    registry = discover(third_party=False)
    return {name: registry.criterion(name).spec.greater_is_better for name in registry.entries["criteria"]}


def criteria(trials: pd.DataFrame) -> list[str]:
    """Return the criteria of an export, those that see true classes last."""
    names = [column.split(":")[1] for column in trials if re.fullmatch(r"criterion:[^:]+", column)]
    return sorted(names, key=lambda name: (name.startswith("oracle"), name))


def values(trials: pd.DataFrame, criterion: str) -> Floats:
    """Return a criterion of some trials on each fold, larger being better, shape (m, J)."""
    folds = trials.filter(regex=rf"^criterion:{re.escape(criterion)}:\d+$").to_numpy(dtype=np.float64)
    return folds if directions().get(criterion, True) else -folds


def best(folds: Floats) -> int:
    """Take the best mean."""
    return int(np.argmax(folds.mean(axis=1)))


def unless_noise(shared: float, folds: Floats) -> int:
    r"""Keep the first trial unless the best gains more than :math:`s \sqrt{1/J + r}`, as the rules of suites do."""
    place = best(folds)
    gains = folds[place] - folds[0]
    bar = gains.std(ddof=1) * np.sqrt(1 / len(gains) + shared / (len(gains) - 1))
    return place if place and gains.mean() > bar else 0


RULES: Mapping[str, Rule] = {
    "best": best,
    "one-se": partial(unless_noise, 0.0),
    "corrected-se": partial(unless_noise, 1.0),
}


def searches(trials: pd.DataFrame) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """Yield the trials of each search, and those of all methods on the same rows, the default of "puet" first."""
    valid = trials[trials["metric:accuracy"].notna() & trials["error"].isna()]
    for (*where, method), found in valid.groupby([*WHERE, "algorithm"], sort=False):
        yield (*map(str, where), str(method)), found
    for where, found in valid.groupby(WHERE, sort=False):
        first = (found["algorithm"] == "puet") & (found["trial"] == 0)
        yield (*map(str, where), POOLED), pd.concat([found[first], found[~first]])


def chosen(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the metrics of what each rule chooses in each search by each criterion, and those of the extremes."""
    lines = []
    for key, found in searches(trials):
        metrics = found[[f"metric:{name}" for name in METRICS]].to_numpy(dtype=np.float64)
        lines.append((*key, "", "default", *metrics[0]))
        lines.append((*key, "", "hindsight", *metrics.max(axis=0)))
        for criterion in criteria(trials):
            folds = values(found, criterion)
            lines += [
                (*key, criterion, name, *metrics[rule(folds)])
                for name, rule in RULES.items()
                if not np.isnan(folds).any()
            ]
    return pd.DataFrame(lines, columns=[*WHERE, "algorithm", "criterion", "rule", *METRICS])


def ensembles(folder: Path) -> pd.DataFrame:
    """Return the metrics of the average of all trials of each search, weighted by each criterion.

    Scores are averaged as rank shares among the test rows, decisions vote.
    """
    trials = pd.DataFrame(trial_rows([folder], times=False))
    index = read_predictions_index(folder)[0]
    stored = {
        trial.key: index[trial.prediction_key] for found in read_evaluated(folder).values() for trial in found
    }
    truth = {
        job.search: label_job(job).truth.test
        for job in plan_again(folder, discover(third_party=False), ()).jobs
    }
    lines = []
    for key, found in searches(trials):
        predictions = [read_predictions(folder, stored[place]) for place in _first_numbers(trials, found)]
        shares = np.array([rankdata(one.score) / len(one.score) for one in predictions])
        votes = np.array([one.decision for one in predictions], dtype=np.float64)
        y = truth[found["search"].iloc[0]]
        for criterion in criteria(trials):
            weights = softmax_weights(values(found, criterion))
            decision, score = (weights @ votes > 0.5).astype(np.uint8), weights @ shares
            metrics = accuracy(y, decision), f1(y, decision), roc_auc(y, score)
            lines.append((*key, criterion, "softmax", *metrics))
    return pd.DataFrame(lines, columns=[*WHERE, "algorithm", "criterion", "rule", *METRICS])


def _first_numbers(trials: pd.DataFrame, found: pd.DataFrame) -> list[tuple[str, int]]:
    """Return, for some trials, the search and the number of the first trial with the same setting."""
    first = trials.groupby(["search", "params"])["trial"].min()
    return [
        (search, int(first[search, params]))
        for search, params in zip(found["search"], found["params"], strict=True)
    ]


def choices(trials: pd.DataFrame, averaged: pd.DataFrame) -> pd.DataFrame:
    """Return what each rule comes to in each search, beside its default setting and its best one in hindsight."""
    both, key = pd.concat([chosen(trials), averaged]), [*WHERE, "algorithm"]
    for name in ("default", "hindsight"):
        known = both[both["rule"] == name].set_index(key)[list(METRICS)].add_suffix(f" of {name}")
        both = both.join(known, on=key)
    return both


def page(found: pd.DataFrame) -> str:
    """Return the prices as Markdown: of choosing a setting of one method, and one of all methods."""
    pooled = found["algorithm"] == POOLED
    return (
        "# The price of choosing without true classes\n\n"
        "Made by `python reports/selection.py`; docs/selection.md says what the columns are.\n\n"
        f"## Among the settings of one method\n\n{_prices(found[~pooled])}\n\n"
        "## Among the settings of all methods\n\nThe default setting is that of `puet`.\n\n"
        f"{_prices(found[pooled])}\n"
    )


def _prices(found: pd.DataFrame) -> str:
    lines = []
    for criterion in [name for name in found["criterion"].unique() if name]:
        for rule in (*RULES, "softmax"):
            part = found[(found["criterion"] == criterion) & (found["rule"] == rule)]
            lines.append(
                [
                    f"`{criterion}`{' †' if criterion.startswith('oracle') else ''}",
                    rule,
                    *(_gain(part, metric) for metric in METRICS),
                    *(
                        f"{100 * (part[f'{metric} of hindsight'] - part[metric]).mean():.1f}"
                        for metric in METRICS
                    ),
                    f"{100 * (part['accuracy'] < part['accuracy of default'] - 1e-9).mean():.0f} %",
                ]
            )
    heads = [
        "criterion",
        "rule",
        *(f"{name}, gain" for name in ("accuracy", "F1", "AUC")),
        *(f"{name}, price" for name in ("accuracy", "F1", "AUC")),
        "below the default",
    ]
    rows = [heads, ["---", "---"] + ["---:"] * (len(heads) - 2), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _gain(part: pd.DataFrame, metric: str) -> str:
    """Return the mean gain over the default setting in points, and its standard error over tables."""
    gains = (100 * (part[metric] - part[f"{metric} of default"])).groupby(part["dataset"]).mean()
    return f"{gains.mean():+.1f} ({gains.std(ddof=1) / np.sqrt(len(gains)):.1f})"


if __name__ == "__main__":
    if sys.argv[1:2] == ["ensembles"]:
        ensembles(Path(sys.argv[2])).to_csv(REPORT / "ensembles.csv", index=False)
    else:
        kept = pd.read_csv(REPORT / "ensembles.csv", dtype=dict.fromkeys(WHERE, str))
        text = page(choices(pd.read_csv(REPORT / "trials.csv"), kept))
        (REPORT / "prices.md").write_text(text, encoding="utf-8")
