"""The pages of a site as files: every text is escaped by the templates, every name becomes a safe file name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from pubench.errors import counted
from pubench.reporting.site.names import file_names
from pubench.reporting.site.pages import DatasetPage, Site
from pubench.reporting.wording import number

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["site_files"]

_OWN = ("site.css", "site.js")


@dataclass(frozen=True, slots=True)
class _Names:
    """The file name of each method, data set and report, without its ending."""

    methods: Mapping[str, str]
    datasets: Mapping[str, str]
    reports: Mapping[str, str]


def site_files(site: Site) -> dict[str, bytes]:
    """Return the content of each file of a site by its path there."""
    names = _Names(
        file_names(page.name for page in site.methods),
        file_names(page.name for page in site.datasets),
        file_names(report.name for report in site.reports),
    )
    environment, folder = _environment(), files("pubench.reporting.site") / "templates"
    found = {name: (folder / name).read_bytes() for name in _OWN}

    def page(path: str, template: str, **values: object) -> None:
        root = "../" if "/" in path else ""
        text = environment.get_template(template).render(site=site, names=names, root=root, **values)
        found[path] = f"{text}\n".encode("utf-8", "replace")

    page("index.html", "index.html")
    for method in site.methods:
        page(f"methods/{names.methods[method.name]}.html", "method.html", page=method)
    for dataset in site.datasets:
        path = f"datasets/{names.datasets[dataset.name]}.html"
        page(path, "dataset.html", page=dataset, cards=_cards(dataset))
    for report in site.reports:
        found[f"reports/{names.reports[report.name]}.html"] = report.page
        found[f"reports/{names.reports[report.name]}.csv"] = report.cells
    return found


def _cards(page: DatasetPage) -> list[tuple[list[str], Mapping[str, str]]]:
    """Return each card once, with the reports that use the data set like that."""
    cards: list[tuple[list[str], Mapping[str, str]]] = []
    for one in page.reports:
        known = next((used for used, card in cards if card == one.card), None)
        if known is not None:
            known.append(one.report.name)
        elif one.card:
            cards.append(([one.report.name], one.card))
    return cards


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("pubench.reporting.site", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": lambda value: number(value) if value == value else "",
        "small": lambda value: f"{value:.3f}" if value < 1000 else number(value),
        "percent": lambda value: f"{100 * value:.0f} %" if value == value else "",
        "rank": lambda value: f"{value:.2f}" if value == value else "",
        "place": lambda value, of: f"{value:g} of {of}" if value == value else "",
        "interval": lambda low, high: f"{low:.2f} to {high:.2f}" if low == low else "",
        "counted": counted,
    }
    return environment
