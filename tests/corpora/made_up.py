"""Small corpora in memory, with made-up sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from disco2.corpora.reading import argument_from_tokens
from disco2.data import Constituents, Corpus, Dependencies, Document, Relation, RelationKind, Sentence, Token

WORDS = (("The", "dog", "barked", "."), ("Nobody", "(", "not", "even", "Ann-Lea", ")", "slept", "."))


def document(name: str) -> Document:
    """Two sentences; the first has a tree and dependencies, the second a word with a hyphen and brackets."""
    text, tokens, sentences = "", [], []
    for words in WORDS:
        first = len(tokens)
        for word in words:
            space = "" if not text or word in ".)" or text.endswith("(") else " "
            text += space
            tokens.append(Token(word, len(text), len(text) + len(word), "NN"))
            text += word
        sentences.append((first, len(tokens)))
    tree = Constituents(
        labels=("S", "NP", "VP"),
        starts=(0, 0, 2),
        ends=(4, 2, 3),
        parents=(-1, 0, 0),
        tags=("DT", "NN", "VBD", "."),
    )
    arcs = Dependencies((1, 2, -1, 2), ("det", "nsubj", "root", "punct"))
    return Document(name, text, tuple(tokens), (Sentence(*sentences[0], tree, arcs), Sentence(*sentences[1])))


def relation(
    name: str,
    number: int,
    senses: Sequence[str] = (),
    *,
    kind: RelationKind = RelationKind.IMPLICIT,
    arg1: Iterable[int] = (0, 1, 2),
    arg2: Iterable[int] = (4, 10),
) -> Relation:
    """``arg2`` is discontinuous unless told otherwise."""
    doc = document(name)
    return Relation(
        id=f"{name}:{number}",
        document=name,
        kind=kind,
        arg1=argument_from_tokens(doc, arg1),
        arg2=argument_from_tokens(doc, arg2),
        senses=tuple(senses),
        connective="so" if kind is RelationKind.IMPLICIT else "",
    )


def corpus(
    relations: Sequence[Relation], *, parts: Mapping[str, str] | None = None, name: str = "pdtb3"
) -> Corpus:
    names = dict.fromkeys(relation.document for relation in relations)
    return Corpus(name, "pdtb3", {name: document(name) for name in names}, tuple(relations), parts or {})


def wsj_corpus() -> Corpus:
    """One document with one relation in each of the 25 sections."""
    names = [f"wsj_{section:02}{section + 1:02}" for section in range(25)]
    return corpus([relation(name, 1, ("Contingency.Cause.Reason",)) for name in names])
