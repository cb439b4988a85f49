"""Building blocks of estimators: the rules and types behind :mod:`pubench.base`, and :func:`pubench.wrap`."""
