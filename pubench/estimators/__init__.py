"""Estimators for authors: what :mod:`pubench.base` and :func:`pubench.wrap` are made of."""
