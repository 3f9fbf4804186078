"""Plain records that every room speaks. Nothing here reads files or computes."""

from disco2.records.corpus import Corpus, Dirt, Finding
from disco2.records.document import Constituents, Dependencies, Document, Mention, Sentence, Token
from disco2.records.relation import WITHOUT_SENSE, Argument, Instance, Relation, RelationKind

__all__ = [
    "WITHOUT_SENSE",
    "Argument",
    "Constituents",
    "Corpus",
    "Dependencies",
    "Dirt",
    "Document",
    "Finding",
    "Instance",
    "Mention",
    "Relation",
    "RelationKind",
    "Sentence",
    "Token",
]
