"""A hash of everything a run reads of a corpus: two corpora with the same one give the same figures."""

from __future__ import annotations

from hashlib import sha256

from disco2.data import Corpus


def corpus_digest(corpus: Corpus) -> str:
    """Over texts, layers, relations and parts, in their order; where files lay does not matter."""
    digest = sha256(f"{corpus.name}\0{corpus.inventory}\0{sorted(corpus.parts.items())}".encode())
    if corpus.groups:
        digest.update(f"{sorted(corpus.groups.items())}\0".encode(errors="replace"))
    for name, document in corpus.documents.items():
        layers = (document.text, document.tokens, document.sentences, document.mentions)
        digest.update(f"{name}\0{layers!r}\0".encode(errors="replace"))
    for relation in corpus.relations:
        content = (
            relation.id,
            relation.document,
            relation.kind.value,
            relation.arg1,
            relation.arg2,
            relation.senses,
            relation.connective,
            relation.connective_tokens,
            *((relation.votes,) if relation.votes else ()),
        )
        digest.update(f"{content!r}\0".encode(errors="replace"))
    return digest.hexdigest()
