"""Tests for comparing algorithms, over plain NumPy arrays: this package knows neither rows nor tables."""
