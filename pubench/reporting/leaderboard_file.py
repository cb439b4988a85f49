"""The leaderboard for other programs: one row for each suite, metric and method, from runs and from kept reports."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pubench.errors import PubenchError, RunFolderError
from pubench.reporting.details import read_details
from pubench.reporting.site.committed import is_committed, read_committed
from pubench.reporting.site.sources import verified_words
from pubench.results.table import Row, read_results
from pubench.stats.board import make_board
from pubench.stats.leaderboard import Leaderboard, Standing, leaderboard
from pubench.stats.scores import score_table
from pubench.status import Status
from pubench.suite import bundled_suites, load_suite
from pubench.suite.reporting import Rules

__all__ = ["leaderboard_rows"]

_VERSION = re.compile(rb"\bpubench ([0-9][^,<\s]*)")
_DRAWN = ("n_p", "n_u", "n_test", "true_prior")
"""What rows of one data set, labelling and replicate have in common whatever the method."""
_ROUNDING = 1e-6


class _Source(NamedTuple):
    """A folder: rows of one suite, and what is known of them."""

    folder: Path
    suite: str
    seed: int | None
    version: str
    verified: str
    rows: tuple[Row, ...]
    metrics: Mapping[str, bool | None]
    origins: Mapping[str, str]
    rules: Rules


def leaderboard_rows(folders: Sequence[Path]) -> list[Row]:
    """Return one row for each method by each metric of each suite, as the reports rank them.

    Folders of one suite are ranked together, by the rules of the first: a folder may hold the rows of one new method.

    Parameters
    ----------
    folders : sequence of Path
        Run folders, and reports that are kept with their ``cells.csv``.

    Raises
    ------
    RunFolderError
        If a folder holds neither.
    PubenchError
        If two folders of one suite have other seeds, other labels, or other results of one cell.
    """
    suites: dict[str, list[_Source]] = {}
    for source in map(_read, dict.fromkeys(folders)):
        suites.setdefault(source.suite, []).append(source)
    return [row for sources in suites.values() for row in _ranked(sources)]


def _read(folder: Path) -> _Source:
    if (folder / "plan.json").exists():
        return _of_run(folder)
    if is_committed(folder):
        return _of_committed(folder)
    raise RunFolderError(
        f"{folder} holds no run (plan.json) and no report (cells.csv and report.html); leave it out"
    )


def _of_run(folder: Path) -> _Source:
    results, details = read_results(folder), read_details([folder])
    plan, versions = results.plan, [entry.packages.get("pubench", "") for entry in details.provenance]
    return _Source(
        folder,
        plan.suite,
        plan.seed,
        " ".join(dict.fromkeys(versions)),
        verified_words(folder),
        results.rows,
        {name: plan.metrics[name].greater_is_better for name in plan.shown},
        details.origins,
        plan.report,
    )


def _of_committed(folder: Path) -> _Source:
    """Read a kept report: its suite is known by name, its version from its page."""
    found = read_committed(folder)
    name = str(found.rows[0]["suite"]) if found.rows else found.title
    suite = load_suite(name) if name in bundled_suites() else None
    version = _VERSION.search(found.page)
    return _Source(
        folder,
        name,
        None if suite is None else suite.seed,
        version[1].decode() if version else "",
        "",
        found.rows,
        found.metrics,
        found.origins,
        found.rules if suite is None else suite.report.rules,
    )


def _ranked(sources: Sequence[_Source]) -> Iterator[Row]:
    """Yield the rows of one suite."""
    first = sources[0]
    rows = _together(sources)
    origins = {key: value for one in reversed(sources) for key, value in one.origins.items()}
    by_method = {str(row["algorithm"]): source for source in reversed(sources) for row in source.rows}
    tables = [score_table(rows, metric, greater) for metric, greater in first.metrics.items()]
    board = make_board(tables, rows, first.rules, origins)
    replicates = len({row["replicate"] for row in rows})
    counts = {"labellings": len({row["labelling"] for row in rows}), "replicates": replicates}
    for place, table in enumerate(tables):
        ranked = leaderboard(board, place, first.rules)
        for one in ranked.standings:
            yield _row(by_method[one.algorithm], table.metric, ranked, one, counts)


def _row(source: _Source, metric: str, ranked: Leaderboard, one: Standing, counts: Mapping[str, int]) -> Row:
    return {
        "suite": source.suite,
        "seed": source.seed,
        "version": source.version,
        "metric": metric,
        "method": one.algorithm,
        "reference": one.reference,
        "mean": _known(one.means[ranked.metric]),
        "rank": _known(one.rank),
        "rank_low": _known(one.low),
        "rank_high": _known(one.high),
        "data_sets": ranked.units,
        **counts,
        "compared_with": ranked.compared_with,
        "detectable": _known(ranked.detectable),
        "failed": one.failed,
        "collapsed": one.collapsed,
        "verified": source.verified or None,
    }


def _together(sources: Sequence[_Source]) -> list[Row]:
    """Return the rows of all folders, each cell once; those of other draws or other results are refused."""
    cells: dict[str, tuple[Row, _Source]] = {}
    draws: dict[tuple[object, ...], tuple[Row, _Source]] = {}
    for source in sources:
        if None not in (source.seed, sources[0].seed) and source.seed != sources[0].seed:
            raise PubenchError(_refusal(sources[0], source, "have different seeds"))
        for row in source.rows:
            known, by = cells.setdefault(str(row["key"]), (row, source))
            if not _agree(known, row, source.metrics):
                raise PubenchError(_refusal(by, source, f"have different results of {_name(row)}"))
            if row["status"] == Status.OK:
                place = row["dataset"], row["labelling"], row["replicate"]
                known, by = draws.setdefault(place, (row, source))
                if not _agree(known, row, _DRAWN):
                    raise PubenchError(_refusal(by, source, f"draw different rows for {_name(row)}"))
    return [row for row, _ in cells.values()]


def _agree(one: Row, other: Row, names: Sequence[str] | Mapping[str, object]) -> bool:
    """Whether two rows have the same numbers, but for the rounding of two machines."""
    pairs = [(one.get(name), other.get(name)) for name in names]
    return all(
        math.isclose(a, b, rel_tol=_ROUNDING, abs_tol=_ROUNDING)
        for a, b in pairs
        if isinstance(a, int | float) and isinstance(b, int | float)
    )


def _refusal(one: _Source, other: _Source, what: str) -> str:
    return (
        f"{one.folder} and {other.folder} are of the suite '{one.suite}' and {what}; rank them in separate files, or "
        "run both with the same suite file, versions and data"
    )


def _name(row: Row) -> str:
    return f"{row['dataset']} / {row['labelling']} / replicate {row['replicate']} / {row['algorithm']}"


def _known(value: float) -> float | None:
    """Return a number with six digits, None for one that is not known."""
    return float(f"{value:.6g}") if math.isfinite(value) else None
