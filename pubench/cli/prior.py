"""``pubench prior``: the estimates of all prior estimators for one data set."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pubench.cli.options import SCENARIO, data_option, parsed_params, plugin_options
from pubench.cli.streams import show
from pubench.errors import DataError

if TYPE_CHECKING:
    from pubench.plan.datasets import ResolvedDataset
    from pubench.plugins.registry import Registry
    from pubench.run.prior_table import PriorRow, PriorTable
    from pubench.specs import JSONValue, Scenario

__all__ = ["prior"]

DEFAULT_FREQUENCY = 0.5


@click.command()
@click.argument("source", metavar="DATA")
@click.option(
    "--params", default="{}", help='Arguments of the data set as JSON, for example {"target": "outcome"}.'
)
@click.option(
    "--positive",
    multiple=True,
    metavar="CLASS",
    help="A positive class; may be repeated [default: those that the data set declares].",
)
@click.option(
    "--scenario",
    type=SCENARIO,
    default="single-training-set",
    show_default=True,
    help="How the PU data are sampled.",
)
@click.option("--positives", type=click.IntRange(min=1), help="The number of positives to label.")
@click.option(
    "--frequency",
    type=click.FloatRange(0.0, 1.0, min_open=True),
    help=f"The share of the positives to label [default: {DEFAULT_FREQUENCY}].",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
@click.option(
    "--estimator", multiple=True, metavar="NAME", help="A prior estimator; may be repeated [default: all]."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
@data_option
@plugin_options
def prior(
    source: str,
    params: str,
    positive: tuple[str, ...],
    scenario: Scenario,
    positives: int | None,
    frequency: float | None,
    seed: int,
    estimator: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    plugin_files: tuple[Path, ...],
    no_third_party: bool,
) -> int:
    """Estimate the class prior of DATA: the name of a data set, a file, or an OpenML id such as openml:37.

    The verdict comes first: the estimate, a plausible range, an upper bound, and whether the data determine the prior.

    Real PU data keep their labels. In data with classes, some positives are labelled at random, and the true prior is
    shown next to the estimates.
    """
    from pubench.cli.loading import Loading
    from pubench.data.labelling import Labelling
    from pubench.estimators.prior_statement import RANGE
    from pubench.plugins.discovery import discover
    from pubench.priors import DEFAULT
    from pubench.run.prior_table import prior_table

    if positives is not None and frequency is not None:
        raise click.UsageError("--positives and --frequency exclude each other; use one of the two")
    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    names = estimator or tuple(registry.all("priors"))
    # The verdict needs these two, whatever else is asked for.
    estimators = [registry.prior(name) for name in dict.fromkeys((*names, DEFAULT, RANGE))]
    files = [str(file.resolve()) for file in plugin_files]
    with Loading():
        part = _part(source, parsed_params(params), positive, registry, files)
    if part.pu:
        _refuse_labels(positives, frequency, positive)
        labelling = Labelling(scenario, positives="given")
    else:
        share = frequency if frequency is not None or positives is not None else DEFAULT_FREQUENCY
        labelling = Labelling(scenario, positives=positives, frequency=share)
    with _progress(len(estimators), quiet=quiet) as on_start:
        table = prior_table(part, labelling, estimators, seed=seed, files=files, on_start=on_start)
    table = replace(table, rows=tuple(row for row in table.rows if row.estimator in names))
    click.echo(json.dumps(asdict(table), indent=1) if as_json else "\n".join(_lines(table)))
    return 0 if any(row.value is not None for row in table.rows) else 1


@contextmanager
def _progress(total: int, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show which estimator runs: in one line of a terminal, in a line each elsewhere, not at all if quiet."""
    if quiet:
        yield lambda name: None
    elif sys.stderr is not None and sys.stderr.isatty():
        from rich.console import Console
        from rich.status import Status

        with Status("starting", console=Console(stderr=True)) as status:
            yield lambda name: status.update(f"estimating the prior: {name}, of {total} estimators")
    else:
        yield lambda name: show(f"estimating the prior: {name}, of {total} estimators")


def _part(
    source: str, params: dict[str, JSONValue], positive: tuple[str, ...], registry: Registry, files: list[str]
) -> ResolvedDataset:
    """Load the data set behind DATA."""
    from pubench.plan.datasets import resolve_dataset
    from pubench.suite.entries import DatasetEntry

    use, arguments = _resolved(source, registry)
    keys: dict[str, object] = {"use": use, "name": Path(source).name, "params": arguments | params}
    entry = DatasetEntry.model_validate(keys | ({"positive": list(positive)} if positive else {}))
    parts = resolve_dataset(entry, registry, Path.cwd(), files)
    if len(parts) > 1:
        raise DataError(f"'{source}' names {len(parts)} data sets; name one of them")
    return parts[0]


def _resolved(source: str, registry: Registry) -> tuple[str, dict[str, JSONValue]]:
    """Return the data set and its arguments for a registered name, a file of a registered format, or ``name:id``."""
    if not source:
        raise DataError("DATA is empty; name a data set, a file, or an OpenML id such as openml:37")
    name, _, number = source.partition(":")
    if source in registry.entries["datasets"]:
        return source, {}
    if number.isdigit():
        return name, {"id": int(number)}
    ending = source.removesuffix(".gz").rpartition(".")[2].lower()
    if Path(source).is_file():
        _check_ending(source, ending, registry)
        return ending, {"path": source}
    if Path(source).suffix and ending in registry.entries["datasets"]:
        raise DataError(f"file '{source}' does not exist; check the path, or name a data set")
    return source, {}


def _check_ending(source: str, ending: str, registry: Registry) -> None:
    if ending not in registry.entries["datasets"]:
        raise DataError(
            f"'{source}' does not end in the name of a known format; rename it, for example to end in .csv, "
            'or give format and file: csv --params \'{"path": "..."}\''
        )


def _refuse_labels(positives: int | None, frequency: float | None, positive: tuple[str, ...]) -> None:
    for option, value in (("--positives", positives), ("--frequency", frequency), ("--positive", positive)):
        if value:
            raise click.UsageError(
                f"{option} has no effect: these data come with their own labels; remove it"
            )


def _lines(table: PriorTable) -> list[str]:
    known = table.truth is not None
    truth = f"; true prior {table.truth:.3f}" if known else ""
    head = f"{table.dataset}: {table.labelling}; {table.n_p:,} labelled, {table.n_u:,} unlabelled rows{truth}"
    width = max(map(len, ("estimator", *(row.estimator for row in table.rows))))
    error = "error   " if known else ""
    titles = f"{'estimator':<{width}}  prior  interval              {error}seconds  doubts"
    verdict = table.statement.lines() if table.statement else (table.missing,)
    return [
        head,
        *verdict,
        "",
        titles,
        *(f"{row.estimator:<{width}}  {_cells(row, table.truth)}".rstrip() for row in table.rows),
    ]


def _cells(row: PriorRow, truth: float | None) -> str:
    if row.value is None:
        return f"–      {row.error}"
    interval = f"{row.low:.3f} to {row.high:.3f} ({row.level:.0%})"
    error = "" if truth is None else f"{row.value - truth:+.3f}  "
    return f"{row.value:.3f}  {interval:<22}{error}{row.seconds:7.1f}  {'; '.join(row.doubts)}"
