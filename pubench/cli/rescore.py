"""``pubench rescore``: add metrics to a finished run from its stored predictions."""

from __future__ import annotations

from pathlib import Path

import click

from pubench.cli.options import data_option, plugin_options
from pubench.cli.output import show_problems
from pubench.errors import counted

__all__ = ["rescore"]


class Names(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """Names with commas between them."""

    name = "name[,name...]"

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Split the list and refuse an empty one."""
        parts = value.split(",") if isinstance(value, str) else value
        names = tuple(dict.fromkeys(name for part in parts if (name := part.strip())))
        if not names:
            self.fail("name at least one.", param, ctx)
        return names


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--metrics",
    type=Names(),
    required=True,
    help="Metrics to add; several with commas. For real PU data, criteria.",
)
@data_option
@plugin_options
def rescore(
    folder: Path, metrics: tuple[str, ...], plugin_files: tuple[Path, ...], no_third_party: bool
) -> int:
    """Add metrics to the run in FOLDER from its stored predictions; nothing is fitted again."""
    from pubench import api
    from pubench.cli.loading import Loading
    from pubench.results import read_results

    with Loading():
        found = api.rescore(
            folder, metrics, plugins=plugin_files, third_party=False if no_third_party else None
        )
    results = read_results(folder)
    for name, number in found.added.items():
        counts = number, found.undefined[name], found.missing[name]
        click.echo(f"{name}: {_sentence(*counts, shown=name in results.plan.shown)}")
    show_problems(found.problems)
    if any(found.added.values()):
        from pubench.reporting import report_of, write_report

        write_report(report_of(results), folder, ("markdown", "html"))
        click.echo(f"Report: {folder / 'report.html'}")
    return 1 if found.problems else 0


def _sentence(added: int, undefined: int, missing: int, *, shown: bool) -> str:
    if not added and not missing:
        rest = "" if shown else "; name it in report.metrics and run the suite again to show it in reports"
        return f"every finished cell has it already{rest}"
    parts = [f"added to {counted(added, 'cell')}"]
    parts += [f"undefined in {undefined} of them (notes say why where it raised)"] if undefined else []
    parts += [f"missing in {missing}"] if missing else []
    return ", ".join(parts)
