"""Training of the built-in English annotators."""
