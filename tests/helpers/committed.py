"""What the committed reports were made with, and what differs here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pubench.results.arithmetic import arithmetic

STUDIES = ("baselines", "estimated-prior", "tuning-best", "tuning-one-se")
"""The bundled suites whose tables come from OpenML."""
CORE = (
    "core",
    "core-estimated",
    "core-lite",
    "core-sar",
    "core-sar-lite",
    "core-small",
    "core-tuned",
    "selection-study",
)
"""The reference benchmark; the reports of its small suites are committed."""
CORE_REPORTS = ("core-lite", "core-sar-lite", "core-small", "selection-study")
TODAY = ("methods-today", "presence-only", "sar-strength")
"""The bundled suites of recent methods and of biased or given labels."""
TODAY_REPORTS = ("methods-today", "presence-only", "sar-strength")
"""Those whose reports are committed."""
NEED_TORCH = ("puet-cnn",)
"""The suites of papers that need PyTorch."""
NOT_RUN: tuple[str, ...] = ()
"""The suites of papers whose reports are not committed yet."""
WITHOUT_PAPER = {
    "quickstart",
    "label-frequency",
    "prior-sensitivity",
    *TODAY,
    *STUDIES,
    *CORE,
    *NOT_RUN,
}
"""The bundled suites that are not on the page of papers."""
REPORTS = Path(__file__).resolve().parents[2] / "reports"
DECIDE = ("numpy", "scipy", "scikit-learn", "optuna", "pandas", "matplotlib")
KERNELS = ("Haswell", "SkylakeX")
"""Kernels of OpenBLAS, without and with AVX-512, that decide how linear algebra rounds."""


def committed_page(suite: str) -> str:
    """Return the committed page of a suite."""
    return (REPORTS / suite / "report.html").read_text(encoding="utf-8")


def marked(name: str) -> Any:
    """Return the name of a suite as a parameter, marked if running it needs PyTorch."""
    if name.removesuffix("-smoke") not in NEED_TORCH:
        return name
    missing = find_spec("torch") is None
    return pytest.param(
        name, marks=[pytest.mark.torch, pytest.mark.skipif(missing, reason="PyTorch is not installed")]
    )


def what_differs(page: str, here: str = "") -> list[str]:
    """Name what decides about the last digits here and is not what a committed report was made with."""
    made_with = _made_with(page)
    committed = dict(entry.split(" ") for entry in made_with["Packages"].split(", "))
    differ = [name for name in DECIDE if committed.get(name) != version(name)]
    return differ + ([] if made_with.get("Arithmetic") == (here or arithmetic()) else ["arithmetic"])


def kernels_of(page: str) -> tuple[dict[str, str], str]:
    """Return an environment that computes as the machine of a committed report, if one can, and its arithmetic."""
    if _made_with(page).get("Arithmetic") != arithmetic():
        for name in KERNELS:
            environment = {"OPENBLAS_CORETYPE": name}
            code = "from pubench.results.arithmetic import arithmetic; print(arithmetic())"
            found = subprocess.run(
                [sys.executable, "-c", code],
                env=os.environ | environment,
                capture_output=True,
                text=True,
                check=False,
            ).stdout.strip()
            if found == _made_with(page).get("Arithmetic"):
                return environment, found
    return {}, arithmetic()


def _made_with(page: str) -> dict[str, str]:
    return dict(re.findall(r"<dt>(\w+)</dt><dd>([^<]+)</dd>", page))
