"""DISRPT: relations in .rels files over tokens in .conllu files."""

from disco2.corpora.disrpt.reader import read_disrpt

__all__ = ["read_disrpt"]
