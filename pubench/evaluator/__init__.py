"""What runs inside the evaluator's process: metrics, with true classes. No algorithm runs here."""
