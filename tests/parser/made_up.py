"""A sentence with both trees, written by hand: "We left because it rained ."."""

from __future__ import annotations

from disco2.data import Constituents, Dependencies, Document, Sentence, Token

WORDS = ("We", "left", "because", "it", "rained", ".")
TAGS = ("PRP", "VBD", "IN", "PRP", "VBD", ".")


def document(*, trees: bool = True) -> Document:
    text = " ".join(WORDS)
    tokens = []
    place = 0
    for word, tag in zip(WORDS, TAGS, strict=True):
        tokens.append(Token(word, place, place + len(word), tag))
        place += len(word) + 1
    phrases = Constituents(
        labels=("S", "NP", "VP", "SBAR", "S", "NP", "VP"),
        starts=(0, 0, 1, 2, 3, 3, 4),
        ends=(6, 1, 5, 5, 5, 4, 5),
        parents=(-1, 0, 0, 2, 3, 4, 4),
        tags=TAGS,
    )
    links = Dependencies(
        heads=(1, -1, 4, 4, 1, 1), labels=("nsubj", "root", "mark", "nsubj", "advcl", "punct")
    )
    sentence = Sentence(0, len(WORDS), phrases if trees else None, links if trees else None)
    return Document("made-up", text, tuple(tokens), (sentence,))
