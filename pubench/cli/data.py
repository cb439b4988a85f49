"""``pubench data``: fetch, list, show, verify, clean."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from pubench.cli.options import SUITE, data_option, parsed_params, plugin_options

__all__ = ["data"]

SHOWN_DIGITS = 12


@click.group()
def data() -> None:
    """Fetch data sets, and look after those in the cache."""


@data.command()
@click.argument("suite", type=SUITE)
@data_option
@plugin_options
def fetch(suite: str, plugin_files: tuple[Path, ...], no_third_party: bool) -> int:
    """Load every data set of SUITE into the cache, so that it can run without a network."""
    from pubench.cli.loading import Loading
    from pubench.errors import PubenchError
    from pubench.plan.datasets import expanded, load_entry
    from pubench.plugins.discovery import discover
    from pubench.suite import load_suite

    parsed = load_suite(suite)
    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    files = [str(file.resolve()) for file in plugin_files]
    failed = 0
    with Loading():
        entries = [one for entry in parsed.datasets for one in expanded(entry, registry)]
        for number, entry in enumerate(entries, start=1):
            place = f"[{number}/{len(entries)}] {entry.label}"
            try:
                found = load_entry(entry, registry, Path(suite).absolute().parent, files)
                click.echo(f"{place}: {found.n_rows:,} rows, {found.n_features:,} features")
            except PubenchError as error:
                failed += 1
                click.echo(f"{place}: {error}", err=True)
    return 1 if failed else 0


@data.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@plugin_options
def list_cached(as_json: bool, plugin_files: tuple[Path, ...], no_third_party: bool) -> None:
    """List the data sets and downloads that the cache holds."""
    from pubench.data.inventory import cached_datasets, downloads
    from pubench.plugins.discovery import discover

    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    held, fetched = cached_datasets(), [one for _, one in downloads(registry) if one.listed]
    if as_json:
        values: list[dict[str, Any]] = [holding.to_dict() for holding in held]
        values += [{"name": one.name, "title": one.title, "bytes": one.size()} for one in fetched]
        click.echo(json.dumps(values, indent=1))
        return
    for holding in held:
        click.echo(
            f"{'; '.join(holding.asked)}  {holding.stored.n_rows:,} x {holding.stored.n_features:,}  "
            f"{_size(holding.size)}  {holding.stored.fingerprint[:SHOWN_DIGITS]}"
        )
    for one in fetched:
        click.echo(f"{one.name}  {one.title}  {_size(one.size())}  download")
    if not held and not fetched:
        click.echo("the cache is empty", err=True)


def _size(number: int) -> str:
    return f"{number / 2**20:.1f} MB"


@data.command()
@click.argument("name")
@click.option("--params", default="{}", help='Its arguments as JSON, for example {"mean_p2": 100}.')
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@data_option
@plugin_options
def show(name: str, params: str, as_json: bool, plugin_files: tuple[Path, ...], no_third_party: bool) -> None:
    """Show the card of the data set NAME, loading it if need be."""
    from pubench.cli.loading import Loading
    from pubench.data.cards import card, card_lines
    from pubench.data.loading import load_stored
    from pubench.plan.datasets import with_paths
    from pubench.plugins.discovery import discover

    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    registered = registry.dataset(name)
    arguments = with_paths(registered.spec, parsed_params(params), Path.cwd())
    with Loading():
        found = load_stored(registered, arguments, files=[str(file.resolve()) for file in plugin_files])
    values = card(registered, found)
    click.echo(json.dumps(values, indent=1) if as_json else "\n".join(card_lines(values)))


@data.command()
@plugin_options
def verify(plugin_files: tuple[Path, ...], no_third_party: bool) -> int:
    """Read every data set and download in the cache and remove those that were damaged."""
    from pubench.data.inventory import downloads, entries, remove_download
    from pubench.plugins.discovery import discover

    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    damaged = 0
    for entry in entries():
        sound = entry.is_sound()
        click.echo(f"{entry.title}  {'ok' if sound else 'damaged: removed'}")
        if not sound:
            entry.forget()
            damaged += 1
    for _, download in downloads(registry):
        sound = download.is_intact()
        if download.listed or not sound:
            click.echo(f"{download.name}  {download.title}  {'ok' if sound else 'damaged: removed'}")
        if not sound:
            remove_download(download)
            damaged += 1
    return 1 if damaged else 0


@data.command()
@click.argument("name", required=False)
@click.option("--downloads", "with_downloads", is_flag=True, help="Remove what was downloaded for NAME, too.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@plugin_options
def clean(
    name: str | None,
    with_downloads: bool,
    yes: bool,
    plugin_files: tuple[Path, ...],
    no_third_party: bool,
) -> None:
    """Empty the cache, or remove NAME from it; suites load again what they need.

    NAME is a data set's name, a fingerprint (or how one begins), or the name of a download such as openml:37.
    """
    from pubench.data.inventory import downloads, empty_cache, find_held, remove_download
    from pubench.plugins.discovery import discover

    if name is None:
        if yes or click.confirm("Remove the whole cache, downloads included?"):
            empty_cache()
        return
    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    held, fetched = find_held(name, downloads(registry), with_downloads=with_downloads)
    what = f"{len(held)} prepared data sets and {len(fetched)} downloads"
    if not yes and not click.confirm(f"Remove {what} ('{name}')?"):
        return
    for entry in held:
        entry.forget()
    for download in fetched:
        remove_download(download)
    click.echo(f"removed {what}")
