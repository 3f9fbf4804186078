"""A corpus as files that other programs read."""

from disco2.corpora.conversion.convert import write_conll16, write_pairs

__all__ = ["write_conll16", "write_pairs"]
