"""The registry: from a name in a suite to the spec and the plugin that provides it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, TypeVar, cast

from pubench.errors import DuplicateNameError, PubenchError, UnknownNameError, did_you_mean
from pubench.plugins.development import SourceDigests
from pubench.plugins.requirements import inferred_receives, unmet
from pubench.specs import INFERRED, Algorithm, Criterion, Dataset, Metric, PriorEstimator, Spec

__all__ = ["KINDS", "SINGULAR", "Origin", "PluginInfo", "Registered", "Registry", "with_receives"]

HOST = "pubench"
KINDS: Mapping[str, type[Spec]] = {
    "algorithms": Algorithm,
    "datasets": Dataset,
    "criteria": Criterion,
    "metrics": Metric,
    "priors": PriorEstimator,
}
SINGULAR = {
    "algorithms": "algorithm",
    "datasets": "data set",
    "criteria": "criterion",
    "metrics": "metric",
    "priors": "prior estimator",
}
S = TypeVar("S", bound=Spec)


@dataclass(frozen=True, slots=True)
class Origin:
    """The provider of a spec: an entry point of a distribution (and its module), or a single file.

    ``pinned`` says that its authors raise versions by hand, see :mod:`pubench.plugins.development`.
    """

    plugin: str
    distribution: str
    version: str
    file: str = ""
    module: str = ""
    pinned: bool = False

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}"


@dataclass(frozen=True, slots=True)
class Registered(Generic[S]):
    """A spec and its origin; ``sources`` are shared by all specs that were discovered together.

    ``inferred`` says that ``receives`` of the spec follows from the constructor.
    """

    spec: S
    origin: Origin
    sources: SourceDigests = field(default_factory=SourceDigests, compare=False, repr=False)
    inferred: bool = False

    @property
    def version(self) -> str:
        """The version that decides whether stored results are still valid.

        That of the spec or, where it has none, of the distribution; a digest of the source follows under development.
        """
        stated = self.spec.version or self.origin.version
        return "+".join(filter(None, [stated, *self._sources()]))

    def _sources(self) -> Iterator[str]:
        """Yield the digests of what is under development: the plugin, and other packages that the spec names."""
        origin = self.origin
        if origin.file:
            # A single file is never released; without a version in the spec its digest is the version.
            yield origin.version if self.spec.version else ""
        elif origin.module:
            yield self.sources.of_plugin(origin.distribution, origin.module, pinned=origin.pinned)
        own = {origin.module.partition(".")[0], Path(origin.file).stem}
        others = set(_packages_named(self.spec)) - own - self.sources.own_packages(origin.distribution)
        yield from map(self.sources.of_package, sorted(others))


def _packages_named(spec: Spec) -> Iterator[str]:
    """Yield the packages of the import strings of a spec, those among its parameters included."""
    named = (getattr(spec, name, "") for name in ("estimator", "function", "loader"))
    for text in (*named, *getattr(spec, "params", {}).values()):
        module, colon, _ = text.partition(":") if isinstance(text, str) else ("", "", "")
        package = module.partition(".")[0]
        if colon and package.isidentifier():
            yield package


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """A discovered plugin: its names by kind or why it could not be loaded, and warnings for its author."""

    origin: Origin
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    error: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Registry:
    """All registered specs; ``entries[kind][name]`` lists every provider of that name."""

    entries: Mapping[str, Mapping[str, tuple[Registered[Spec], ...]]]
    plugins: tuple[PluginInfo, ...] = ()

    def algorithm(self, name: str) -> Registered[Algorithm]:
        """Return the algorithm of that name; raise an error if it is unknown or ambiguous."""
        return with_receives(cast("Registered[Algorithm]", self.get("algorithms", name)))

    def dataset(self, name: str) -> Registered[Dataset]:
        """Return the data set of that name."""
        return cast("Registered[Dataset]", self.get("datasets", name))

    def criterion(self, name: str) -> Registered[Criterion]:
        """Return the criterion of that name; :meth:`metric` serves ``oracle-<metric>``."""
        return cast("Registered[Criterion]", self.get("criteria", name))

    def metric(self, name: str) -> Registered[Metric]:
        """Return the metric of that name."""
        return cast("Registered[Metric]", self.get("metrics", name))

    def prior(self, name: str) -> Registered[PriorEstimator]:
        """Return the class-prior estimator of that name."""
        return cast("Registered[PriorEstimator]", self.get("priors", name))

    def all(self, kind: str) -> dict[str, Registered[Spec]]:
        """Return every entry of a kind, sorted by name; names that do not say which provider is meant are qualified."""
        found: dict[str, Registered[Spec]] = {}
        for name, providers in sorted(self.entries.get(kind, {}).items()):
            meant = _meant(providers)
            found |= {(name if one is meant else _qualified(one)): one for one in providers}
        return found

    def short_name(self, kind: str, name: str) -> str:
        """Return the name without its distribution, where it means the same entry."""
        entry = self.get(kind, name)
        own = _meant(self.entries[kind][entry.spec.name])
        return entry.spec.name if own is entry else _qualified(entry)

    def metrics(self) -> dict[str, Registered[Metric]]:
        """Return every usable metric by name."""
        return cast("dict[str, Registered[Metric]]", self.all("metrics"))

    def duplicates(self) -> tuple[str, ...]:
        """Return one sentence for each name that more than one distribution provides."""
        return tuple(
            _duplicate(kind, name, providers)
            for kind, named in self.entries.items()
            for name, providers in sorted(named.items())
            if len(providers) > 1
        )

    def warnings(self) -> tuple[str, ...]:
        """Return one sentence for each warning to a plugin's author."""
        return tuple(
            f"plugin '{info.origin.plugin}' ({info.origin}): {warning}"
            for info in self.plugins
            for warning in info.warnings
        )

    def get(self, kind: str, name: str) -> Registered[Spec]:
        """Return the entry of that kind and name; raise an error if it is unknown or ambiguous."""
        distribution, slash, short = name.rpartition("/")
        providers = self.entries.get(kind, {}).get(short, ())
        if slash:
            providers = tuple(one for one in providers if one.origin.distribution == distribution)
        if not providers:
            hint = did_you_mean(name, self.entries.get(kind, {}))
            raise UnknownNameError(f"{SINGULAR[kind]} '{name}' is not registered{hint}{self._broken()}")
        meant = _meant(providers)
        if meant is None:
            raise DuplicateNameError(_duplicate(kind, name, providers))
        return meant

    def _broken(self) -> str:
        names = ", ".join(f"'{info.origin.plugin}'" for info in self.plugins if info.error)
        return f" (not loaded: {names}; see 'pubench plugins')" if names else ""


