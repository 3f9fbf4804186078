"""Components that give documents what benepar and coreference components give, from tables in the tests.

benepar's own models can't be had here; what ``parse_string`` looks like is taken from its version 0.2.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from spacy.language import Language
from spacy.tokens import Doc, Span

from disco2.annotation.english.annotators import SHIPPED
from disco2.annotation.english.spacy_english import read_pipeline
from disco2.files import read_listed_files
from disco2.vectors.source import read_shipped


def tagging_pipeline() -> Language:
    """A pipeline with a tagger and a parser: the shipped components, which spaCy can run on their own."""
    nlp = read_pipeline(read_listed_files(SHIPPED / "syntax"), read_shipped())
    nlp.meta["name"] = "tagging"
    return nlp


def brackets(span: Span) -> str:
    """As benepar writes a sentence of which it knows a flat tree; it fails on documents it has not seen."""
    if not span.doc.user_data.get("seen by benepar"):
        raise Exception("No constituency parse is available for this document.")
    words = span.text.split()
    if "bare" in words:
        raise Exception(f"Span is not a constituent: {span}")
    leaves = [f"({token.tag_} {_escaped(token.text)})" for token in span]
    return f"(S (ODD {' '.join(leaves[:2])}) {' '.join(leaves[2:])})"


def _escaped(word: str) -> str:
    return word.replace("(", "-LRB-").replace(")", "-RRB-")


@Language.component("stand_in_benepar")
def stand_in_benepar(doc: Doc) -> Doc:
    doc.user_data["seen by benepar"] = True
    return doc


@contextmanager
def benepar_extension() -> Iterator[None]:
    Span.set_extension("parse_string", getter=brackets, force=True)
    try:
        yield
    finally:
        Span.remove_extension("parse_string")


@Language.factory("stand_in_coref", default_config={"prefix": "coref_clusters"})
class StandInCoref:
    """Whatever is called "burger" and "hungry" is one chain: nobody else would say so."""

    def __init__(self, nlp: Language, name: str, prefix: str) -> None:
        self.prefix = prefix

    def __call__(self, doc: Doc) -> Doc:
        found = [doc[token.i : token.i + 1] for token in doc if token.text in ("burger", "hungry")]
        if found:
            doc.spans[f"{self.prefix}_1"] = found
            doc.spans["coref_head_clusters_1"] = found
        return doc
