"""Discovery: from entry points and files to the registry; a broken plugin is listed and never fatal."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path

import pluggy

from pubench.errors import PubenchError
from pubench.plugins import hookspecs
from pubench.plugins.compatibility import DECLARATION, PluginDeprecationWarning, declared_in, verdict
from pubench.plugins.development import PINNED, SourceDigests
from pubench.plugins.imports import load_file
from pubench.plugins.registry import KINDS, Origin, PluginInfo, Registered, Registry
from pubench.plugins.requirements import can_infer_now, check_requirements, inferred_receives
from pubench.specs import INFERRED, RECEIVABLE, SCENARIOS, Algorithm, Spec

__all__ = ["GROUP", "Contents", "build_registry", "discover", "discover_once", "read_file"]

GROUP = "pubench"
FIRST_PARTY = "pubench"
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_REFERENCES = ("supervised-", "pn-")
_ORACLE = "oracle-"
_LISTS = {
    "scenarios": SCENARIOS,
    "receives": RECEIVABLE,
    "needs": ("prior", "image_shape", "gpu"),
    "accepts": ("sparse", "missing", "categorical"),
}
_WORDS = {
    "dtype": ("float64", "float32", "uint8"),
    "scaling": ("", "linear", "quadratic", "cubic"),
    "threshold": ("own", "prior", "built-in"),
    "probability": ("own", "calibrated"),
    "labels": ("pu", "true"),
    "uses": ("decision", "score", "probability"),
}

Source = tuple[Origin, Callable[[], object]]


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in a plugin: its specs by kind, advice for its author, and whether it pins its versions."""

    specs: Mapping[str, Sequence[Spec]]
    advice: tuple[str, ...] = ()
    pinned: bool = False


def discover(
    *,
    third_party: bool | None = None,
    files: Iterable[str | Path] = (),
    describe: Callable[[Path], Contents | None] | None = None,
) -> Registry:
    """Load every plugin and return the registry.

    Parameters
    ----------
    third_party : bool, optional
        Whether plugins of other distributions are loaded; default: yes, unless the environment variable
        ``PUBENCH_THIRD_PARTY`` is ``0``.
    files : iterable of paths
        Single Python files that implement hooks. A file that cannot be loaded is an error, because the user named it.
    describe : callable, optional
        Returns what is in a file without loading it here, or None where it has to be loaded here.
    """
    if third_party is None:
        third_party = os.environ.get("PUBENCH_THIRD_PARTY", "1") != "0"
    points = _with_origins(entry_points(group=GROUP))
    points.sort(key=lambda item: (item[0].distribution, item[0].plugin))
    unique = {(origin.distribution, origin.plugin): (origin, point) for origin, point in points}
    sources = [
        (origin, point.load)
        for origin, point in unique.values()
        if third_party or origin.distribution == FIRST_PARTY
    ]
    registry = build_registry(sources + [_file_source(Path(file), describe) for file in files])
    for info in registry.plugins:
        if info.error and info.origin.file:
            reason = info.error.removeprefix("PubenchError: ")
            raise PubenchError(
                reason if "plugin file" in reason else f"plugin file '{info.origin.file}': {reason}"
            )
    return registry


def discover_once() -> Registry:
    """Return the registry of :func:`discover` without arguments, the last one as long as nothing is installed.

    Reading the entry points of all distributions takes longer than many a fit.
    """
    folders = [(path, os.stat(path).st_mtime_ns) for path in sys.path if os.path.isdir(path)]
    return _discover_for((os.environ.get("PUBENCH_THIRD_PARTY"), *folders))


@lru_cache(maxsize=1)
def _discover_for(state: Hashable) -> Registry:
    return discover()


def build_registry(sources: Sequence[Source]) -> Registry:
    """Load each source separately and collect the specs by kind and name."""
    entries: dict[str, dict[str, tuple[Registered[Spec], ...]]] = {kind: {} for kind in KINDS}
    infos, digests, manager = [], SourceDigests(), _new_manager()
    for origin, load in sources:
        try:
            contents = _read(load, manager)
        except (Exception, SystemExit) as error:
            # What a broken plugin left in it must not reach the next one.
            manager = _new_manager()
            infos.append(PluginInfo(origin, error=_reason(origin, error)))
            continue
        provider = replace(origin, pinned=contents.pinned)
        for kind, specs_of_kind in contents.specs.items():
            for spec in specs_of_kind:
                providers = entries[kind].get(spec.name, ())
                entries[kind][spec.name] = (*providers, Registered(spec, provider, digests))
        names = {kind: tuple(spec.name for spec in listed) for kind, listed in contents.specs.items()}
        infos.append(PluginInfo(provider, names, warnings=contents.advice))
    return Registry(entries, tuple(infos))


def read_file(file: Path) -> Contents:
    """Load a plugin file here and return what is in it."""
    return _read(lambda: load_file(file), _new_manager())


def _new_manager() -> pluggy.PluginManager:
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    return manager


