"""Where each token stands: sentence, paragraph, quotation, and its place in the dependencies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.text import BLANK_LINE
from disco2.records import Document

_ROLES = {
    role: number
    for number, roles in enumerate(
        (
            "nsubj csubj",
            "nsubj:pass csubj:pass",
            "obj",
            "iobj",
            "obl obl:agent obl:arg",
            "obl:unmarked obl:tmod",
            "nmod nmod:desc nmod:unmarked",
            "nmod:poss",
            "appos",
            "conj",
            "compound flat",
            "root",
            "vocative dislocated discourse parataxis",
            "xcomp ccomp advcl acl acl:relcl",
        ),
        start=1,
    )
    for role in roles.split()
}
ROLES = max(_ROLES.values()) + 1  # 0 for all other labels, and where there are no dependencies
SUBJECT, OBLIQUE = _ROLES["nsubj"], _ROLES["obl"]  # these and the roles between them are arguments of a verb
POSSESSOR, APPOSITION, CONJUNCT = _ROLES["nmod:poss"], _ROLES["appos"], _ROLES["conj"]

_OPENING = frozenset({"``", "\u201c", "\u00ab"})
_CLOSING = frozenset({"''", "\u201d", "\u00bb"})


@dataclass(frozen=True, slots=True)
class TokenContext:
    """One number for each token of a document."""

    sentence: NDArray[np.int32]
    paragraph: NDArray[np.int32]  # counted by blank lines
    quote: NDArray[np.int32]  # the number of the quotation around it, 0 outside
    governor: NDArray[np.int32]  # the token it hangs on, -1 for none
    role: NDArray[np.int32]


def token_context(document: Document) -> TokenContext:
    """The context of all tokens of a document."""
    length = len(document.tokens)
    sentence_of = np.zeros(length, dtype=np.int32)
    governor = np.full(length, -1, dtype=np.int32)
    role = np.zeros(length, dtype=np.int32)
    for index, sentence in enumerate(document.sentences):
        sentence_of[sentence.start : sentence.end] = index
        if sentence.dependencies is not None:
            heads = np.array(sentence.dependencies.heads, dtype=np.int32)
            governor[sentence.start : sentence.end] = np.where(heads >= 0, heads + sentence.start, -1)
            role[sentence.start : sentence.end] = [
                _ROLES.get(label, 0) for label in sentence.dependencies.labels
            ]
    paragraph, quote = _paragraphs_and_quotes(document)
    return TokenContext(sentence_of, paragraph, quote, governor, role)


def _paragraphs_and_quotes(document: Document) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Straight quotation marks open and close in turn; a new paragraph closes what is open."""
    text = document.text
    paragraph = np.zeros(len(document.tokens), dtype=np.int32)
    quote = np.zeros(len(document.tokens), dtype=np.int32)
    paragraphs, quotes, inside, behind = 0, 0, False, 0
    for index, token in enumerate(document.tokens):
        if token.start > behind and BLANK_LINE.search(text, behind, token.start):
            paragraphs += 1
            inside = False
        behind = token.end
        word = token.text
        if word in _OPENING or (word == '"' and not inside):
            quotes += 1
            inside = True
        elif word == '"' or word in _CLOSING:
            inside = False
        paragraph[index] = paragraphs
        quote[index] = quotes if inside else 0
    return paragraph, quote
