"""What the pages of methods take from the program: parameters from docstrings, the rest from the specs.

A page of docs/methods/ has two directives (conf.py), each followed by registered names. ``{parameters}`` writes what
each name fixes and searches, and every parameter with its meaning; ``{papers}`` writes whom to cite.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pubench
from pubench.plugins import discover, resolve
from pubench.plugins.requirements import unmet
from pubench.specs import Algorithm, Choice, Param

_ENTRY = re.compile(
    r"^(?=[\w*])(?P<names>[^:\n]*?)(?: : (?P<kind>.*))?\n(?P<text>(?:(?:[ ]{4}.*)?\n)*)", re.MULTILINE
)
_TAKES = {"sparse": "sparse rows", "missing": "missing values", "categorical": "codes of categories"}
_CLASS = re.compile(r":class:`~?([\w.]+)`")


@dataclass(frozen=True)
class Parameter:
    """A parameter: its name with the default value, its type in words, and its meaning in reStructuredText."""

    name: str
    kind: str
    text: str
    default: str = ""


@cache
def algorithms() -> Mapping[str, Algorithm]:
    """Return the specs of the bundled algorithms by name."""
    return {name: found.spec for name, found in discover(third_party=False).all("algorithms").items()}


def parameters(spec: Algorithm) -> list[Parameter]:
    """Return the parameters of an algorithm's estimator, each with its meaning; none for scikit-learn's own.

    A method whose optional package is missing here has none either: the site can be built without it.
    """
    if spec.estimator.startswith("sklearn.") or unmet(spec.requires):
        return []
    factory, made = resolve(spec.estimator), type(pubench.make(spec.name))
    found = {} if factory is made else dict(_described(factory, _names(factory)))
    own = [name for name in _names(made) if not (name == "estimator" and "classifier" in _names(factory))]
    found |= {name: one for name, one in _described(made, own) if name not in found}
    return list(found.values())


def _names(subject: Any) -> list[str]:
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [name for name, one in inspect.signature(subject).parameters.items() if one.kind not in kinds]


def _described(subject: Any, names: Sequence[str]) -> Iterator[tuple[str, Parameter]]:
    """Yield the entries of docstrings for these names, those of other classes where a docstring refers to them."""
    entries = _entries(subject)
    signature = inspect.signature(subject).parameters
    for name in names:
        if name in entries:
            default = signature[name].default
            yield (
                name,
                replace(entries[name], default="" if default is inspect.Parameter.empty else _value(default)),
            )


@cache
def _entries(subject: Any) -> Mapping[str, Parameter]:
    # A list of names may go on behind a backslash.
    doc = inspect.cleandoc((subject.__doc__ or "").replace("\\\n", "")) + "\n"
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}\n|\Z)", doc, re.MULTILINE | re.DOTALL)
    found: dict[str, Parameter] = {}
    for match in _ENTRY.finditer(section[1] if section else ""):
        text = textwrap.dedent(match["text"]).strip()
        for name in match["names"].split(", "):
            found[name] = Parameter(name, match["kind"] or "", text)
    others: dict[str, Parameter] = {}
    for reference in _CLASS.findall(doc):
        others |= (
            _entries(_named(subject, reference)) if reference.rpartition(".")[2] != subject.__name__ else {}
        )
    refers = {name for name, one in found.items() if one.text.startswith("See :class:")}
    return others | {name: one for name, one in found.items() if name not in refers or name not in others}


def _named(subject: Any, reference: str) -> Any:
    module, _, name = reference.rpartition(".")
    return resolve(f"{module or subject.__module__}:{name}")


def variants(names: Sequence[str]) -> str:
    """Return what each name fixes, searches and needs, as a list in Markdown."""
    return "\n".join(f"- `{name}`: {'; '.join(_facts(algorithms()[name]))}." for name in names)


def _facts(spec: Algorithm) -> Iterator[str]:
    yield f"{spec.summary[0].lower()}{spec.summary[1:]}" if spec.summary[1:2].islower() else spec.summary
    if spec.params:
        yield "presets: " + ", ".join(f"`{name} = {_value(value)}`" for name, value in spec.params.items())
    if spec.space:
        yield "searched: " + ", ".join(f"`{name}` {_range(one)}" for name, one in spec.space.items())
    if spec.requires:
        yield "requires " + ", ".join(f"`{one}`" for one in spec.requires)
    yield "needs the class prior" if "prior" in spec.needs else "needs no prior"
    if len(spec.scenarios) == 1:
        yield f"{spec.scenarios[0]} only"
    takes = [words for name, words in _TAKES.items() if name in spec.accepts]
    yield f"takes {' and '.join(takes)}" if takes else "takes dense rows without gaps only"
    if spec.threshold == "prior":
        yield "decisions in suites are cut at the prior"


def _value(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _range(space: Param) -> str:
    if isinstance(space, Choice):
        return "in " + ", ".join(map(_value, space.values))
    return f"{space.low:g} to {space.high:g}{' (log)' if space.log else ''}"


def table(names: Sequence[str]) -> str:
    """Return every parameter of these algorithms with its meaning, as reStructuredText; empty without any."""
    found: dict[str, Parameter] = {}
    for name in names:
        for one in parameters(algorithms()[name]):
            found.setdefault(one.name, one)
    alike: dict[tuple[str, str], list[Parameter]] = {}
    for one in found.values():
        alike.setdefault((one.kind, one.text), []).append(one)
    return "\n".join(_row(kind, text, together) for (kind, text), together in alike.items())


def _row(kind: str, text: str, together: Sequence[Parameter]) -> str:
    heads = ", ".join(
        f"``{one.name} = {one.default}``" if one.default else f"``{one.name}``" for one in together
    )
    kind = re.sub(r",? ?(?:and )?default=.*", "", kind)
    return f"{heads}\n{textwrap.indent(f'*{kind}.* {text}' if kind else text, '    ')}\n"


def papers(names: Sequence[str]) -> str:
    """Return whom to cite, as a list in Markdown."""
    cited: dict[str, list[str]] = {}
    for name in names:
        for paper in filter(None, algorithms()[name].paper.split("; ")):
            cited.setdefault(paper, []).append(f"`{name}`")
    return "\n".join(f"- {paper} ({', '.join(users)})" for paper, users in cited.items())
