"""Fixed seeds are found wherever they are given, and outcomes are readable by CI."""

from __future__ import annotations

import random
from xml.etree.ElementTree import fromstring

import numpy as np

from pubench.testing.junit import junit_xml
from pubench.testing.running import Outcome
from pubench.testing.seeding import watched_seeds


def test_seeds_of_all_generators_are_seen():
    from lightgbm import LGBMClassifier

    X, s = np.arange(40.0).reshape(20, 2), np.repeat([0, 1], 10)
    with watched_seeds() as found:
        np.random.default_rng(7)
        random.seed(8)
        LGBMClassifier(n_estimators=1, random_state=9, n_jobs=1, verbose=-1).fit(X, s)
    assert {("numpy.random.default_rng", 7), ("random.seed", 8)} <= set(found.calls)
    assert ("random_state of LightGBM", 9) in found.calls


def test_the_outcome_as_junit_counts_and_names_each_check():
    outcomes = [
        Outcome("algorithms", "mine", "test_a", "A <law>", "ok"),
        Outcome("algorithms", "mine", "test_b", "B", "finding", "broken & bad"),
        Outcome("metrics", "m", "test_c", "C", "skipped", "no"),
    ]
    root = fromstring(junit_xml(outcomes))
    first, second = root
    assert (first.get("tests"), first.get("failures"), second.get("skipped")) == ("2", "1", "1")
    assert first[1].find("failure").get("message") == "broken & bad"
