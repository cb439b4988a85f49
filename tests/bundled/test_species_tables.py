"""The tables of species: one observation for each species, regions as strata, differences to MaxEnt."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.committed import REPORTS
from scipy.stats import wilcoxon

METRICS = ("roc-auc", "auc-prg", "average-precision", "cor", "boyce")
GAIN = {"AWT": [0.02, 0.04, 0.06], "NZ": [-0.01, 0.03]}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the script, with rows of five species in two regions; the target group adds 0.1."""
    rows = []
    for region, gains in GAIN.items():
        for number, gain in enumerate(gains):
            for suffix, more in (("", 0.0), ("-group", 0.1)):
                for name, value in (("maxent", 0.6), ("rf-down", 0.6 + gain)):
                    scores = dict.fromkeys(METRICS, value + more)
                    scores["auc-prg"] = [-9.0, 0.2, 0.3, 0.4, 0.5][number] + more
                    dataset = f"{region}{suffix}: {region.lower()}{number}"
                    rows.append({"dataset": dataset, "algorithm": name, **scores})
    monkeypatch.syspath_prepend(str(REPORTS))
    script = runpy.run_path(str(REPORTS / "species.py"))
    monkeypatch.setitem(script["species"].__globals__, "cells", lambda suite: pd.DataFrame(rows))
    return script


def lines(text: str) -> dict[str, list[str]]:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    return {row[0]: row[1:] for row in rows}


def test_methods_are_compared_with_maxent_over_species_and_regions(made: dict[str, Any]) -> None:
    found = lines(made["in_background"]())
    gains = np.concatenate([*GAIN.values()])
    auc, prg, *_, difference, p, strata, better = found["`rf-down`"]
    assert auc == f"{0.6 + gains.mean():.3f}"[1:]
    # The median, which one bad species hardly moves.
    assert prg == ".200"
    assert difference == f"{gains.mean():+.3f} ({gains.std(ddof=1) / np.sqrt(5):.3f})"
    assert p == f"{wilcoxon(gains).pvalue:.1g}"
    parts = [np.array(part) for part in GAIN.values()]
    error = np.sqrt(sum(part.var(ddof=1) / len(part) for part in parts)) / 2
    assert strata == f"{np.mean([part.mean() for part in parts]):+.3f} ({error:.3f})"
    assert better == "2 of 2"
    assert found["`maxent`"][-4:] == ["", "", "", ""]


def test_both_choices_of_u_are_shown(made: dict[str, Any]) -> None:
    assert lines(made["in_group"]())["`maxent`"][0] == ".700"
    assert lines(made["regions"]())["`maxent`"] == [".600 / .700"] * 2
    assert lines(made["choice_of_u"]())["`maxent`"][:4] == [".600", ".700", "+0.100 (0.000)", "100 %"]
    assert all(f"## {title}" in made["page"]() for title in made["TABLES"])


def test_another_seed_says_the_same_of_maxent_forests_and_the_choice_of_u() -> None:
    rows = pd.read_csv(REPORTS / "presence-only" / "fresh.csv")
    places = rows["dataset"].str.extract(r"^(?P<region>\w+?)(?P<group>-group)?: (?P<species>\w+)$")
    auc = rows.assign(**places).assign(group=places["group"].notna())
    scores = auc.pivot(index="species", columns=["group", "algorithm"], values="roc-auc")
    assert scores.shape == (195, 6)
    assert not scores.isna().any(axis=None)
    for group in (False, True):
        for name in ("rf-down", "puet"):
            gain = scores[group, name] - scores[group, "maxent"]
            assert gain.mean() > 0.005
            assert wilcoxon(gain).pvalue < 0.01
    assert ((scores[True].mean() - scores[False].mean()).round(2) == 0.03).all()
