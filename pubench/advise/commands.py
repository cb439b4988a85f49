"""Commands to give next, ready to be pasted into a shell."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from pubench.specs import Scenario

__all__ = ["table_command"]


def table_command(
    command: str,
    source: str,
    *,
    label: str,
    ids: Sequence[str],
    scenario: Scenario,
    seed: int,
    options: Sequence[str] = (),
) -> str:
    """Return a command about a table; what the command would take anyway is left out.

    Parameters
    ----------
    command : str
        Such as ``"fit"``.
    source : str
        The file.
    label, ids, scenario, seed
        What the columns mean, how the rows were drawn, and the random seed.
    options : sequence of str
        Further options.
    """
    named = [part for one in ids for part in ("--id", one)]
    drawn = [] if scenario == "single-training-set" else ["--scenario", scenario]
    seeded = [] if seed == 0 else ["--seed", str(seed)]
    return shlex.join(["pubench", command, source, "--label", label, *named, *drawn, *seeded, *options])
