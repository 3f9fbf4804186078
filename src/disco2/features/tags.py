"""Parts of speech, from the constituent tree of the sentence or else from the token itself."""

from __future__ import annotations

from disco2.records import Document, Sentence


def tag_of(doc: Document, sentence: Sentence, position: int) -> str:
    """The tag of a token, counted from the sentence's first one; empty where nobody tagged it."""
    if sentence.constituents is not None:
        return sentence.constituents.tags[position]
    return doc.tokens[sentence.start + position].tag
