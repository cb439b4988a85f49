"""Write the tables of the suite-keys pages from the schema: ``python docs/suite_keys.py``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pubench.suite import suite_schema

PAGE = Path(__file__).with_name("suite-keys.md")
OTHER_PAGES = {
    Path(__file__).with_name("suite-keys-labels.md"): ("labellings", "prior"),
    Path(__file__).with_name("suite-keys-report.md"): ("limits", "store", "report", "paper", "smoke"),
}
"""Tables of a suite that have a page of their own: how rows are labelled, and how cells are run and shown."""
PAGES = (PAGE, *OTHER_PAGES)
MARK = "<!-- Below: made by docs/suite_keys.py from the schema. -->\n"

Schema = Mapping[str, Any]  # edge: the structure of JSON Schema


def tables(schema: Schema, page: Path) -> str:
    """Return one section for each table of a suite that is on a page, as Markdown."""
    return "\n".join(
        section(path, table, schema) for path, table in walk("", schema, schema) if page_of(path) == page
    )


def page_of(path: str) -> Path:
    """Return the page that describes a table."""
    key = path.partition(".")[0].removesuffix("[]")
    return next((page for page, keys in OTHER_PAGES.items() if key in keys), PAGE)


def walk(path: str, table: Schema, schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield every table with the path of keys that leads to it, the outermost first."""
    yield path, table
    for key, value in table["properties"].items():
        place = f"{path}.{key}" if path else key
        many, found = value.get("items", {}), value.get("additionalProperties")
        if "$ref" in value:
            yield from walk(place, resolved(value, schema), schema)
        elif "$ref" in many:
            yield from walk(f"{place}[]", resolved(many, schema), schema)
        elif isinstance(found, dict) and "anyOf" in found:
            inner = next(option for option in found["anyOf"] if "$ref" in option)
            yield from walk(f"{place}.<parameter>", resolved(inner, schema), schema)


def resolved(value: Schema, schema: Schema) -> Schema:
    """Follow a reference."""
    found: Schema = schema["$defs"][value["$ref"].rpartition("/")[2]]
    return found


def section(path: str, table: Schema, schema: Schema) -> str:
    """Return the heading of a table and a line for each of its keys."""
    title = f"`{header(path)}`" if path else "The suite"
    text = table.get("description", "").replace("``", "`")
    lines = [line(key, value, key in table.get("required", ())) for key, value in table["properties"].items()]
    return "\n".join(
        [
            f"## {title}",
            "",
            text,
            "",
            "| key | value | default | meaning |",
            "| --- | --- | --- | --- |",
            *lines,
            "",
        ]
    )


def header(path: str) -> str:
    """Return a path as TOML writes it."""
    return f"[[{path[:-2]}]]" if path.endswith("[]") else f"[{path.replace('[]', '')}]"


def line(key: str, value: Schema, required: bool) -> str:
    """Return a key's line."""
    default = f"`{json.dumps(value['default'])}`" if "default" in value else ""
    cells = f"`{key}`", kind(value), "**required**" if required else default, value["description"]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def kind(value: Schema) -> str:
    """Describe the values of a key in words."""
    if "enum" in value:
        return ", ".join(f"`{json.dumps(choice)}`" for choice in value["enum"])
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(kind(option) for option in value["anyOf"]))
    if "$ref" in value or value["type"] == "object":
        return "table"
    if value["type"] == "array":
        inner = value["items"]
        return "list of tables" if "$ref" in inner else f"list of {kind(inner)}"
    names = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
    return names[value["type"]] + bounds(value)


def bounds(value: Schema) -> str:
    """Describe the limits of a number."""
    words = {
        "minimum": "at least",
        "exclusiveMinimum": "above",
        "maximum": "at most",
        "exclusiveMaximum": "below",
    }
    limits = [f"{word} {value[name]:g}" for name, word in words.items() if name in value]
    return ", " + " and ".join(limits) if limits else ""


def main() -> None:
    """Replace what follows the mark on each page."""
    for page in PAGES:
        head = page.read_text(encoding="utf-8").partition(MARK)[0]
        page.write_text(f"{head}{MARK}\n{tables(suite_schema(), page)}", encoding="utf-8")


if __name__ == "__main__":
    main()
