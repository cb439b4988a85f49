"""Which rule keeps the default setting of a tuned method: what tuning gains, and how often it does harm.

Run:  python benchmarks/tuning_rule.py run [--folds 3] [--replicates 2] [--jobs 2] [--out FOLDER]
      python benchmarks/tuning_rule.py show FOLDER

"run" makes the searches of the suite "tuning-one-se" on the tables on which defaults were chosen ("decided" in
benchmarks/collapse.py; no bundled suite uses any of them), and takes the best trial. "show" compares rules on the
searches of a folder: a rule keeps the default setting unless the gain of the best trial over folds passes its bar.
The folder of a stricter rule than "best" can show only rules that are at least as strict.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from collapse import DECIDED, SYNTHETIC, entry
from numpy.typing import NDArray

import pubench
from pubench.protocol.replies import Trial
from pubench.results.store import read_records, read_searches
from pubench.run.search import choose

STUDY = Path(__file__).parents[1] / "suites" / "tuning-one-se.toml"
CRITERIA = ("puf", "pa", "nnpu-risk", "oracle-accuracy")
DEFAULT = ", default"

Gains = NDArray[np.float64]


class Rule(NamedTuple):
    """The least mean gain over K folds at which the best trial replaces the default setting."""

    name: str
    bar: Callable[[Gains], float]


def naive_error(gains: Gains) -> float:
    """Return the standard error of the mean gain as if folds were independent."""
    return float(gains.std(ddof=1) / np.sqrt(len(gains)))


def corrected_error(gains: Gains) -> float:
    """Return Nadeau and Bengio's standard error: training sets of folds overlap, so that their gains are correlated."""
    folds = len(gains)
    return float(gains.std(ddof=1) * np.sqrt(1 / folds + 1 / (folds - 1)))


RULES = (
    Rule("best", lambda gains: 0.0),
    *(Rule(f"{k:g} se", lambda gains, k=k: k * naive_error(gains)) for k in (1, 1.5, 2, 2.5, 3, 4)),
    Rule("1 corrected se", corrected_error),
    Rule("2 corrected se", lambda gains: 2 * corrected_error(gains)),
    Rule("every fold gains", lambda gains: np.inf if gains.min() <= 0 else 0.0),
    *(Rule(f"gain > {100 * g:g} points", lambda gains, g=g: g) for g in (0.005, 0.01, 0.02)),
    *(
        Rule(f"1 se and gain > {100 * g:g} points", lambda gains, g=g: max(g, naive_error(gains)))
        for g in (0.005, 0.01, 0.02)
    ),
)


def suite(folds: int, replicates: int) -> str:
    """Return the text of the suite."""
    study = tomllib.loads(STUDY.read_text(encoding="utf-8"))
    scenarios = [labelling["scenario"] for labelling in study["labellings"]]
    return "\n\n".join(
        [
            f'name = "tuning-rule"\nseed = 13\nreplicates = {replicates}',
            *(f"[[datasets]]\n{lines}" for lines in (*map(entry, DECIDED), *SYNTHETIC)),
            *(f'[[labellings]]\nscenario = "{scenario}"\nfrequency = 0.3' for scenario in scenarios),
            *(f"[[algorithms]]\n{_lines(algorithm)}" for algorithm in study["algorithms"]),
            f'[tuning]\ncriteria = {json.dumps(CRITERIA)}\nsampler = "random"\ntrials = 12\nfolds = {folds}\n'
            'defaults = true\nrule = "best"',
            "[limits]\nseconds = 300",
            '[report]\nmetrics = ["accuracy", "f1"]\n',
        ]
    )


def _lines(table: Mapping[str, object]) -> str:
    return "\n".join(f"{key} = {json.dumps(value)}" for key, value in table.items())


def searches(folder: Path) -> pd.DataFrame:
    """Return one row for each search: gains of its choice on test rows, and those of the best trial on folds."""
    rows = pd.DataFrame(pubench.read_results(folder).rows)
    rows = rows[rows["status"] == "ok"]
    keys = ["dataset", "labelling", "replicate", "algorithm"]
    is_default = rows["algorithm"].str.endswith(DEFAULT)
    default = rows[is_default].assign(algorithm=rows["algorithm"].str.removesuffix(DEFAULT))
    own = default.set_index(keys)[["accuracy", "f1"]].add_suffix(" of default")
    found = rows[~is_default].join(own, on=keys)
    records, trials = read_records(folder)[0], read_searches(folder)
    found["gains"] = [
        fold_gains([line.trial for line in trials[records[row.key].search]], row.criterion)
        for row in found.itertuples()
    ]
    return found


def fold_gains(trials: Sequence[Trial], criterion: str) -> Gains:
    """Return the gain of the best trial over the default setting on each fold; zeros if that is the best one."""
    lower_is_better = criterion.endswith("risk") or "-risk-" in criterion or criterion == "fp-fn"
    default = next(trial for trial in trials if not trial.params)
    best = choose(trials, criterion, maximise=not lower_is_better)
    assert best is not None, "a finished cell has a choice"
    gains = np.array(best.folds[criterion], dtype=float) - np.array(default.folds[criterion], dtype=float)
    return -gains if lower_is_better else gains


def outcomes(found: pd.DataFrame) -> Iterator[dict[str, object]]:
    """Yield, for each criterion and rule, what tuning does to test accuracy and F1, in points."""
    for criterion, rows in found.groupby("criterion"):
        for rule in RULES:
            moved = np.array([gains.mean() > max(rule.bar(gains), 0.0) for gains in rows["gains"]])
            accuracy, f1 = (
                100 * np.where(moved, rows[name] - rows[f"{name} of default"], 0.0)
                for name in ("accuracy", "f1")
            )
            yield {
                "criterion": criterion,
                "rule": rule.name,
                "accuracy": accuracy.mean(),
                "F1": f1.mean(),
                "kept": 1 - moved.mean(),
                "below": (accuracy < 0).mean(),
                "above": (accuracy > 0).mean(),
                "below by a point": (accuracy < -1).mean(),
            }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run")
    runs.add_argument("--folds", type=int, default=3)
    runs.add_argument("--replicates", type=int, default=2)
    runs.add_argument("--jobs", type=int, default=1)
    runs.add_argument("--out", type=Path, default=Path("runs"))
    commands.add_parser("show").add_argument("folder", type=Path)
    asked = parser.parse_args()
    if asked.command == "run":
        asked.folder = asked.out / f"tuning-rule-{asked.folds}"
        asked.folder.mkdir(parents=True, exist_ok=True)
        file = asked.folder.with_suffix(".toml")
        file.write_text(suite(asked.folds, asked.replicates), encoding="utf-8")
        pubench.run_suite(file, out=asked.folder, jobs=asked.jobs)
    found = searches(asked.folder)
    print(f"{len(found)} searches")
    print(pd.DataFrame(outcomes(found)).to_string(index=False, float_format=lambda value: f"{value:.3f}"))


if __name__ == "__main__":
    main()
