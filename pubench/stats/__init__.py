"""Statistics: from rows of results to means, ranks, tests and intervals; reports are made of these."""
