"""Advice on a person's own PU data: read a table, audit it, choose a method, fit, predict and explain."""
