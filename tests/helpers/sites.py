"""A site as a reader's browser sees it: which addresses its pages link to, and which places they have."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src", "action"):
                self.links.append(value or "")
            if name == "id":
                assert value not in self.places, f"{value} is there twice"
                self.places.add(value or "")


def read_page(path: Path) -> _Page:
    """Read a page."""
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def broken_links(site: Path) -> list[str]:
    """Return every link of a site that leads nowhere, or out of the site."""
    pages = {path.resolve(): read_page(path) for path in site.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        # Pictures of a report are inside of its page.
        for link in (link for link in page.links if not link.startswith("data:image/")):
            name, _, anchor = link.partition("#")
            target = (path.parent / unquote(name)).resolve() if name else path
            fine = ":" not in link and target.is_file() and target.is_relative_to(site.resolve())
            if fine and anchor and anchor not in pages[target].places:
                fine = False
            if not fine:
                broken.append(f"{path.name}: {link}")
    return broken
