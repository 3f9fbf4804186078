"""Training and scores of the components of the built-in English annotator."""
