"""``pubench list`` and ``pubench plugins``: the contents of the registry."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from pubench.cli.options import plugin_options

__all__ = ["list_specs", "plugins"]

KINDS = ("algorithms", "datasets", "criteria", "metrics", "priors")


@click.command(name="list")
@click.argument("kind", type=click.Choice(KINDS))
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON, with search spaces, versions, papers, licences and origins; "
    "without those whose packages are not installed.",
)
@plugin_options
def list_specs(kind: str, as_json: bool, plugin_files: tuple[Path, ...], no_third_party: bool) -> None:
    """List the registered algorithms, data sets, criteria, metrics or prior estimators."""
    import msgspec

    from pubench.plugins.discovery import discover
    from pubench.plugins.requirements import unmet

    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    registered = registry.all(kind)
    lacking = {name: unmet(getattr(entry.spec, "requires", ())) for name, entry in registered.items()}
    if as_json:
        values = [
            msgspec.to_builtins(entry.spec, enc_hook=str)
            | {"version": entry.version, "origin": asdict(entry.origin)}
            for name, entry in registered.items()
            if not lacking[name]
        ]
        click.echo(json.dumps(values, indent=1))
        return
    width = max(map(len, registered), default=0)
    for name, entry in registered.items():
        click.echo(f"{name:<{width}}  {lacking[name] or entry.spec.summary}")
    if not registered:
        click.echo(f"no {kind} are registered", err=True)
    for problem in (*registry.duplicates(), *registry.warnings()):
        click.echo(f"pubench: {problem}", err=True)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@plugin_options
def plugins(as_json: bool, plugin_files: tuple[Path, ...], no_third_party: bool) -> None:
    """List the installed plugins, and why a broken one cannot be loaded."""
    from pubench.plugins.compatibility import API
    from pubench.plugins.discovery import discover

    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    if as_json:
        infos = [asdict(info) for info in registry.plugins]
        values = {"api": API, "plugins": infos, "duplicates": registry.duplicates()}
        click.echo(json.dumps(values, indent=1))
        return
    for info in registry.plugins:
        what = ", ".join(f"{len(names)} {kind}" for kind, names in info.names.items() if names)
        click.echo(f"{info.origin.plugin} ({info.origin}): {'BROKEN: ' + info.error if info.error else what}")
    for problem in (*registry.duplicates(), *registry.warnings()):
        click.echo(f"pubench: {problem}", err=True)
