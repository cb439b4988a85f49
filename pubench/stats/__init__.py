"""Statistics: tables of means, ranks, tests, intervals and which algorithms differ."""
