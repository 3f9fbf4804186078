"""Where an argument hangs in the dependency trees of its sentences."""

from __future__ import annotations

from dataclasses import dataclass

from disco2.features.tags import tag_of
from disco2.records import Argument, Document, Sentence
from disco2.trees.pieces import pieces


@dataclass(frozen=True, slots=True)
class ArgumentHead:
    """A word of an argument that depends on no other word of it; positions count within its sentence."""

    sentence: Sentence
    position: int
    governor: int  # the word outside the argument that it depends on; -1 where it is the sentence's root
    label: str
    tag: str  # empty where nobody tagged it
    piece: list[int]  # all of the argument's words in this sentence

    def dependents(self) -> list[tuple[int, str]]:
        """The words of the argument that depend on this one, each with its label, in text order."""
        dependencies = self.sentence.dependencies
        if dependencies is None:
            return []
        heads, labels = dependencies.heads, dependencies.labels
        return [(position, labels[position]) for position in self.piece if heads[position] == self.position]


def argument_heads(doc: Document, argument: Argument) -> list[ArgumentHead]:
    """All heads of an argument in text order, punctuation left out.

    A clause has one; several sentences, or scattered words, have several. Sentences without dependencies have
    none.
    """
    found: list[ArgumentHead] = []
    for sentence, piece in pieces(doc, argument.tokens):
        if sentence.dependencies is None:
            continue
        heads, labels = sentence.dependencies.heads, sentence.dependencies.labels
        inside = set(piece)
        for position in piece:
            if heads[position] not in inside and labels[position] != "punct":
                tag = tag_of(doc, sentence, position)
                found.append(ArgumentHead(sentence, position, heads[position], labels[position], tag, piece))
    return found
