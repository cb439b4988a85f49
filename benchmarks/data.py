"""How fast large data sets come from a warm cache, and that workers share their pages. Prints figures.

Run:  PUBENCH_DATA=<folder of files> python benchmarks/data.py [NAME ...]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

BUDGET_SECONDS = 0.5
NAMES = ("puet-covtype", "puet-mnist")

# What a worker does: find the data set in the cache, map it, read every page. Importing does not count.
WORKER = """
import json, sys, time
import numpy as np
from pubench.plugins.discovery import discover
from pubench.data.loading import load_stored
from pubench.data.stored import read_features
registered = discover().dataset(sys.argv[1])
start = time.perf_counter()
found = load_stored(registered, {})
X = read_features(found.folder, found.sparse, found.n_features)
mapped = time.perf_counter() - start
total = float(X.sum(dtype=np.float64))
read = time.perf_counter() - start
memory = dict(line.split()[:2] for line in open("/proc/self/smaps_rollup") if ":" in line.split()[0])
print(json.dumps({"mapped": mapped, "read": read, "total": total, "bytes": X.nbytes,
                  "rss": int(memory["Rss:"]), "anonymous": int(memory["Anonymous:"])}), flush=True)
sys.stdin.read()
"""


def start(name: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER, name]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def answer(worker: subprocess.Popen[str]) -> dict[str, float]:
    assert worker.stdout is not None
    return json.loads(worker.stdout.readline())


def measure(name: str) -> bool:
    """Load once cold, then in two warm processes at a time; return whether the warm load is within its budget."""
    begun = time.perf_counter()
    worker = start(name)
    cold = answer(worker)
    print(f"{name}: cold {time.perf_counter() - begun:.1f} s, {cold['bytes'] / 2**20:.0f} MB")
    workers = [worker, start(name)]
    found = answer(workers[1])
    anonymous = max(cold["anonymous"], found["anonymous"]) / 1024
    print(
        f"  warm: mapped in {found['mapped']:.3f} s, every page read in {found['read']:.2f} s (at most "
        f"{BUDGET_SECONDS:g} s to load); two workers: {found['rss'] / 1024:.0f} MB resident each, of which "
        f"{anonymous:.0f} MB are their own, the rest is shared"
    )
    for one in workers:
        one.communicate()
    assert found["total"] == cold["total"]
    return found["mapped"] <= BUDGET_SECONDS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("PUBENCH_CACHE", folder)
        within = [measure(name) for name in arguments.names]
    print("within all budgets" if all(within) else "OVER BUDGET")
    sys.exit(not all(within))


if __name__ == "__main__":
    main()