def with_receives(entry: Registered[Algorithm]) -> Registered[Algorithm]:
    """Return an algorithm with what it receives; where the spec does not say, its constructor does.

    Raises
    ------
    PubenchError
        If it needs what its constructor does not take.
    """
    spec = entry.spec
    if spec.receives != INFERRED:
        return entry
    receives = inferred_receives(spec)
    if not set(spec.needs) - {"gpu"} <= set(receives) and not unmet(spec.requires):
        raise PubenchError(
            f"algorithm '{spec.name}' needs {spec.needs}, but the constructor of {spec.estimator} takes {receives}; "
            "add it there"
        )
    return replace(entry, spec=replace(spec, receives=receives), inferred=True)


def _meant(providers: tuple[Registered[Spec], ...]) -> Registered[Spec] | None:
    """Return the provider that a name means without a distribution: the only one, or else that of pubench itself.

    Suites that name what comes with pubench work whatever else is installed.
    """
    own = [one for one in providers if one.origin.distribution == HOST] if len(providers) > 1 else providers
    return own[0] if len(own) == 1 else None


def _qualified(entry: Registered[Spec]) -> str:
    return f"{entry.origin.distribution}/{entry.spec.name}"


def _duplicate(kind: str, name: str, providers: tuple[Registered[Spec], ...]) -> str:
    origins = " and ".join(f"'{entry.origin}' (plugin '{entry.origin.plugin}')" for entry in providers)
    meant = _meant(providers)
    others = " or ".join(f"'{_qualified(one)}'" for one in providers if one is not meant)
    remedy = f"the name means that of {HOST}; write {others} for the other" if meant else f"write {others}"
    return f"{SINGULAR[kind]} '{name}' is registered by {origins}; {remedy}"
