"""Small made-up corpora of instances, for tests that train."""

from __future__ import annotations

import numpy as np

from disco2.data import Argument, Document, Instance, Mention, Relation, RelationKind, Sentence, Token
from tests.inference.rule_annotator import flat_trees

SUBJECTS = ("Ann", "Ben", "Cleo", "Dan")
REASONS = ("hungry", "tired", "cold", "late")
RESULTS = ("ate", "slept", "left", "ran")


def instance(number: int, first: list[str], second: list[str], label: str) -> Instance:
    """A document of two sentences whose first words are the same entity."""
    words = [*first, *second]
    starts = np.cumsum([0, *(len(word) + 1 for word in words)]).tolist()
    tokens = tuple(
        Token(word, start, start + len(word), "NN") for word, start in zip(words, starts[:-1], strict=True)
    )
    cut, end = len(first), len(words)
    document = Document(
        f"d{number}",
        " ".join(words),
        tokens,
        (Sentence(0, cut, *flat_trees(cut)), Sentence(cut, end, *flat_trees(end - cut))),
        (Mention(0, 1, 0, "x"), Mention(cut, cut + 1, cut, "x")),
    )
    relation = Relation(
        id=f"d{number}:1",
        document=document.id,
        kind=RelationKind.IMPLICIT,
        arg1=Argument(tuple(range(cut)), " ".join(first)),
        arg2=Argument(tuple(range(cut, end)), " ".join(second)),
        senses=(label,) if label else (),
    )
    return Instance(relation, document, (label,) if label else ())


def reasons_and_results(count: int, *, seed: int) -> list[Instance]:
    """Two labels that the words of the second sentence decide."""
    generator = np.random.default_rng(seed)
    made = []
    for number in range(count):
        subject, reason, result = (str(generator.choice(words)) for words in (SUBJECTS, REASONS, RESULTS))
        if number % 2:
            first, second = [subject, result, "then", "."], ["She", "was", reason, "."]
        else:
            first, second = [subject, "was", reason, "."], ["She", result, "then", "."]
        made.append(instance(number, first, second, "Cause" if number % 2 else "Result"))
    return made
