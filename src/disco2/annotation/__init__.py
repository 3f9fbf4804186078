"""Layers for a document: trees, dependencies and coreference, from files or from plain text."""
