"""The suites that ship with pubench, as TOML files. Nothing here is code."""
