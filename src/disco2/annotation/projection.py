"""A sentence's layer carried over to other tokens of the same characters."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from disco2.annotation.depths import depths_below_root
from disco2.annotation.single_root import single_rooted
from disco2.records import Constituents, Dependencies

SPLIT_WORD = "flat"  # the label of a token that is one word with the token it hangs on
ADDED_PUNCTUATION = "punct"  # the label of a token that the parse lacks


def join_constituents(trees: Sequence[Constituents]) -> Constituents:
    """One tree over the words of all; a ROOT above them where there are several."""
    if len(trees) == 1:
        return trees[0]
    tags = [tag for tree in trees for tag in tree.tags]
    labels, starts, ends, parents = ["ROOT"], [0], [len(tags)], [-1]
    shift = 0
    for tree in trees:
        first = len(labels)
        labels.extend(tree.labels)
        starts.extend(start + shift for start in tree.starts)
        ends.extend(end + shift for end in tree.ends)
        parents.extend(parent + first if parent >= 0 else 0 for parent in tree.parents)
        shift += len(tree.tags)
    return Constituents(tuple(labels), tuple(starts), tuple(ends), tuple(parents), tuple(tags))


def project_constituents(tree: Constituents, owners: Sequence[int]) -> Constituents:
    """The tree over other tokens; ``owners[i]``, never falling, is the tree's word that token i begins in.

    A phrase covers the tokens that begin in its words, so that phrases stay nested; those left without any
    token are gone.
    """
    labels: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    parents: list[int] = []
    new_index: dict[int, int] = {}
    for node, label in enumerate(tree.labels):
        start = bisect_left(owners, tree.starts[node])
        end = bisect_left(owners, tree.ends[node])
        if node == 0:
            start, end = 0, len(owners)
        if start == end:
            continue
        new_index[node] = len(labels)
        labels.append(label)
        starts.append(start)
        ends.append(end)
        parents.append(new_index[tree.parents[node]] if node else -1)
    tags = tuple(tree.tags[owner] for owner in owners)
    return Constituents(tuple(labels), tuple(starts), tuple(ends), tuple(parents), tags)


def project_dependencies(parses: Sequence[Dependencies], ranges: Sequence[tuple[int, int]]) -> Dependencies:
    """The parses, one after the other, over other tokens; token i is made of the words ``ranges[i]``.

    A token made of several words takes the head of the highest of them, which keeps the result free of
    circles. The tokens that make up one word hang on the last of them. A token with an empty range is
    punctuation that the parses lack; it hangs on the word it stands at. There is one root: those of later
    parses hang on it.
    """
    heads: list[int] = []
    labels: list[str] = []
    for parse in parses:
        shift = len(heads)
        heads.extend(head + shift if head >= 0 else -1 for head in parse.heads)
        labels.extend(parse.labels)
    depths = depths_below_root(tuple(heads))
    token_of = {word: token for token, (first, last) in enumerate(ranges) for word in range(first, last)}

    new_heads: list[int] = []
    new_labels: list[str] = []
    for token, (first, last) in enumerate(ranges):
        words = [word for word in range(first, last) if token_of[word] == token]
        if not words:
            new_heads.append(token_of[first])
            new_labels.append(SPLIT_WORD if first < last else ADDED_PUNCTUATION)
            continue
        word = min(words, key=lambda word: depths[word])
        head = heads[word]
        while head >= 0 and head not in token_of:  # a word that these tokens do not have
            head = heads[head]
        new_heads.append(token_of[head] if head >= 0 else -1)
        new_labels.append(labels[word])
    return single_rooted(new_heads, new_labels)
