"""``python -m pubench`` is the command line."""

from pubench.cli import main

main()
