"""How many words the arguments share, and how long they are."""

from __future__ import annotations

from math import log2

from disco2.features.tags import tag_of
from disco2.features.word_pairs import stem
from disco2.records import Argument, Document, Instance
from disco2.trees.pieces import pieces

# First letters of the tags of nouns, verbs, adjectives and adverbs, of the Penn Treebank and of TreeTagger.
_CONTENT = "NVJR"
_FIFTHS = ("under 20%", "20 to 40%", "40 to 60%", "60 to 80%", "over 80%", "all")
_LENGTHS = (
    (3, "3"),
    (5, "4 to 5"),
    (8, "6 to 8"),
    (12, "9 to 12"),
    (18, "13 to 18"),
    (30, "19 to 30"),
)


def overlap_features(instance: Instance) -> set[str]:
    """Shared stems of content words, of nouns and of verbs; the length of each argument and their ratio.

    Nothing is said of shared words where a word of the arguments has no tag.
    """
    doc, relation = instance.document, instance.relation
    lengths = len(relation.arg1.tokens), len(relation.arg2.tokens)
    if not all(lengths):
        return set()  # the trees refuse such a relation, with words of their own
    found = {
        f"words in arg1: {_length(lengths[0])}",
        f"words in arg2: {_length(lengths[1])}",
        _ratio(*lengths),
    }
    first, second = _content_stems(doc, relation.arg1), _content_stems(doc, relation.arg2)
    if first is None or second is None:
        return found
    ours, theirs = {word for _, word in first}, {word for _, word in second}
    shared, together = len(ours & theirs), len(ours | theirs)
    nouns, verbs = (
        len({word for tag, word in first if tag == kind} & {word for tag, word in second if tag == kind})
        for kind in "NV"
    )
    found.add(f"shared content words: {_up_to(3, shared)}")
    found.add(f"share of the content words in both: {_FIFTHS[5 * shared // max(together, 1)]}")
    found.add(f"shared nouns: {_up_to(3, nouns)}")
    found.add(f"shared verbs: {_up_to(2, verbs)}")
    return found


def _content_stems(doc: Document, argument: Argument) -> set[tuple[str, str]] | None:
    """The stem of each content word with the first letter of its tag; None where a word has no tag."""
    found: set[tuple[str, str]] = set()
    for sentence, positions in pieces(doc, argument.tokens):
        for position in positions:
            kind = tag_of(doc, sentence, position)[:1]
            if not kind:
                return None
            if kind in _CONTENT:
                found.add((kind, stem(doc.tokens[sentence.start + position].text)))
    return found


def _length(words: int) -> str:
    if words < 3:
        return str(words)
    return next((name for most, name in _LENGTHS if words <= most), "31 or more")


def _ratio(first: int, second: int) -> str:
    """To the nearest power of two."""
    power = round(log2(second / first))
    if power == 0:
        return "arguments of like length"
    longer, shorter = ("arg2", "arg1") if power > 0 else ("arg1", "arg2")
    times = {1: "twice", 2: "4 times"}.get(abs(power), "8 times or more")
    return f"{longer} {times} as long as {shorter}"


def _up_to(most: int, count: int) -> str:
    return str(count) if count < most else f"{most} or more"
