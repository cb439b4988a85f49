"""What runs inside the child process: load data, estimate a prior, tune, fit and score. No true label comes here."""
