"""Pairs of words, production rules, dependency rules and context of Lin, Kan & Ng (2009); first words.

A rule gives up to three features: it is in the first argument, in the second, in both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np
import Stemmer
from numpy.typing import NDArray

from disco2.data import Argument, Constituents, Document, Instance, Relation
from disco2.data.tree import pieces


@dataclass(frozen=True, slots=True)
class Presence:
    """Which candidate is in which relation, as parallel arrays; no pair occurs twice."""

    candidates: NDArray[np.int64]
    relations: NDArray[np.int64]
    count: int  # of candidates, numbered from 0

    def frequent(self, minimum_count: int) -> NDArray[np.int64]:
        """The candidates in at least so many relations."""
        counts = np.bincount(self.candidates, minlength=self.count)
        return np.flatnonzero(counts >= minimum_count)


# Pairs of Porter stems, one from each argument; punctuation and function words are kept.

REMEMBERED = 20_000  # words whose stem is cached

_stemmer = Stemmer.Stemmer("porter", 0)  # without its own cache
_stemming = Lock()  # a stemmer keeps the word it works on in itself


@lru_cache(maxsize=REMEMBERED)
def stem(word: str) -> str:
    """The Porter stem of the lower-cased word. Text with a lone surrogate is returned unchanged."""
    lowered = word.lower()
    try:
        with _stemming:
            found: str = _stemmer.stemWord(lowered)
    except UnicodeEncodeError:
        return lowered
    return found


def argument_stems(doc: Document, argument: Argument) -> set[str]:
    """The stems of an argument's words, each once."""
    return set(map(stem, doc.words(argument.tokens)))


