"""The base of all contracts: how checks find the spec and report, and checks of metadata and import time."""

from __future__ import annotations

import contextlib
import re
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import ClassVar, NoReturn, cast
from unittest import SkipTest

from pubench.citations import BibtexError, bibtex_entries
from pubench.errors import did_you_mean
from pubench.plugins.registry import SINGULAR, Registered, with_receives
from pubench.specs import Algorithm, Spec
from pubench.testing.importing import import_problem
from pubench.testing.subjects import find

__all__ = ["Contract", "ContractError", "attempt", "checks_of", "fail", "plain", "quiet", "skip", "title_of"]


_PLACEHOLDER = re.compile(
    r"(name|cite|write|add|give) (the|your) (paper|authors?|citation|title) here|write here whom"
    r"|\b(TODO|FIXME|XXX|TBD)\b|lorem ipsum|<[a-z ]+>",
    re.IGNORECASE,
)


class ContractError(AssertionError):
    """A broken contract: one sentence with what was expected, what happened, and the remedy."""


def fail(sentence: str) -> NoReturn:
    """Report a broken contract."""
    raise ContractError(sentence)


def skip(reason: str) -> NoReturn:
    """Skip a check that does not apply; pytest shows the reason."""
    raise SkipTest(reason)


@contextlib.contextmanager
def attempt(what: str) -> Iterator[None]:
    """Report an exception of a plugin as a broken contract; ``what`` completes "... raised ValueError: ..."."""
    try:
        with quiet():
            yield
    except (ContractError, SkipTest):
        raise
    except (Exception, SystemExit) as error:
        raise ContractError(f"{what} raised {plain(error)}") from error


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Ignore a plugin's warnings: they are for its users, while the contract is about results."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def plain(error: BaseException) -> str:
    """Return type and message of an error in one line; without a message, the line of code that raised it."""
    try:
        # NumPy prints the arrays of a failed comparison after its summary.
        message = " ".join(str(error).split()).partition(" ACTUAL: array")[0]
    except Exception:
        message = "(its message cannot be shown)"
    raised = traceback.extract_tb(error.__traceback__)
    message = message or (f"in `{raised[-1].line}`" if raised and raised[-1].line else "")
    return f"{type(error).__name__}: {message[:400]}" if message else type(error).__name__


class Contract:
    """Base of the contracts: each method ``test_*`` is a check, titled by its docstring.

    Attributes
    ----------
    name : str
        The registered name of the spec.
    target : str
        The source of the spec if it is not installed: a Python file, or the folder of a package.
    distribution : str
        The provider of the spec, if there are several.
    excused : mapping of str to str
        Checks to skip, by the name of their method, each with the reason, besides those that the spec excuses.
    """

    kind: ClassVar[str] = ""
    required: ClassVar[tuple[str, ...]] = ()
    name: ClassVar[str] = ""
    target: ClassVar[str] = ""
    distribution: ClassVar[str] = ""
    excused: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        for check, reason in cls.excused.items():
            if not hasattr(cls, check):
                raise TypeError(f"{cls.__name__} excuses '{check}', which is not one of its checks")
            setattr(cls, check, _excused(getattr(cls, check), reason))

    @property
    def registered(self) -> Registered[Spec]:
        """The spec and its origin."""
        return _registered(self.target, self.kind, self.name, self.distribution)

    @property
    def spec(self) -> Spec:
        """The spec."""
        return self.registered.spec

    def setup_method(self, method: Callable[..., None]) -> None:
        """Skip a check that the spec excuses; pytest and ``pubench plugin check`` call this before each check."""
        reason = self.spec.excused.get(method.__name__)
        if reason:
            skip(reason)

    def test_name(self) -> None:
        """Its name is unique."""
        own = self.registered.origin.distribution
        known = find("").entries.get(self.kind, {}).get(self.name, ())
        others = [other for other in known if other.origin.distribution != own]
        if others:
            fail(
                f"{SINGULAR[self.kind]} '{self.name}' is also registered by '{others[0].origin}', so that suites have "
                f"to write '{own}/{self.name}'; choose another name"
            )

    def test_metadata(self) -> None:
        """Its metadata are complete."""
        problems = [*self._placeholders(), *self._unreadable(), *self._missing()]
        if problems:
            fail("; ".join(problems))

    def _placeholders(self) -> Iterator[str]:
        for name in ("summary", "paper", "citation", "source", "bibtex"):
            text = str(getattr(self.spec, name, ""))
            if _PLACEHOLDER.search(text):
                yield f"{name} of '{self.name}' is a placeholder ({text!r}); write what it asks for"

    def _unreadable(self) -> Iterator[str]:
        text = str(getattr(self.spec, "bibtex", ""))
        if text.strip():
            try:
                bibtex_entries(text)
            except BibtexError as error:
                yield f"bibtex of '{self.name}' {error}; correct it, since reports copy it"

    def _missing(self) -> Iterator[str]:
        # BibTeX that can be read says in words whom to cite.
        cited = ("paper", "citation") if str(getattr(self.spec, "bibtex", "")).strip() else ()
        wanted = [name for name in self.required if name not in cited]
        missing = [name for name in wanted if not str(getattr(self.spec, name) or "").strip()]
        if not str(self.registered.version or "").strip():
            missing.append("version")
        if missing:
            yield (
                f"the spec of '{self.name}' lacks {', '.join(missing)}; add them, since reports show them and "
                "others need them to cite and reuse it"
            )

    def test_excuses(self) -> None:
        """It excuses only checks that exist, with a reason."""
        unknown = [
            name for name in self.spec.excused if not hasattr(self, name) and not name.startswith("check_")
        ]
        if unknown:
            hint = did_you_mean(unknown[0], checks_of(type(self)))
            fail(f"the spec excuses '{unknown[0]}', which is not a check{hint}")
        bare = [name for name, reason in self.spec.excused.items() if not str(reason).strip()]
        if bare:
            fail(f"the spec excuses '{bare[0]}' without a reason; say why the check does not apply")

    def test_api(self) -> None:
        """It is written for this plugin API."""
        own = self.registered.origin
        warned = [text for info in find(self.target).plugins if info.origin == own for text in info.warnings]
        if warned:
            fail("; ".join(warned))

    def test_import_is_light(self) -> None:
        """Importing it is quick."""
        problem = import_problem(self.registered.origin)
        if problem:
            fail(problem)


@lru_cache(maxsize=256)
def _registered(target: str, kind: str, name: str, distribution: str) -> Registered[Spec]:
    registry = find(target)
    providers = registry.entries.get(kind, {}).get(name, ())
    own = [entry for entry in providers if entry.origin.distribution == distribution]
    entry = own[0] if own else registry.get(kind, name)
    is_algorithm = isinstance(entry.spec, Algorithm)
    return (
        cast("Registered[Spec]", with_receives(cast("Registered[Algorithm]", entry)))
        if is_algorithm
        else entry
    )


def _excused(check: Callable[..., None], reason: str) -> Callable[..., None]:
    def excuse(self: Contract) -> None:
        skip(reason)

    excuse.__doc__ = check.__doc__
    return excuse


def checks_of(contract: type[Contract]) -> list[str]:
    """Return the names of a contract's checks in source order, those of the base class first."""
    bases = [base for base in reversed(contract.__mro__) if issubclass(base, Contract)]
    return list(dict.fromkeys(name for base in bases for name in vars(base) if name.startswith("test_")))


def title_of(contract: type[Contract], check: str) -> str:
    """Return the first line of a check's docstring, without its full stop."""
    return (getattr(contract, check).__doc__ or check).strip().splitlines()[0].rstrip(".")
