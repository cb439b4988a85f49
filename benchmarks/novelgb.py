"""What NovelGB costs beside scikit-learn's boosting on the true labels, how that grows, and what its engine weighs.

Run:  OMP_NUM_THREADS=1 python benchmarks/novelgb.py

Times are CPU seconds of one thread; only their ratios mean anything on another machine. GradientBoostingClassifier
takes minutes at 100,000 rows: there it grows a tenth of the trees, and its time is multiplied by ten (each of its
trees costs the same, and what comes before them next to nothing).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from measure import Problem, cpu_ratio, exponent, line, peak_megabytes, problem
from pubench_novelgb.novelgb import NovelGB
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier

from pubench.estimators.sharing import SHARED

TREES, DEPTH = 100, 3


def ours(data: Problem, n_trees: int = TREES) -> NovelGB:
    # A fit of its own: what trials of a search share is not kept.
    SHARED.clear()
    return NovelGB(data.prior, n_estimators=n_trees, max_depth=DEPTH, n_jobs=1, scenario="case-control").fit(
        data.X, data.s
    )


def exact(data: Problem, n_trees: int) -> GradientBoostingClassifier:
    model = GradientBoostingClassifier(n_estimators=n_trees, max_depth=DEPTH, random_state=0)
    return model.fit(data.X, data.y)


def histograms(data: Problem) -> HistGradientBoostingClassifier:
    model = HistGradientBoostingClassifier(
        max_iter=TREES, max_depth=DEPTH, early_stopping=False, random_state=0
    )
    return model.fit(data.X, data.y)


def fit_for_memory(data: Problem, *, warm_up: bool) -> None:
    part = slice(-500, None)
    ours(Problem(data.X[part], np.arange(500) % 2, data.y[part], 0.5) if warm_up else data)


def print_ratios(n: int, d: int) -> None:
    data = problem(n, d)
    kept: dict[str, Any] = {}

    def keeping(name: str, fit: Callable[[], Any]) -> Callable[[], None]:
        return lambda: kept.update({name: fit()})

    mine = keeping("ours", lambda: ours(data))
    share = 10 if n > 50_000 else 1
    times = cpu_ratio(mine, keeping("exact", lambda: exact(data, TREES // share)), repeats=1)
    what = f"fit, {n} x {d}, {TREES} trees of depth {DEPTH}: over "
    print(line(what + "GradientBoosting", times[0] / (share * times[1]), 0.03))
    times = cpu_ratio(mine, keeping("histograms", lambda: histograms(data)))
    print(line(what + "HistGradientBoosting", times[0] / times[1], 1.5))
    times = cpu_ratio(
        lambda: kept["ours"].predict(data.X), lambda: kept["histograms"].predict(data.X), repeats=5
    )
    print(line(f"predict, {n} x {d}: over HistGradientBoosting", times[0] / times[1], 1.0))
    if share == 1:
        times = cpu_ratio(
            lambda: kept["ours"].predict(data.X), lambda: kept["exact"].predict(data.X), repeats=5
        )
        print(line(f"predict, {n} x {d}: over GradientBoosting", times[0] / times[1]))
    megabytes = data.X.nbytes / 2**20
    peak = peak_megabytes(fit_for_memory, data)
    print(line(f"fit, {n} x {d}: peak memory, input included, over input", 1 + peak / megabytes, 2.0))


def growth(shapes: list[tuple[int, int]]) -> list[float]:
    """Return the CPU seconds of a fit for each shape."""
    seconds = []
    for n, d in shapes:
        data = problem(n, d)
        seconds.append(cpu_ratio(lambda data=data: ours(data), lambda: None)[0])
    return seconds


def print_growth() -> None:
    rows, columns = [5_000, 10_000, 20_000, 50_000, 100_000], [10, 20, 50, 100]
    by_rows, by_columns = growth([(n, 50) for n in rows]), growth([(20_000, d) for d in columns])
    print(line("fit: growth exponent in n, 5k to 100k x 50", exponent(rows, by_rows)))
    print(line("fit: growth exponent in d, 20k x 10 to 100", exponent(columns, by_columns)))


def print_engine() -> None:
    """Print what LightGBM adds to an install and to the first fit of a process."""
    folder = Path(lightgbm.__file__).parent
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.suffix in {".py", ".so"})
    print(line("LightGBM: megabytes on disk", size / 2**20))
    code = (
        "import time, sklearn.base, scipy.sparse, pandas; start = time.process_time(); import lightgbm; "
        "print(time.process_time() - start)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    print(line("LightGBM: CPU seconds of its import, after scikit-learn and pandas", float(done.stdout)))


def main() -> None:
    for n in (20_000, 100_000):
        print_ratios(n, 50)
    print_growth()
    print_engine()


if __name__ == "__main__":
    main()
