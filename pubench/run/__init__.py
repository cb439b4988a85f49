"""The driver: jobs become records, evaluated in processes that hold the truth and run no plugin."""
