"""Numbers that the mathematics shares: losses of margins, and arrays checked before they are judged."""
