"""Discovery: each plugin is loaded in a try of its own, so that a broken one is listed and never fatal."""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import pluggy

from pubench.errors import PubenchError
from pubench.plugins import hookspecs
from pubench.plugins.compatibility import DECLARATION, PluginDeprecationWarning, declared_in, verdict
from pubench.plugins.imports import load_file
from pubench.plugins.registry import KINDS, Origin, PluginInfo, Registered, Registry
from pubench.specs import RECEIVABLE, SCENARIOS, Algorithm, Spec

__all__ = ["GROUP", "build_registry", "discover"]

GROUP = "pubench"
FIRST_PARTY = "pubench"
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_REFERENCES = ("supervised-", "pn-")
_LISTS = {
    "scenarios": SCENARIOS,
    "receives": RECEIVABLE,
    "needs": ("prior",),
    "accepts": ("sparse", "missing", "categorical"),
}
_WORDS = {
    "scaling": ("", "linear", "quadratic", "cubic"),
    "labels": ("pu", "true"),
    "uses": ("decision", "score", "probability"),
}

Source = tuple[Origin, Callable[[], Any]]


def discover(*, third_party: bool | None = None, files: Iterable[str | Path] = ()) -> Registry:
    """Load every plugin and return the registry.

    Parameters
    ----------
    third_party : bool, optional
        Whether plugins of other distributions are loaded; by default they are, unless the environment variable
        ``PUBENCH_THIRD_PARTY`` is ``0``.
    files : iterable of paths
        Single Python files that implement hooks. A file that cannot be loaded is an error, because it was asked for.
    """
    if third_party is None:
        third_party = os.environ.get("PUBENCH_THIRD_PARTY", "1") != "0"
    points = [(_origin(point), point) for point in entry_points(group=GROUP)]
    points.sort(key=lambda found: (found[0].distribution, found[0].plugin))
    unique = {(origin.distribution, origin.plugin): (origin, point) for origin, point in points}
    sources = [
        (origin, point.load)
        for origin, point in unique.values()
        if third_party or origin.distribution == FIRST_PARTY
    ]
    registry = build_registry(sources + [_file_source(Path(file)) for file in files])
    for info in registry.plugins:
        if info.error and info.origin.file:
            told = info.error.removeprefix("PubenchError: ")
            raise PubenchError(told if "plugin file" in told else f"plugin file '{info.origin.file}': {told}")
    return registry


def build_registry(sources: Sequence[Source]) -> Registry:
    """Load each source on its own and gather the specs by kind and name."""
    entries: dict[str, dict[str, tuple[Registered[Spec], ...]]] = {kind: {} for kind in KINDS}
    infos = []
    for origin, load in sources:
        try:
            specs, told = _loaded(origin, load)
        except (Exception, SystemExit) as error:
            infos.append(PluginInfo(origin, error=_reason(origin, error)))
            continue
        for kind, found in specs.items():
            for spec in found:
                providers = entries[kind].get(spec.name, ())
                entries[kind][spec.name] = (*providers, Registered(spec, origin))
        infos.append(
            PluginInfo(
                origin, {kind: tuple(s.name for s in found) for kind, found in specs.items()}, warnings=told
            )
        )
    return Registry(entries, tuple(infos))


def _loaded(origin: Origin, load: Callable[[], Any]) -> tuple[dict[str, list[Spec]], tuple[str, ...]]:
    """Return a plugin's specs and what its author should change; raise if it was made for another plugin API."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PluginDeprecationWarning)
        plugin = load()
        refusal, advice = verdict(getattr(plugin, DECLARATION, None))
        if refusal:
            raise PubenchError(refusal)
        specs = _specs_of(plugin, origin.plugin)
    ours = [found for found in caught if issubclass(found.category, PluginDeprecationWarning)]
    for found in caught:
        if found not in ours:
            warnings.warn_explicit(found.message, found.category, found.filename, found.lineno)
    return specs, tuple(dict.fromkeys(filter(None, [advice, *(str(found.message) for found in ours)])))


def _reason(origin: Origin, error: BaseException) -> str:
    """Return why a plugin cannot be used; what an error hides may be that it was made for a newer pubench."""
    refusal, _ = verdict(declared_in(origin.module, origin.file))
    if refusal:
        return refusal
    return f"{type(error).__name__}: {_one_line(error)}"


def _specs_of(plugin: Any, name: str) -> dict[str, list[Spec]]:
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(plugin, name)
    manager.check_pending()
    specs = {}
    for kind, spec_type in KINDS.items():
        lists = getattr(manager.hook, f"pubench_{kind}")()
        specs[kind] = [_checked(spec, spec_type) for found in lists for spec in found]
    if not manager.get_hookcallers(plugin):
        raise PubenchError("implements no pubench hook; mark its functions with @pubench.hookimpl")
    return specs


def _checked(spec: Any, spec_type: type[Spec]) -> Spec:
    if not isinstance(spec, spec_type):
        raise PubenchError(f"a hook returned {type(spec).__name__} where {spec_type.__name__} is expected")
    if not _NAME.fullmatch(spec.name):
        raise PubenchError(f"name '{spec.name}' must be lower-case words joined by dashes")
    _refuse_unknown_words(spec)
    if isinstance(spec, Algorithm) and spec.name.startswith(_REFERENCES) != (spec.labels == "true"):
        raise PubenchError(
            f"algorithm '{spec.name}': names starting with 'supervised-' or 'pn-' are for labels='true', and only they"
        )
    if isinstance(spec, Algorithm) and not set(spec.needs) <= set(spec.receives):
        raise PubenchError(
            f"algorithm '{spec.name}' needs {spec.needs} but receives {spec.receives}; add it there"
        )
    return spec


def _refuse_unknown_words(spec: Spec) -> None:
    """Refuse a misspelt word of a spec, which would be taken for another or for none."""
    for field, known in (_LISTS | _WORDS).items():
        told = getattr(spec, field, ())
        if field in _LISTS and isinstance(told, str):
            raise PubenchError(f"'{spec.name}': {field} = {told!r} is a text; write ({told!r},)")
        unknown = set(told if field in _LISTS or told == () else (told,)) - set(known)
        if unknown:
            raise PubenchError(
                f"'{spec.name}': {field} = {told!r}; pubench knows {', '.join(map(repr, known))}"
            )
    if not getattr(spec, "scenarios", SCENARIOS):
        raise PubenchError(f"'{spec.name}' is made for no scenario; name {' or '.join(SCENARIOS)}, or both")


def _origin(point: EntryPoint) -> Origin:
    distribution = point.dist
    if distribution is None:
        return Origin(point.name, "unknown", "", module=point.module)
    return Origin(point.name, distribution.name, distribution.version, module=point.module)


def _file_source(file: Path) -> Source:
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:12] if file.is_file() else ""
    origin = Origin(file.stem, file.name, digest, file=str(file.resolve()))
    return origin, lambda: load_file(file)


def _one_line(error: BaseException) -> str:
    # pluggy tells which argument is wrong in the last of three lines.
    return "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
