"""Documents, relations and corpora, senses, argument trees, batches."""

from disco2.data.records import (
    WITHOUT_SENSE,
    Argument,
    Constituents,
    Corpus,
    Dependencies,
    Document,
    Finding,
    Instance,
    Mention,
    ReadIssues,
    Relation,
    RelationKind,
    Sentence,
    Token,
)

__all__ = [
    "WITHOUT_SENSE",
    "Argument",
    "Constituents",
    "Corpus",
    "Dependencies",
    "Document",
    "Finding",
    "Instance",
    "Mention",
    "ReadIssues",
    "Relation",
    "RelationKind",
    "Sentence",
    "Token",
]
