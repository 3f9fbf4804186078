"""Documents and relations for tests of features, made up or at random."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

from disco2.annotation.treebanks import parse_brackets
from disco2.data import (
    Argument,
    Constituents,
    Dependencies,
    Document,
    Instance,
    Relation,
    RelationKind,
    Sentence,
    Token,
)


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 (nothing secret here)


def read_brackets(text: str) -> tuple[Constituents, list[str]]:
    """A tree such as ``(S (NP (NN rain)) (VP (VBZ falls)))`` and its words."""
    (tree,) = parse_brackets(text, where="test")
    return tree.constituents, list(tree.words)


def make_document(
    *sentences: tuple[list[str], Constituents | None, Dependencies | None], name: str = "made-up"
) -> Document:
    tokens: list[Token] = []
    made: list[Sentence] = []
    at = 0
    for words, constituents, dependencies in sentences:
        made.append(Sentence(len(tokens), len(tokens) + len(words), constituents, dependencies))
        for word in words:
            tokens.append(Token(word, at, at + len(word)))
            at += len(word) + 1
    return Document(name, " ".join(token.text for token in tokens), tuple(tokens), tuple(made))


def make_argument(doc: Document, tokens: range | list[int]) -> Argument:
    return Argument(tuple(tokens), " ".join(doc.words(tuple(tokens))))


def make_relation(doc: Document, arg1: range | list[int], arg2: range | list[int]) -> Relation:
    return Relation(
        id=f"{doc.id}:{arg1}-{arg2}",
        document=doc.id,
        kind=RelationKind.IMPLICIT,
        arg1=make_argument(doc, arg1),
        arg2=make_argument(doc, arg2),
    )


def make_instance(
    doc: Document, arg1: range | list[int], arg2: range | list[int], gold: tuple[str, ...] = ()
) -> Instance:
    return Instance(make_relation(doc, arg1, arg2), doc, gold)


def random_tree(rng: random.Random, length: int, labels: list[str], tags: list[str]) -> Constituents:
    """Phrases of up to four children, some of them bare tokens, some unary chains."""
    found: list[tuple[str, int, int, int]] = []
    waiting = [(0, length, -1)]
    while waiting:
        start, end, parent = waiting.pop()
        node = len(found)
        found.append((rng.choice(labels), start, end, parent))
        if end - start == 1 or rng.random() < 0.1:
            if rng.random() < 0.1:
                waiting.append((start, end, node))
            continue
        count = min(rng.randint(1, 3), end - start - 1)
        cuts = [start, *sorted(rng.sample(range(start + 1, end), count)), end]
        children = list(pairwise(cuts))
        for left, right in reversed(children):
            if right - left > 1 or rng.random() < 0.4:
                waiting.append((left, right, node))
    names, starts, ends, parents = zip(*found, strict=True)
    return Constituents(names, starts, ends, parents, tuple(rng.choice(tags) for _ in range(length)))


def random_dependencies(rng: random.Random, length: int, labels: list[str]) -> Dependencies:
    """Any head for any word but the root, near ones more often."""
    root = rng.randrange(length)
    heads = []
    for place in range(length):
        near = [p for p in range(max(0, place - 3), min(length, place + 4)) if p != place]
        heads.append(-1 if place == root else rng.choice(near))
    return Dependencies(tuple(heads), tuple(rng.choice(labels) for _ in range(length)))


def random_instances(
    rng: random.Random,
    count: int,
    *,
    words: list[str],
    weights: list[float] | None = None,
    classes: list[str],
    longest: int = 8,
    missing: float = 0.2,
) -> list[Instance]:
    """Relations between neighbouring sentences, some discontinuous, without layers or with two labels."""
    instances = []
    for number in range(count):
        sentences = []
        for _ in range(rng.randint(2, 4)):
            length = rng.randint(1, longest)
            tree = random_tree(rng, length, ["S", "NP", "VP", "PP"], ["NN", "DT", "VB", "IN"])
            dependencies = random_dependencies(rng, length, ["nsubj", "obj", "det"])
            sentences.append(
                (
                    rng.choices(words, weights, k=length),
                    tree if rng.random() >= missing else None,
                    dependencies if rng.random() >= missing else None,
                )
            )
        doc = make_document(*sentences, name=f"doc{number}")
        cut = doc.sentences[len(doc.sentences) // 2].start
        arg1 = [token for token in range(cut) if rng.random() < 0.9] or [0]
        arg2 = [token for token in range(cut, len(doc.tokens)) if rng.random() < 0.9] or [cut]
        gold = tuple(rng.sample(classes, 2 if len(classes) > 1 and rng.random() < 0.1 else 1))
        instances.append(make_instance(doc, arg1, arg2, gold))
    return instances


Clause = tuple[list[str], Constituents, Dependencies]


def clause(rows: str) -> Clause:
    """``it/PRP/2/nsubj rained/VBD/0/root``: heads count from 1, as in CoNLL-U; the tree is flat."""
    words, tags, heads, labels = zip(*(row.rsplit("/", 3) for row in rows.split()), strict=True)
    tree = Constituents(("S",), (0,), (len(words),), (-1,), tags)
    return list(words), tree, Dependencies(tuple(int(head) - 1 for head in heads), labels)


def clauses(*rows: str) -> Document:
    return make_document(*(clause(row) for row in rows))


def tags_on_tokens(doc: Document) -> Document:
    """The same document with its tags at the tokens and no trees."""
    tokens = list(doc.tokens)
    for sentence in doc.sentences:
        if sentence.constituents is not None:
            for place, tag in enumerate(sentence.constituents.tags, sentence.start):
                tokens[place] = replace(tokens[place], tag=tag)
    return replace(untagged(doc), tokens=tuple(tokens))


def untagged(doc: Document) -> Document:
    return replace(doc, sentences=tuple(replace(sentence, constituents=None) for sentence in doc.sentences))


def without_layers(doc: Document) -> Document:
    return replace(doc, sentences=tuple(Sentence(sentence.start, sentence.end) for sentence in doc.sentences))
