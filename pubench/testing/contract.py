"""What the contracts of all kinds share: finding the spec, telling what is wrong, metadata, and a light import."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, ClassVar, NoReturn
from unittest import SkipTest

from pubench.plugins.registry import SINGULAR, Registered
from pubench.specs import Spec
from pubench.testing.importing import import_problem
from pubench.testing.subjects import find

__all__ = ["Contract", "ContractError", "attempt", "checks_of", "fail", "plain", "quiet", "skip", "title_of"]


class ContractError(AssertionError):
    """A broken contract: one sentence that says what was asked, what came back, and what to do."""


def fail(sentence: str) -> NoReturn:
    """Say that the contract is broken."""
    raise ContractError(sentence)


def skip(reason: str) -> NoReturn:
    """Say why a check does not apply; pytest shows it as skipped."""
    raise SkipTest(reason)


@contextlib.contextmanager
def attempt(what: str) -> Iterator[None]:
    """Turn what a plugin raises into a broken contract; ``what`` completes "... raised ValueError: ..."."""
    try:
        with quiet():
            yield
    except (ContractError, SkipTest):
        raise
    except (Exception, SystemExit) as error:
        raise ContractError(f"{what} raised {plain(error)}") from error


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Leave a plugin's warnings unheard: they are for its users, the contract is about answers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def plain(error: BaseException) -> str:
    """Return type and message of an error in one line."""
    try:
        said = " ".join(str(error).split())
    except Exception:
        said = "(its message cannot be shown)"
    return f"{type(error).__name__}: {said[:400]}" if said else type(error).__name__


class Contract:
    """Base of the contracts: each method ``test_*`` is a check, titled by its docstring.

    Attributes
    ----------
    name : str
        The registered name of what is checked.
    target : str
        Where it comes from if it is not installed: a Python file, or the folder of a package.
    distribution : str
        Who provides it, where several do.
    excused : mapping of str to str
        Checks that are left out, by the name of their method, each with the reason.
    """

    kind: ClassVar[str] = ""
    required: ClassVar[tuple[str, ...]] = ()
    name: ClassVar[str] = ""
    target: ClassVar[str] = ""
    distribution: ClassVar[str] = ""
    excused: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for check, reason in cls.excused.items():
            if not hasattr(cls, check):
                raise TypeError(f"{cls.__name__} excuses '{check}', which is no check of it")
            setattr(cls, check, _excused(getattr(cls, check), reason))

    @property
    def registered(self) -> Registered[Spec]:
        """The spec and its origin."""
        return _registered(self.target, self.kind, self.name, self.distribution)

    @property
    def spec(self) -> Any:
        """The spec."""
        return self.registered.spec

    def test_name(self) -> None:
        """Its name is registered once."""
        own = self.registered.origin.distribution
        known = find("").entries.get(self.kind, {}).get(self.name, ())
        others = [other for other in known if other.origin.distribution != own]
        if others:
            fail(
                f"{SINGULAR[self.kind]} '{self.name}' is registered by '{others[0].origin}' as well, so that nobody "
                "can use it beside that; choose another name"
            )

    def test_metadata(self) -> None:
        """Its metadata are complete."""
        missing = [name for name in self.required if not str(getattr(self.spec, name) or "").strip()]
        if not str(self.registered.version or "").strip():
            missing.append("version")
        if missing:
            fail(
                f"the spec of '{self.name}' lacks {', '.join(missing)}; reports show them, and others need them to "
                "cite and to reuse it"
            )

    def test_api(self) -> None:
        """It was made for this plugin API."""
        own = self.registered.origin
        told = [text for info in find(self.target).plugins if info.origin == own for text in info.warnings]
        if told:
            fail("; ".join(told))

    def test_import_is_light(self) -> None:
        """Importing it is quick."""
        problem = import_problem(self.registered.origin)
        if problem:
            fail(problem)


@lru_cache(maxsize=256)
def _registered(target: str, kind: str, name: str, distribution: str) -> Registered[Spec]:
    registry = find(target)
    found = registry.entries.get(kind, {}).get(name, ())
    own = [entry for entry in found if entry.origin.distribution == distribution]
    return own[0] if own else registry.get(kind, name)


def _excused(check: Any, reason: str) -> Any:
    def excuse(self: Contract) -> None:
        skip(reason)

    excuse.__doc__ = check.__doc__
    return excuse


def checks_of(contract: type[Contract]) -> list[str]:
    """Return the names of a contract's checks, those of the base first, in the order in which they are written."""
    classes = [made for made in reversed(contract.__mro__) if issubclass(made, Contract)]
    return list(dict.fromkeys(name for made in classes for name in vars(made) if name.startswith("test_")))


def title_of(contract: type[Contract], check: str) -> str:
    """Return the first line of a check's docstring, without its full stop."""
    return (getattr(contract, check).__doc__ or check).strip().splitlines()[0].rstrip(".")
