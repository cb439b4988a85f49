"""Plugins: their discovery, the registry of their specs, and the objects behind their import strings."""

from pubench.plugins.discovery import build_registry, discover
from pubench.plugins.hookspecs import hookimpl
from pubench.plugins.imports import load_files, resolve
from pubench.plugins.registry import Origin, Registered, Registry

__all__ = [
    "Origin",
    "Registered",
    "Registry",
    "build_registry",
    "discover",
    "hookimpl",
    "load_files",
    "resolve",
]
