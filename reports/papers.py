"""Write the list of the papers' tables, figures and claims with their state: ``python reports/papers.py``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from accounts import PAPERS, published
from claims import KINDS, REPORTS, directions, is_committed, results
from pydantic import BaseModel, ConfigDict

from pubench.plugins.discovery import discover
from pubench.reporting.claims import ClaimResult
from pubench.reporting.published import PublishedNumber
from pubench.suite import Suite
from pubench.suite.columns import TIMED

LIST, PAGE = REPORTS / "papers.toml", REPORTS / "papers.md"
State: TypeAlias = Literal["compared", "in part", "not run", "missing", "illustration"]
STATES: tuple[State, ...] = ("compared", "in part", "not run", "missing", "illustration")
POINTS = 0.05
INTRODUCTION = """# The papers: every table, figure and claim

Made by `python reports/papers.py` from [the list of tables and figures](papers.toml), the suites' numbers and claims,
and the committed rows. `pubench suite run SUITE` makes what a line names. *Not run*: a suite makes it, and its report
is not committed yet.

"""


class Item(BaseModel):
    """A table or figure of a paper, and its state here; ``why`` says what is missing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    paper: str
    place: str
    what: str
    state: State
    suites: tuple[str, ...] = ()
    why: str = ""


class Difference(NamedTuple):
    """Numbers of a method that are more than five points better here than in print, for one reason or none."""

    suite: str
    algorithm: str
    reason: str
    leads: tuple[float, ...]


def items() -> tuple[Item, ...]:
    """Read the declared tables and figures; those whose suites have no committed rows are not run."""
    declared = tomllib.loads(LIST.read_text(encoding="utf-8"))["items"]
    return tuple(_as_run(Item.model_validate(one)) for one in declared)


def _as_run(one: Item) -> Item:
    run = not one.suites or any(map(is_committed, one.suites))
    return one if run else one.model_copy(update={"state": "not run"})


def differences() -> Iterator[Difference]:
    """Yield what is better here by more than five points; times are not counted."""
    registry = discover(third_party=False)
    for suite, numbers in published():
        greater = directions(suite, registry)
        found: dict[tuple[str, str], list[float]] = {}
        for one in numbers:
            if one.metric not in TIMED and (lead := _lead(one, greater[one.metric])) > POINTS:
                found.setdefault((one.algorithm, one.reason), []).append(lead)
        for (algorithm, reason), leads in found.items():
            yield Difference(suite.name, algorithm, reason, tuple(leads))


def _lead(one: PublishedNumber, greater: bool | None) -> float:
    return -one.difference if greater is False else one.difference


def page() -> str:
    """Return the page as Markdown."""
    found = [(suite, one) for suite, claims in results() for one in claims]
    parts = [INTRODUCTION, _counts([one.verdict for _, one in found]), "\n## Tables and figures\n\n"]
    lines = [
        [one.paper, one.place, one.what, f"**{one.state}**", _suites(one.suites), one.why] for one in items()
    ]
    parts += [_markdown([["paper", "where", "what", "state", "suite", "what is missing"], *lines])]
    parts += ["\n## Claims\n\nTheir figures are in [claims.md](claims.md).\n\n", _by_paper(found), "\n"]
    claims = [
        [_paper(suite), one.place, one.says, f"**{one.verdict}**", _suites([suite.name])]
        for suite, one in found
    ]
    parts += [_markdown([["paper", "where", "claim", "verdict", "suite"], *claims])]
    parts += [f"\n## Differences of more than five points in our favour\n\n{DIFFERENCES}\n", _differences()]
    return "".join(parts)


DIFFERENCES = """Better here than in print is no success: it says that the two were not obtained alike. Where
conditions differ, the line says how; that this is the reason was not shown for each number. *Unexplained* are those
under the same protocol.
"""


def _differences() -> str:
    lines = [
        [
            _suites([one.suite]),
            one.algorithm,
            str(len(one.leads)),
            *_points(one.leads),
            one.reason or "**unexplained**",
        ]
        for one in differences()
    ]
    return _markdown([["suite", "method", "numbers", "mean lead", "largest", "what differs"], *lines])


def _points(leads: Sequence[float]) -> tuple[str, str]:
    return f"{100 * sum(leads) / len(leads):.1f}", f"{100 * max(leads):.1f}"


def _counts(verdicts: Sequence[str]) -> str:
    states = [one.state for one in items()]
    counted = ", ".join(f"{states.count(state)} {state}" for state in STATES)
    said = ", ".join(f"{verdicts.count(kind)} {kind}" for kind in KINDS)
    return f"{len(states)} tables and figures: {counted}. {len(verdicts)} claims: {said}.\n"


def _by_paper(found: Sequence[tuple[Suite, ClaimResult]]) -> str:
    """Return how many claims of each paper hold."""
    verdicts = {
        name: [one.verdict for suite, one in found if _paper(suite) == name] for name in PAPERS.values()
    }
    lines = [[name, *(str(said.count(kind)) for kind in KINDS)] for name, said in verdicts.items()]
    return _markdown([["paper", *KINDS], *lines])


def _paper(suite: Suite) -> str:
    return PAPERS[suite.name.partition("-")[0]]


def _suites(names: Sequence[str]) -> str:
    return ", ".join(f"[{name}]({name}/report.md)" if is_committed(name) else name for name in names)


def _markdown(lines: Sequence[Sequence[str]]) -> str:
    heads, *rest = lines
    return "".join(f"| {' | '.join(line)} |\n" for line in [heads, ["---"] * len(heads), *rest])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
