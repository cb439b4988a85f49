"""The ``[[paper.claims]]`` of a suite: what a paper claims about its methods, in a form that results can test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from pubench.suite.base import KeyProblem, Table
from pubench.suite.values import Count, Name, Names

__all__ = ["ClaimKind", "PaperClaim", "PaperVersus"]

ClaimKind = Literal["beats", "near", "order", "trend", "untested"]
NEEDED: Mapping[str, tuple[str, ...]] = {
    "beats": ("metric", "algorithms"),
    "near": ("metric", "algorithms", "within"),
    "order": ("metric", "algorithms"),
    "trend": ("metric", "algorithms", "along"),
    "untested": ("reason",),
}
"""What a claim of each kind cannot do without."""
_SCOPE = ("datasets", "labellings", "criterion")
ALLOWED: Mapping[str, tuple[str, ...]] = {
    "beats": (*_SCOPE, "versus", "on", "by", "ties"),
    "near": (*_SCOPE, "versus", "on"),
    "order": _SCOPE,
    "trend": (*_SCOPE, "direction"),
    "untested": (),
}
"""What it may have besides."""
_ALWAYS = ("kind", "says", "place")


class PaperVersus(Table):
    """The conditions of the methods that a claim compares with, where they differ from those of its first method."""

    criterion: Name | None = Field(default=None, description="The criterion that tuned them.")
    prefix: Name | None = Field(
        default=None,
        description="What the labels of their data sets begin with, or those of the first method's: `counts:` compares "
        "`autos` with `counts: autos`, and `counts: autos` with `autos`.",
    )


class PaperClaim(Table):
    """A claim of the paper in testable form; the report says whether it holds, holds in part, or does not hold."""

    kind: ClaimKind = Field(
        description="`beats`: the first algorithm is above all others; `near`: it differs from them by at most "
        "`within`; `order`: the algorithms' means are in this order, best first; `trend`: a score, or the difference "
        "of two, rises or falls along an axis; `untested`: nothing here can test it.",
        examples=["beats"],
    )
    says: Name = Field(
        description="What the paper says, in other words.", examples=["Ada-PU beats all networks."]
    )
    place: Name = Field(description="Where the paper says it.", examples=["Section 5.3, Table 1"])
    metric: Name | None = Field(default=None, description="The metric; one that a published number may have.")
    algorithms: Names = Field(
        default=(),
        description="The labels of the algorithms, the one that the claim is about first. With `versus`, one label is "
        "enough.",
    )
    datasets: Names = Field(default=(), description="Only these data sets, in this order; default: all.")
    labellings: Names = Field(default=(), description="Only these labellings, in this order; default: all.")
    criterion: Name | None = Field(
        default=None, description="Only results that were tuned by this criterion."
    )
    versus: PaperVersus | None = Field(default=None, description="The conditions of the others.")
    on: Count | None = Field(
        default=None, description="In how many cases (data set and labelling) it must be so; default: all."
    )
    by: Annotated[float, Field(ge=0)] = Field(
        default=0.0,
        description="The least mean lead over the best of the others, in the metric's own units.",
    )
    ties: bool = Field(default=False, description="Whether cases with equal means count as beaten.")
    within: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="The largest difference that counts as near, in the metric's own units."
    )
    along: Literal["datasets", "labellings", "algorithms"] | None = Field(
        default=None,
        description="The axis of a trend: the data sets, labellings or algorithms of the claim, in their order.",
    )
    direction: Literal["rises", "falls"] = Field(default="rises", description="Where a trend goes.")
    reason: Name | None = Field(default=None, description="Why the claim cannot be tested.")

    @classmethod
    def conflicts(cls, given: Mapping[str, object]) -> Iterator[KeyProblem]:
        """Refuse a claim that lacks what its kind needs, or has keys that its kind ignores."""
        kind = given.get("kind")
        if not isinstance(kind, str) or kind not in NEEDED:
            return
        for key in NEEDED[kind]:
            if key not in given:
                yield KeyProblem((key,), f'is missing; kind = "{kind}" needs it')
        for key in given:
            if key in cls.model_fields and key not in (*_ALWAYS, *NEEDED[kind], *ALLOWED[kind]):
                yield KeyProblem((key,), f'has no effect with kind = "{kind}"; remove it')
        yield from _too_few(kind, given)


def _too_few(kind: str, given: Mapping[str, object]) -> Iterator[KeyProblem]:
    algorithms, along = given.get("algorithms"), given.get("along")
    count = len(algorithms) if isinstance(algorithms, list | tuple) else 0
    alone = (kind == "trend" and along != "algorithms") or "versus" in given
    if count == 1 and not alone:
        yield KeyProblem(("algorithms",), "has nothing to compare with; list at least two")
    if kind == "trend" and along in ("datasets", "labellings"):
        steps = given.get(str(along))
        if not isinstance(steps, list | tuple) or len(steps) < 2:
            yield KeyProblem((str(along),), "must list at least two steps of the trend, in their order")
        if count > 2:
            yield KeyProblem(
                ("algorithms",), "must be one, or two whose difference is meant; remove the rest"
            )
