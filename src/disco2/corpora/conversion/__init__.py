"""A corpus as files that other programs read."""

from disco2.corpora.conversion.convert import write_conll16, write_pairs
from disco2.corpora.conversion.senses import with_senses_of

__all__ = ["with_senses_of", "write_conll16", "write_pairs"]
