"""Heads: cycles, depths and roots of dependencies, and the head word of a span.

The head of a span comes from dependencies, else from phrases, else it is the last word.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from disco2.data import Constituents, Dependencies, Document


@lru_cache(maxsize=16)  # asked for again with every mention of a sentence
def depths_below_root(heads: tuple[int, ...]) -> tuple[int, ...]:
    """The number of steps from each word to the root, whose head is -1; takes linear time.

    A word whose heads end in a cycle is deeper than any other.
    """
    unknown, on_the_way = -1, -2
    depths = [unknown] * len(heads)
    for word in range(len(heads)):
        path = []
        while word >= 0 and depths[word] == unknown:
            depths[word] = on_the_way
            path.append(word)
            word = heads[word]
        depth = -1
        if word >= 0:
            depth = depths[word] if depths[word] != on_the_way else len(heads)
        for passed in reversed(path):
            depth = min(depth + 1, len(heads))
            depths[passed] = depth
    return tuple(depths)


def token_in_cycle(heads: Sequence[int]) -> int | None:
    """The first token whose heads never lead to a root (-1), if there is one."""
    depths = depths_below_root(tuple(heads))
    return depths.index(len(heads)) if len(heads) in depths else None


ROOT = "root"  # as Universal Dependencies name it


def single_rooted(heads: Sequence[int], labels: Sequence[str]) -> Dependencies:
    """The dependencies with one root: further words without a head (-1) are attached to the first."""
    if heads.count(-1) < 2:
        return Dependencies(tuple(heads), tuple(labels))
    root = heads.index(-1)
    new_heads, new_labels = list(heads), list(labels)
    for place, head in enumerate(heads):
        if head < 0 and place != root:
            new_heads[place], new_labels[place] = root, "parataxis"
    return Dependencies(tuple(new_heads), tuple(new_labels))


# For each phrase, the side to search from and the children to look for (labels or tags), best first: the head
# rules of Collins (1999), Appendix A, simplified.
_NOMINAL = "NN NNS NNP NNPS NX POS JJR"
_RULES = {
    "ADJP": "left NNS | QP | NN | JJ VBN VBG ADJP JJR JJS | RB RBR",
    "ADVP": "right RB RBR RBS | ADVP | IN NP JJ NN",
    "CONJP": "right CC RB IN",
    "PP": "left IN TO VBG VBN RP",
    "PRN": "left S NP SBAR VP",
    "QP": "left $ | NNS NN CD | JJ RB DT",
    "S": "left VP | S SBAR | ADJP UCP NP | TO IN",
    "SBAR": "left S SQ SINV SBAR FRAG | WHNP WHPP WHADVP WHADJP | IN DT",
    "SBARQ": "left SQ S SINV SBARQ FRAG",
    "SINV": "left VP VBZ VBD VBP VB MD | S SINV | ADJP NP",
    "SQ": "left VP | VBZ VBD VBP VB MD | SQ",
    "VP": "left VP | VBD VBN VBZ VB VBG VBP | MD TO | ADJP NN NNS NP",
    "WHADJP": "right JJ ADJP | CC WRB",
    "WHADVP": "right WRB CC",
    "WHNP": f"right {_NOMINAL} | NP | WDT WP WP$ WHADJP WHPP WHNP",
    "WHPP": "left IN TO",
    # The last noun, else the first noun phrase, else the next best from the right.
    **dict.fromkeys(("NP", "NX", "NAC"), f"right {_NOMINAL} | <NP | $ ADJP PRN | CD | JJ JJS RB QP PRP DT"),
}
LONGEST = 2_000  # words
_PUNCTUATION = frozenset({",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP", "SYM", "#"})


def head_of_span(document: Document, start: int, end: int) -> int:
    """The head among the document's tokens ``start`` to ``end`` (exclusive).

    A span that crosses into the next sentence has its head in the first one. The head of a span of more than
    ``LONGEST`` words is its last word.
    """
    sentence = document.sentences[document.sentence_index(start)]
    end = min(end, sentence.end)
    if end - start == 1:
        return start
    if end - start > LONGEST:
        return end - 1
    first, last = start - sentence.start, end - sentence.start
    if sentence.dependencies is not None:
        return sentence.start + head_by_dependencies(sentence.dependencies, first, last)
    if sentence.constituents is not None:
        return sentence.start + head_by_constituents(sentence.constituents, first, last)
    return end - 1


def head_by_dependencies(dependencies: Dependencies, start: int, end: int) -> int:
    """The token whose head lies outside the span; of several the nearest to the root, punctuation last."""
    heads, labels = dependencies.heads, dependencies.labels
    candidates = [token for token in range(start, end) if not start <= heads[token] < end]
    if not candidates:  # a cycle
        return end - 1
    if len(candidates) == 1:
        return candidates[0]
    depths = depths_below_root(heads)
    return min(candidates, key=lambda token: (labels[token] == "punct", depths[token], token))


def head_by_constituents(constituents: Constituents, start: int, end: int) -> int:
    """The head by rules for each phrase, from the largest phrases inside the span downwards."""
    labels, starts, ends = constituents.labels, constituents.starts, constituents.ends
    label, node = "NP", -1
    while end - start > 1:
        # The children: largest phrases strictly below, and the tokens that none of them covers.
        # Phrases are in pre-order, so their starts are sorted: phrases inside a child are skipped.
        children: list[tuple[str, int, int, int]] = []
        position = start
        index = bisect_left(starts, start, node + 1)
        while index < len(starts) and starts[index] < end:
            if ends[index] > end:
                index += 1
                continue
            children.extend(
                (constituents.tags[token], token, token + 1, -1) for token in range(position, starts[index])
            )
            children.append((labels[index], starts[index], ends[index], index))
            position = ends[index]
            index = bisect_left(starts, position, index + 1)
        children.extend((constituents.tags[token], token, token + 1, -1) for token in range(position, end))
        label, start, end, node = children[_head_child(label, [child[0] for child in children])]
    return start


def _head_child(parent: str, children: Sequence[str]) -> int:
    side, _, rule = _RULES.get(parent, "right").partition(" ")
    from_left = range(len(children))
    order = from_left if side == "left" else from_left[::-1]
    possessive = parent in ("NP", "NX", "NAC") and children[-1] == "POS"  # "the goat 's": not its own head
    for rank, wanted in enumerate(rule.split(" | ")):
        labels = wanted.removeprefix("<").split()
        for index in from_left if wanted.startswith("<") else order:
            if children[index] in labels and not (possessive and not rank and index == len(children) - 1):
                return index
    return next((index for index in order if children[index] not in _PUNCTUATION), order[0])
