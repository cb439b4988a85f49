"""``pubench data``: fetch, list, show, verify and clean, on top of ``pubench.data.inventory``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from pubench.cli.commands import Group
from pubench.cli.options import SUITE, data_option, parsed_params, plugin_options
from pubench.errors import counted, plural

__all__ = ["data"]

SHOWN_DIGITS = 12


@click.group(cls=Group)
def data() -> None:
    """Fetch data sets, and manage those in the cache."""


@data.command()
@click.argument("suite", type=SUITE)
@data_option
@plugin_options
def fetch(suite: str, plugin_files: tuple[Path, ...], no_third_party: bool) -> int:
    """Load every data set of SUITE into the cache, so that it can run offline."""
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
        entries = [member for entry in parsed.datasets for member in expanded(entry, registry)]
        for number, entry in enumerate(entries, start=1):
            place = f"[{number}/{len(entries)}] {entry.label}"
            try:
                stored = load_entry(entry, registry, Path(suite).absolute().parent, files)
                rows = f"{stored.n_rows:,} {plural(stored.n_rows, 'row')}"
                click.echo(f"{place}: {rows}, {stored.n_features:,} {plural(stored.n_features, 'feature')}")
            except PubenchError as error:
                failed += 1
                click.echo(f"{place}: {error}", err=True)
    return 1 if failed else 0


@data.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@plugin_options
def list_cached(as_json: bool, plugin_files: tuple[Path, ...], no_third_party: bool) -> None:
    """List the data sets and downloads in the cache."""
    from pubench.data.inventory import cached_datasets, downloads
    from pubench.plugins.discovery import discover

    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    cached = cached_datasets()
    fetched = [item.download for item in downloads(registry) if item.download.listed]
    if as_json:
        values = [dataset.to_json() for dataset in cached]
        values += [{"name": item.name, "title": item.title, "bytes": item.size()} for item in fetched]
        click.echo(json.dumps(values, indent=1))
        return
    for dataset in cached:
        stored = dataset.stored
        click.echo(
            f"{'; '.join(dataset.requests)}  {stored.n_rows:,} x {stored.n_features:,}  "
            f"{_size(dataset.size)}  {stored.fingerprint[:SHOWN_DIGITS]}"
        )
    for download in fetched:
        click.echo(f"{download.name}  {download.title}  {_size(download.size())}  download")
    if not cached and not fetched:
        click.echo("the cache is empty", err=True)


def _size(number: int) -> str:
    return f"{number / 2**20:.1f} MB"


@data.command()
@click.argument("name")
@click.option(
    "--params", default="{}", help='Arguments of the data set as JSON, for example {"mean_p2": 100}.'
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@data_option
@plugin_options
def show(name: str, params: str, as_json: bool, plugin_files: tuple[Path, ...], no_third_party: bool) -> None:
    """Show the card of the data set NAME, loading it if necessary."""
    from pubench.cli.loading import Loading
    from pubench.data.cards import make_card
    from pubench.data.loading import load_stored
    from pubench.plan.datasets import with_paths
    from pubench.plugins.discovery import discover

    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    registered = registry.dataset(name)
    arguments = with_paths(registered.spec, parsed_params(params), Path.cwd())
    with Loading():
        stored = load_stored(registered, arguments, files=[str(file.resolve()) for file in plugin_files])
    card = make_card(registered, stored)
    click.echo(json.dumps(card.to_json(), indent=1) if as_json else "\n".join(card.lines()))


@data.command()
@plugin_options
def verify(plugin_files: tuple[Path, ...], no_third_party: bool) -> int:
    """Check every data set and download in the cache, and remove damaged ones."""
    from pubench.data.inventory import downloads, entries, remove_download
    from pubench.plugins.discovery import discover

    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    damaged = 0
    for entry in entries():
        sound = entry.is_sound()
        click.echo(f"{entry.title}  {'ok' if sound else 'damaged: removed'}")
        if not sound:
            entry.remove()
            damaged += 1
    for download in [item.download for item in downloads(registry)]:
        sound = download.is_intact()
        if download.listed or not sound:
            click.echo(f"{download.name}  {download.title}  {'ok' if sound else 'damaged: removed'}")
        if not sound:
            remove_download(download)
            damaged += 1
    return 1 if damaged else 0


@data.command()
@click.argument("name", required=False)
@click.option("--downloads", "with_downloads", is_flag=True, help="Also remove the downloads of NAME.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@plugin_options
def clean(
    name: str | None,
    with_downloads: bool,
    yes: bool,
    plugin_files: tuple[Path, ...],
    no_third_party: bool,
) -> None:
    """Empty the cache, or remove NAME from it; suites reload the data that they need.

    NAME is a data set's name, a fingerprint (or its first digits), or the name of a download such as openml:37.
    """
    from pubench.data.inventory import downloads, empty_cache, find_cached, remove_download
    from pubench.plugins.discovery import discover

    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    if name is None:
        if yes or click.confirm("Remove the whole cache, including downloads?"):
            empty_cache(registry)
        return
    cached, fetched = find_cached(name, downloads(registry), with_downloads=with_downloads)
    what = f"{counted(len(cached), 'prepared data set')} and {counted(len(fetched), 'download')}"
    if not yes and not click.confirm(f"Remove {what} ('{name}')?"):
        return
    for entry in cached:
        entry.remove()
    for download in fetched:
        remove_download(download)
    click.echo(f"removed {what}")
