"""The CoNLL-2015 and 2016 shared tasks: relations and parses in JSON."""

from disco2.corpora.conll16.reader import read_conll16

__all__ = ["read_conll16"]
