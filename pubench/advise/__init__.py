"""Advice on a person's own PU data: which method to take, what it is worth, and what nobody can know."""
