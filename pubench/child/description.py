"""In the child: describe the algorithms of a plugin file, so that the driver need not import what the file imports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pubench.errors import PubenchError
from pubench.plugins.discovery import read_file
from pubench.protocol.replies import PluginDescription
from pubench.protocol.requests import DescribePlugin
from pubench.specs import Algorithm

if TYPE_CHECKING:
    from pubench.sandbox.channel import Channel

__all__ = ["serve_description"]


def serve_description(request: DescribePlugin, channel: Channel) -> None:
    """Answer with the algorithms of a file; one that has anything else is loaded by the driver, which uses it."""
    contents = read_file(Path(request.file))
    specs = [spec for listed in contents.specs.values() for spec in listed]
    algorithms = tuple(spec for spec in specs if isinstance(spec, Algorithm))
    if len(algorithms) < len(specs):
        raise PubenchError(f"'{request.file}' has more than algorithms")
    channel.send(PluginDescription(algorithms=algorithms, advice=contents.advice))
