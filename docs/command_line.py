"""Write the tables of options in the cli pages from the program: ``python docs/command_line.py``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from pubench.cli import cli

PAGES = tuple(Path(__file__).with_name(name) for name in ("cli.md", "cli-results.md", "cli-data.md"))
HEAD = "| option | meaning |\n| --- | --- |\n"
_SECTION = re.compile(r"^## `(pubench[^`]*)`\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(re.escape(HEAD) + r"(?:\|.*\n)+")


def walk(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """Yield every command with the words that call it."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for key in command.list_commands(context):
            child = command.get_command(context, key)
            assert child is not None
            yield from walk(child, f"{name} {key}")


def table(command: click.Command) -> str:
    """Return a command's options as Markdown; every command also has ``--help``."""
    options = [option for option in command.params if isinstance(option, click.Option)]
    return HEAD + "".join(map(line, options)) if options else ""


def line(option: click.Option) -> str:
    """Return the row of an option: its names, meaning, choices and default."""
    names = ", ".join(f"`{name}`" for name in sorted(option.opts, key=len))
    text = re.sub(r" \[default: (.*)\]", r"; default: \1", (option.help or "").rstrip("."))
    text = re.sub(r"(?<![`\w])(\{.*?\}|\S*<.*?>|PUBENCH_[A-Z_=0-9]+|--\w+)", r"`\1`", text)
    if isinstance(option.type, click.Choice):
        text += ": " + ", ".join(f"`{choice}`" for choice in option.type.choices)
    if option.show_default and option.default is not None:
        text += f"; default: `{option.default}`"
    return f"| {names} | {text} |\n"


def rewritten(page: str) -> str:
    """Return the page with each section's table generated from the program; prose stays."""
    commands = dict(walk(cli, "pubench"))

    def section(match: re.Match[str]) -> str:
        text, options = match[0], table(commands[match[1]])
        if _TABLE.search(text):
            return _TABLE.sub(lambda _: options, text, count=1)
        return text.rstrip("\n") + f"\n\n{options}\n" if options else text

    return _SECTION.sub(section, page)


def main() -> None:
    """Rewrite the pages."""
    for page in PAGES:
        page.write_text(rewritten(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
