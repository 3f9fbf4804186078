"""Coreference: candidate mentions from the parse, and for each its antecedent or a new chain."""
