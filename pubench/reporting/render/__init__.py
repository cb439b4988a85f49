"""Formats: each module turns the one `Report` value into one kind of file or text."""
