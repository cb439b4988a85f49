"""Groups of commands, listed by their whole first sentences; a command of the top group is imported when it is used."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

import click

from pubench.errors import did_you_mean

__all__ = ["Group", "LazyGroup"]

# Importing all commands takes longer than importing click. A test compares these lines with the commands' own.
_HELP = {
    "Compare methods": {
        "suite": "Run suites of cells and look at them.",
        "report": "Print or write the tables of the run in FOLDER; the runs of several folders are merged.",
        "export": "Write one tidy row for each cell of the run in FOLDER; the runs of several folders are merged.",
        "leaderboard": "Write one row for each method and metric of the runs and reports in each FOLDER: "
        "mean, rank and its interval.",
        "compare": "Compare the cells that the runs in FIRST and SECOND share: which changes are larger than noise.",
        "rescore": "Add metrics to the run in FOLDER from its stored predictions; nothing is fitted again.",
        "merge": "Merge the run folders of one suite, such as its shards, into one run folder.",
        "verify": "Check the run in FOLDER: digests of its files, stated versions, "
        "and a sample of its cells run again.",
        "site": "Make a static site of the runs and reports in each FOLDER: index, search, method and data-set pages.",
        "cite": "Print the papers of all algorithms, criteria, prior estimators and data sets of RUN, as BibTeX.",
    },
    "Your own table": {
        "audit": "Look for leaks, wrong labels, copies and ids in FILE, and check what its labels can show.",
        "recommend": "Recommend a method for FILE, a table of known positives and unlabelled rows.",
        "fit": "Fit a model to FILE, a table of known positives and unlabelled rows, and write it to one file.",
        "predict": "Predict the rows of FILE with MODEL: id, rank, probability, its interval (low, high), "
        "and decision.",
        "explain": "Explain MODEL, and the rows of FILE if it is given.",
        "review": "Choose unlabelled rows of the fit to check by hand, or turn the answers into an estimate.",
        "prior": "Estimate the class prior of DATA: the name of a data set, a file, or an OpenML id such as openml:37.",
    },
    "Plugins and data": {
        "list": "List the registered algorithms, data sets, criteria, metrics or prior estimators.",
        "plugin": "Create plugins and check them.",
        "plugins": "List the installed plugins, and why a broken one cannot be loaded.",
        "data": "Fetch data sets, and manage those in the cache.",
        "completion": 'Print the completion script for SHELL, for example: eval "$(pubench completion bash)".',
    },
}
# Where a command is, unless it is the function of its name in the module of its name.
_WHERE = {
    "completion": ("output", "completion"),
    "export": ("output", "export"),
    "list": ("listing", "list_specs"),
    "plugins": ("listing", "plugins"),
}


class Group(click.Group):
    """A group whose help does not cut off the sentences of its commands."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        self.write_commands(formatter, "Commands", self.list_commands(ctx))

    def write_commands(self, formatter: click.HelpFormatter, title: str, names: Iterable[str]) -> None:
        """Write one section of the list."""
        with formatter.section(title):
            formatter.write_dl(
                [(name, self.commands[name].get_short_help_str(limit=1_000)) for name in names]
            )


class LazyGroup(Group):
    """A group whose ``commands`` are lines of help until they are used."""

    def __init__(self, *arguments: object, **settings: object) -> None:
        super().__init__(*arguments, **settings)  # type: ignore[arg-type]
        self._unused = {name for section in _HELP.values() for name in section}
        for section in _HELP.values():
            for name, line in section.items():
                self.add_command(click.Command(name, help=line))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, imported if this is its first use."""
        if cmd_name in self._unused:
            module, attribute = _WHERE.get(cmd_name, (cmd_name, cmd_name))
            self.commands[cmd_name] = getattr(import_module(f"pubench.cli.{module}"), attribute)
            self._unused.remove(cmd_name)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve the name of a command; say which one is near a wrong name, as only newer versions of click do."""
        name = args[0]
        if not (ctx.resilient_parsing or name.startswith("-") or self.get_command(ctx, name)):
            ctx.fail(f"No such command '{name}'{did_you_mean(name, self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands by what they are for, without importing them."""
        for title, section in _HELP.items():
            self.write_commands(formatter, title, section)