def pair_candidates(
    instances: Sequence[Instance], *, minimum_count: int
) -> tuple[Sequence[tuple[str, str]], Presence]:
    """The pairs in at least ``minimum_count`` relations, numbered, and the relations each is in.

    Most raw pairs are rare, and there are millions; they never become Python objects. A pair in a relation is
    one integer, (first stem, second stem, relation) in mixed radix, so that one sort brings equal pairs
    together.
    """
    numbers: dict[str, int] = {}
    sides: tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]] = ([], [])
    for instance in instances:
        for side, argument in zip(sides, (instance.relation.arg1, instance.relation.arg2), strict=True):
            words = argument_stems(instance.document, argument)
            found = [numbers.setdefault(word, len(numbers)) for word in words]
            side.append(np.array(found, dtype=np.int64))

    # A pair can't be more frequent than its stems are on their sides.
    for side in sides if instances else ():
        frequent = np.bincount(np.concatenate(side), minlength=len(numbers)) >= minimum_count
        side[:] = [stems_of_one[frequent[stems_of_one]] for stems_of_one in side]

    firsts, seconds = sides
    stem_count, relation_count = len(numbers), len(instances)
    ends = np.cumsum([len(first) * len(second) for first, second in zip(firsts, seconds, strict=True)])
    packed = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.int64)
    for relation, (first, second, end) in enumerate(zip(firsts, seconds, ends, strict=True)):
        pairs = np.add.outer(first * stem_count, second)
        packed[end - pairs.size : end] = (pairs * relation_count + relation).ravel()
    packed.sort()

    keys = packed // max(relation_count, 1)
    is_first = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    starts = np.flatnonzero(is_first)
    counts = np.diff(starts, append=len(keys))
    frequent = counts >= minimum_count
    stems = tuple(numbers)
    pairs_found = [
        (stems[key // stem_count], stems[key % stem_count]) for key in keys[starts[frequent]].tolist()
    ]
    candidates = np.repeat(np.arange(len(pairs_found)), counts[frequent])
    relations = packed[np.repeat(frequent, counts)] % max(relation_count, 1)
    return pairs_found, Presence(candidates, relations, len(pairs_found))


# Production rules of the constituent trees: ``NP -> DT NN`` and ``NN -> burger``.


def argument_productions(doc: Document, argument: Argument) -> set[str]:
    """The rules of all phrases that lie wholly within the argument, and ``tag -> word`` for its tokens.

    Trees are taken as they are: unary chains are kept and nothing is binarised. Words keep their case.
    Sentences without a tree give nothing.
    """
    rules: set[str] = set()
    for sentence, positions in pieces(doc, argument.tokens):
        if (tree := sentence.constituents) is not None:
            rules.update(_phrase_rules(tree, positions))
            for position in positions:
                rules.add(f"{tree.tags[position]} -> {doc.tokens[sentence.start + position].text}")
    return rules


def _phrase_rules(tree: Constituents, positions: Sequence[int]) -> Iterator[str]:
    # run_end[i] is where the unbroken run of argument tokens through token i ends; 0 outside the argument.
    run_end = [0] * (len(tree.tags) + 1)
    for position in reversed(positions):
        run_end[position] = run_end[position + 1] or position + 1

    # Pre-order visits the children of a phrase in text order, so that each child first hands its parent the
    # tags of the bare tokens between it and the child before.
    children: dict[int, list[str]] = {}
    handed = list(tree.starts)
    for node, (start, end, parent) in enumerate(zip(tree.starts, tree.ends, tree.parents, strict=True)):
        if not start < end <= run_end[start]:
            continue
        children[node] = []
        if parent in children:
            children[parent].extend(tree.tags[handed[parent] : start])
            children[parent].append(tree.labels[node])
            handed[parent] = end
    for node, labels in children.items():
        labels.extend(tree.tags[handed[node] : tree.ends[node]])
        yield f"{tree.labels[node]} -> {' '.join(labels)}"


# Rules of the dependency trees: ``gave <- <nsubj> <iobj> <obj>``.


def argument_dependency_rules(doc: Document, argument: Argument) -> set[str]:
    """One rule for each word of the argument that has dependents within the argument.

    The head is a surface form, case kept; the labels stand in the order of the dependents. Dependents outside
    the argument are not seen. Sentences without dependencies give nothing.
    """
    rules: set[str] = set()
    for sentence, positions in pieces(doc, argument.tokens):
        if sentence.dependencies is None:
            continue
        heads, labels = sentence.dependencies.heads, sentence.dependencies.labels
        inside = set(positions)
        dependents: defaultdict[int, list[str]] = defaultdict(list)
        for position in positions:
            if heads[position] in inside:
                dependents[heads[position]].append(labels[position])
        for head, found in dependents.items():
            rules.add(f"{doc.tokens[sentence.start + head].text} <- <{'> <'.join(found)}>")
    return rules


def sided_rules(
    instance: Instance, rules_of: Callable[[Document, Argument], set[str]]
) -> set[tuple[str, str]]:
    """The three features of a rule: "arg1", "arg2" or "both", each with the rule."""
    first = rules_of(instance.document, instance.relation.arg1)
    second = rules_of(instance.document, instance.relation.arg2)
    sides = {"arg1": first, "arg2": second, "both": first & second}
    return {(side, rule) for side, rules in sides.items() for rule in rules}


def first_words(instance: Instance, count: int) -> set[tuple[str, int, str]]:
    """Argument, place from 1, and form of each argument's first lower-cased words; fewer if it is shorter."""
    doc, relation = instance.document, instance.relation
    return {
        (side, place, word.lower())
        for side, argument in (("arg1", relation.arg1), ("arg2", relation.arg2))
        for place, word in enumerate(doc.words(argument.tokens[:count]), start=1)
    }


# How the neighbouring relations of the document touch this one.
CONTEXT_NAMES = (
    "previous embedded in arg1",
    "following embedded in arg2",
    "embedded in previous arg2",
    "embedded in following arg1",
    "previous arg2 equals arg1",
    "arg2 equals following arg1",
)


def context(instance: Instance) -> list[int]:
    """The places in ``CONTEXT_NAMES`` of what holds for this relation, ascending.

    A relation is embedded in an argument when every token of its two arguments is one of the argument's;
    arguments are equal when they have the same tokens.
    """
    this, previous, following = instance.relation, instance.previous, instance.following
    holds = (
        previous is not None and _embedded(previous, this.arg1),
        following is not None and _embedded(following, this.arg2),
        previous is not None and _embedded(this, previous.arg2),
        following is not None and _embedded(this, following.arg1),
        previous is not None and previous.arg2.tokens == this.arg1.tokens,
        following is not None and this.arg2.tokens == following.arg1.tokens,
    )
    return [place for place, held in enumerate(holds) if held]


def _embedded(relation: Relation, argument: Argument) -> bool:
    outer = set(argument.tokens)
    return outer.issuperset(relation.arg1.tokens) and outer.issuperset(relation.arg2.tokens)