def _read(load: Callable[[], object], manager: pluggy.PluginManager) -> Contents:
    """Load a plugin and return what is in it; raise if it was made for another plugin API."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PluginDeprecationWarning)
        plugin = load()
        if isinstance(plugin, Contents):
            return plugin
        refusal, warning = verdict(getattr(plugin, DECLARATION, None))
        if refusal:
            raise PubenchError(refusal)
        specs = _specs_of(plugin, manager)
    deprecations = []
    for item in caught:
        if issubclass(item.category, PluginDeprecationWarning):
            deprecations.append(str(item.message))
        else:
            warnings.warn_explicit(item.message, item.category, item.filename, item.lineno)
    advice = tuple(dict.fromkeys(filter(None, [warning, *deprecations])))
    return Contents(specs, advice, bool(getattr(plugin, PINNED, False)))


def _reason(origin: Origin, error: BaseException) -> str:
    """Return why a plugin cannot be used; a plugin made for a newer pubench may fail with any error."""
    refusal, _ = verdict(declared_in(origin.module, origin.file))
    if refusal:
        return refusal
    return f"{type(error).__name__}: {_one_line(error)}"


def _specs_of(plugin: object, manager: pluggy.PluginManager) -> dict[str, list[Spec]]:
    """Return the specs of a plugin by kind; the manager knows no other, before and after."""
    manager.register(plugin)
    manager.check_pending()
    specs = {}
    for kind, spec_type in KINDS.items():
        lists = getattr(manager.hook, f"pubench_{kind}")()
        specs[kind] = [_checked(spec, spec_type) for specs_of_hook in lists for spec in specs_of_hook]
    if not manager.get_hookcallers(plugin):
        raise PubenchError("implements no pubench hook; mark its functions with @pubench.hookimpl")
    manager.unregister(plugin)
    return specs


def _checked(spec: object, spec_type: type[Spec]) -> Spec:
    if not isinstance(spec, spec_type):
        raise PubenchError(f"a hook returned {type(spec).__name__} where {spec_type.__name__} is expected")
    if not _NAME.fullmatch(spec.name):
        raise PubenchError(f"name '{spec.name}' must be lower-case words joined by dashes")
    _refuse_unknown_words(spec)
    _refuse_infinity(spec)
    if isinstance(spec, Algorithm) and spec.name.startswith(_REFERENCES) != (spec.labels == "true"):
        raise PubenchError(
            f"algorithm '{spec.name}': names start with 'supervised-' or 'pn-' if and only if labels='true'; rename it"
        )
    if isinstance(spec, Algorithm) and spec.name.startswith(_ORACLE) != ("propensity" in spec.receives):
        raise PubenchError(
            f"algorithm '{spec.name}': names start with 'oracle-' if and only if receives has 'propensity', which "
            "follows from true classes; rename it"
        )
    check_requirements(getattr(spec, "requires", ()))
    if isinstance(spec, Algorithm) and can_infer_now(spec):
        # The driver need not load a single file to know this.
        spec = replace(spec, receives=inferred_receives(spec))
    if isinstance(spec, Algorithm) and spec.receives == INFERRED:
        return spec
    if isinstance(spec, Algorithm) and not set(spec.needs) - {"gpu"} <= set(spec.receives):
        raise PubenchError(
            f"algorithm '{spec.name}' needs {spec.needs} but receives {spec.receives}; add it there"
        )
    return spec


def _refuse_infinity(spec: Spec) -> None:
    """Refuse parameters that are not finite: they cannot be written in a suite or sent to a child."""
    try:
        json.dumps(dict(getattr(spec, "params", {})), allow_nan=False, default=str)
    except ValueError:
        raise PubenchError(
            f"'{spec.name}': params hold a number that is not finite; use None or a large number instead"
        ) from None


def _refuse_unknown_words(spec: Spec) -> None:
    """Refuse a misspelt word of a spec, which would otherwise be ignored."""
    for field, known in (_LISTS | _WORDS).items():
        value = getattr(spec, field, ())
        if value == INFERRED:
            continue
        if field in _LISTS and isinstance(value, str):
            raise PubenchError(f"'{spec.name}': {field} = {value!r} is text; write ({value!r},)")
        unknown = set(value if field in _LISTS or value == () else (value,)) - set(known)
        if unknown:
            raise PubenchError(
                f"'{spec.name}': {field} = {value!r}; pubench knows {', '.join(map(repr, known))}"
            )
    if not getattr(spec, "scenarios", SCENARIOS):
        raise PubenchError(f"'{spec.name}' supports no scenario; list {' or '.join(SCENARIOS)}, or both")


def _with_origins(points: Iterable[EntryPoint]) -> list[tuple[Origin, EntryPoint]]:
    """Return each entry point with its origin; the metadata of a distribution are read once for all its points."""
    read: dict[Distribution, tuple[str, str]] = {}
    found = []
    for point in points:
        distribution = point.dist
        if distribution is not None and distribution not in read:
            metadata = distribution.metadata
            read[distribution] = metadata["Name"], metadata["Version"]
        name, version = ("unknown", "") if distribution is None else read[distribution]
        found.append((Origin(point.name, name, version, module=point.module), point))
    return found


def _file_source(file: Path, describe: Callable[[Path], Contents | None] | None) -> Source:
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:12] if file.is_file() else ""
    origin = Origin(file.stem, file.name, digest, file=os.path.realpath(file))
    return origin, lambda: (describe and describe(file)) or load_file(file)


def _one_line(error: BaseException) -> str:
    # pluggy names the wrong argument in the last of three lines.
    return "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
