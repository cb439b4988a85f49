"""``pubench plugin``: create a plugin with ``pubench.scaffold``, check it with ``pubench.testing``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pubench.cli.commands import Group
from pubench.cli.streams import printed
from pubench.errors import counted

if TYPE_CHECKING:
    from pubench.testing.running import Outcome

__all__ = ["plugin"]

_SIGNS = {"ok": ("ok", "green"), "finding": ("FOUND", "bold red"), "skipped": ("-", "dim")}


@click.group(cls=Group)
def plugin() -> None:
    """Create plugins and check them."""


@plugin.command()
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(["algorithm", "dataset", "criterion", "metric", "prior"]),
    default="algorithm",
    show_default=True,
    help="What the plugin provides.",
)
@click.option("--cython", is_flag=True, help="Include a loop in Cython; not for data sets.")
def new(name: str, kind: str, cython: bool) -> None:
    """Create a package for a new plugin in the folder NAME: source, tests, workflows, an example suite."""
    from pubench.plugins.discovery import discover
    from pubench.scaffold import new_plugin

    folder = new_plugin(name, kind, discover(), cython=cython, parent=Path.cwd())
    click.echo(f"Created {folder}. Next:")
    click.echo(f"  cd {folder.name}")
    for line in ("pip install --editable '.[dev]'", "pytest", f"pubench plugin check {name}"):
        click.echo(f"  {line}")


@plugin.command()
@click.argument("wanted", metavar="NAME|PATH")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON: kind, name, title, status and message of each check.",
)
@click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the outcome to this file as JUnit XML, for CI.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=1.0),
    default=300.0,
    show_default=True,
    help="Time limit of one check, in seconds.",
)
def check(wanted: str, as_json: bool, junit: Path | None, seconds: float) -> int:
    """Check a plugin against the contract: an installed plugin by name, a single file, or the folder of a package.

    A name may also be that of a distribution, or of one algorithm, data set, criterion, metric or prior estimator.
    The example.toml in the folder of a package is checked, too.
    The exit code is 1 if there are findings.
    """
    outcomes = _outcomes(wanted, seconds)
    if as_json:
        finished = list(outcomes)
        click.echo(json.dumps([asdict(outcome) for outcome in finished], indent=1))
    else:
        finished = list(_shown(outcomes))
    if junit is not None:
        from pubench.testing.junit import junit_xml

        junit.write_text(junit_xml(finished), encoding="utf-8")
    return 1 if any(outcome.status == "finding" for outcome in finished) else 0


def _outcomes(wanted: str, seconds: float) -> Iterator[Outcome]:
    """Yield all outcomes; what cannot be loaded has one."""
    from pubench.testing.example import check_example
    from pubench.testing.loading import load_problem
    from pubench.testing.running import run_checks
    from pubench.testing.subjects import find_subjects

    problem = load_problem(wanted, seconds=seconds)
    if problem is not None:
        yield problem
        return
    subjects = find_subjects(wanted)
    yield from run_checks(subjects, seconds=seconds)
    yield from check_example(subjects, seconds=seconds)


def _shown(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """Print each outcome when it arrives, and a summary at the end."""
    from rich.padding import Padding
    from rich.text import Text

    from pubench.plugins.registry import SINGULAR

    console, counts, last = printed(highlight=False), dict.fromkeys(_SIGNS, 0), ("", "")
    for outcome in outcomes:
        if (outcome.kind, outcome.name) != last:
            console.print(Text(f"{SINGULAR.get(outcome.kind, 'plugin')} {outcome.name}", style="bold"))
            last = (outcome.kind, outcome.name)
        sign, style = _SIGNS[outcome.status]
        reason = f" ({outcome.message})" if outcome.status == "skipped" else ""
        line = Text(f"  {sign:<6}", style=style) + Text(
            f"{outcome.title}{reason}", style=style if reason else ""
        )
        console.print(line, soft_wrap=True)
        if outcome.status == "finding":
            console.print(Padding(Text(outcome.message), (0, 0, 0, 8)))
        counts[outcome.status] += 1
        yield outcome
    n_findings = counts["finding"]
    findings = counted(n_findings, "finding")
    console.print(f"{findings}, {counts['ok']} checks passed, {counts['skipped']} do not apply")
