"""``pubench data``: fetch, list, show, verify, clean."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from pubench.cli.options import SUITE, plugin_options

__all__ = ["data"]


@click.group()
def data() -> None:
    """Fetch data sets, and look after those in the cache."""


@data.command()
@click.argument("suite", type=SUITE)
@plugin_options
def fetch(suite: str, plugin_files: tuple[Path, ...], no_third_party: bool) -> int:
    """Load every data set of SUITE into the cache, so that it can run without a network."""
    from pubench.errors import PubenchError
    from pubench.plan_data import expanded, prepare_entry
    from pubench.plugins import discover
    from pubench.suite import load_suite

    parsed = load_suite(suite)
    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    files = [str(file.resolve()) for file in plugin_files]
    entries = [one for entry in parsed.datasets for one in expanded(entry, registry)]
    failed = 0
    for number, entry in enumerate(entries, start=1):
        place = f"[{number}/{len(entries)}] {entry.label}"
        try:
            found = prepare_entry(entry, registry, Path(suite).absolute().parent, files)
            click.echo(f"{place}: {found.n_rows:,} rows, {found.n_features:,} features")
        except PubenchError as error:
            failed += 1
            click.echo(f"{place}: {error}", err=True)
    return 1 if failed else 0


@data.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_cached(as_json: bool) -> None:
    """List the data sets that the cache holds."""
    from pubench.prepare import cached

    found = [(entry, sum(path.stat().st_size for path in entry.arrays())) for entry in cached()]
    if as_json:
        values = [
            {
                "name": e.name,
                "rows": e.n_rows,
                "features": e.n_features,
                "bytes": size,
                "fingerprint": e.fingerprint,
            }
            for e, size in found
        ]
        click.echo(json.dumps(values, indent=1))
        return
    for entry, size in found:
        click.echo(
            f"{entry.name}  {entry.n_rows:,} x {entry.n_features:,}  {size / 2**20:.1f} MB  {entry.fingerprint[:12]}"
        )
    if not found:
        click.echo("the cache is empty", err=True)


@data.command()
@click.argument("name")
@click.option("--params", default="{}", help='Its arguments as JSON, for example {"mean_p2": 100}.')
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@plugin_options
def show(name: str, params: str, as_json: bool, plugin_files: tuple[Path, ...], no_third_party: bool) -> None:
    """Show the card of the data set NAME, loading it if need be."""
    from pubench.cards import card, card_lines
    from pubench.imports import resolve
    from pubench.plan_data import with_paths
    from pubench.plugins import discover
    from pubench.prepare import prepare

    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    registered = registry.dataset(name)
    arguments = with_paths(registered.spec, _parsed(params), Path.cwd())
    found = prepare(registered, arguments, files=[str(file.resolve()) for file in plugin_files])
    values = card(registered, found)
    if registered.spec.card:
        more = resolve(registered.spec.card)(**arguments)
        values |= {name: text for name, text in more.items() if isinstance(text, str) and text}
    click.echo(json.dumps(values, indent=1) if as_json else "\n".join(card_lines(values)))


def _parsed(params: str) -> dict[str, Any]:
    try:
        value = json.loads(params)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise click.UsageError('--params must be a JSON object such as {"id": 37}')
    return value


@data.command()
def verify() -> int:
    """Read every data set in the cache and remove those that were damaged."""
    from pubench.fingerprints import is_intact
    from pubench.prepare import cached, forget

    damaged = 0
    for entry in cached():
        intact = is_intact(entry)
        click.echo(f"{entry.name}  {entry.fingerprint[:12]}  {'ok' if intact else 'damaged: removed'}")
        if not intact:
            forget(entry)
            damaged += 1
    return 1 if damaged else 0


@data.command()
@click.argument("name", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
def clean(name: str | None, yes: bool) -> None:
    """Empty the cache, or remove the data set NAME from it; suites load again what they need."""
    from pubench.prepare import cached, empty_cache, forget

    what = f"data set '{name}'" if name else "the whole cache, downloads included"
    if not yes and not click.confirm(f"Remove {what}?"):
        return
    if name is None:
        empty_cache()
        return
    found = [entry for entry in cached() if entry.name == name]
    for entry in found:
        forget(entry)
    click.echo(f"removed {len(found)} from the cache")
