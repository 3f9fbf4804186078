"""The built-in English annotator: spaCy and NumPy only, trained on GUM, with weights that ship."""
