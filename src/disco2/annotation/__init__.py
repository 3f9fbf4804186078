"""Layers for a document: trees, dependencies and coreference, from files or from plain text."""

from disco2.annotation.conll_coreference import CoreferenceDocument, parse_coreference
from disco2.annotation.conllu import ConlluSentence, parse_conllu
from disco2.annotation.layers import (
    document_from_trees,
    document_from_words,
    with_constituents,
    with_dependencies,
    with_mentions,
)
from disco2.annotation.ptb import BracketedSentence, parse_brackets
from disco2.annotation.spacing import document_as_written

__all__ = [
    "BracketedSentence",
    "ConlluSentence",
    "CoreferenceDocument",
    "document_as_written",
    "document_from_trees",
    "document_from_words",
    "parse_brackets",
    "parse_conllu",
    "parse_coreference",
    "with_constituents",
    "with_dependencies",
    "with_mentions",
]
