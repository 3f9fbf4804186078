"""Features of clauses: predicates, attachment, openings, layout, overlap. Each feature is a short text.

Parts of speech come from the constituent tree of the sentence, or else from the token itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log2
from typing import NamedTuple

from disco2.data import Argument, Document, Instance, Relation, Sentence
from disco2.data.tree import pieces
from disco2.features.pairs_and_rules import stem


def tag_of(doc: Document, sentence: Sentence, position: int) -> str:
    """The tag of a token, counted from the sentence's first one; empty if it has no tag."""
    if sentence.constituents is not None:
        return sentence.constituents.tags[position]
    return doc.tokens[sentence.start + position].tag


def _sides(relation: Relation) -> tuple[tuple[str, Argument], tuple[str, Argument]]:
    return ("arg1", relation.arg1), ("arg2", relation.arg2)


def _up_to(most: int, count: int) -> str:
    return str(count) if count < most else f"{most} or more"


@dataclass(frozen=True, slots=True)
class ArgumentHead:
    """A word of an argument that depends on no other word of it; positions count within its sentence."""

    sentence: Sentence
    position: int
    governor: int  # the word outside the argument that it depends on; -1 if it is the sentence's root
    label: str
    tag: str  # empty if it has no tag
    dependents: list[tuple[int, str]]  # words of the argument that depend on it, with their labels


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
        below: dict[int, list[tuple[int, str]]] = {position: [] for position in piece}
        tops = []
        for position in piece:
            if heads[position] in below:
                below[heads[position]].append((position, labels[position]))
            elif labels[position] != "punct":
                tops.append(position)
        for top in tops:
            tag = tag_of(doc, sentence, top)
            found.append(ArgumentHead(sentence, top, heads[top], labels[top], tag, below[top]))
    return found


# What is predicated in each argument: tense, negation, subject, auxiliaries, modifiers, kinds of dependents.
#
# The predicate of an argument is its first head with a tag of a verb, or its first head where none is a verb:
# in Universal Dependencies the head of *she was hungry* is *hungry*. Only its dependents within the argument
# count. Tags may be those of the Penn Treebank or of TreeTagger's English tagset (VVD, VHZ, PP).

_MODALS = frozenset(
    ["can", "could", "may", "might", "must", "shall", "should", "will", "would", "'ll", "'d", "ca", "wo"]
)
_NEGATIONS = frozenset(
    ["not", "n't", "no", "never", "none", "nothing", "nobody", "neither", "nor", "without", "hardly"]
)
_PAST_AUXILIARIES = frozenset(["was", "were", "had", "did"])
_PRESENT_AUXILIARIES = frozenset(["is", "are", "am", "'s", "'re", "'m", "have", "has", "do", "does"])
_PAST_TAGS = frozenset({"VBD", "VVD", "VHD"})
_PRESENT_TAGS = frozenset({"VBZ", "VBP", "VVZ", "VVP", "VHZ", "VHP"})
_BASE_TAGS = frozenset({"VB", "VV", "VH"})
# Subjects with these tags are named; all others are nouns. PP is TreeTagger's personal pronoun.
_PRONOUN_TAGS = ("PRP", "PP", "DT", "EX", "W")
_MODIFIERS = frozenset({"advmod", "discourse", "mark", "cc"})
# Which of these a predicate has, taken together, tells kinds of clauses apart.
_FRAME = frozenset({"nsubj", "obj", "iobj", "obl", "xcomp", "ccomp", "expl", "vocative"})
_FRAME |= {"cop", "aux", "advmod", "mark", "discourse", "conj"}
_NEGATED = ("neither argument", "only arg1", "only arg2", "both arguments")


class _Predicate(NamedTuple):
    stem: str
    tag: str
    tense: str
    negated: bool
    subject: str  # a pronoun in quotes, "noun" or "none"
    facts: list[str]


def predicate_features(instance: Instance) -> set[str]:
    """What holds for the predicate of each argument, and for the two together.

    An argument without dependencies has no predicate; without tags there is no tense, subject or tag.
    """
    predicates = {side: _predicate(instance.document, one) for side, one in _sides(instance.relation)}
    found = {f"{side} {fact}" for side, one in predicates.items() if one is not None for fact in one.facts}
    first, second = predicates.values()
    if first is None or second is None:
        return found
    if first.tag and second.tag:
        found.add(f"tenses: {first.tense}, {second.tense}")
        found.add(f"subjects: {first.subject}, {second.subject}")
        found.add(f"predicate tags: {first.tag}, {second.tag}")
        if first.subject == second.subject and first.subject not in ("noun", "none"):
            found.add("same pronoun as subject")
    found.add(f"negated: {_NEGATED[first.negated + 2 * second.negated]}")
    if first.stem == second.stem:
        found.add("same predicate")
    return found


def _predicate(doc: Document, argument: Argument) -> _Predicate | None:
    heads = argument_heads(doc, argument)
    if not heads:
        return None
    head = next((head for head in heads if head.tag.startswith("V")), heads[0])
    sentence = head.sentence

    def form(position: int) -> str:
        return doc.tokens[sentence.start + position].text.lower()

    dependents = [(form(position), label) for position, label in head.dependents]
    auxiliaries = [word for word, label in dependents if label.startswith("aux") or label == "cop"]
    infinitive = any(word == "to" and label in ("mark", "aux") for word, label in dependents)
    tense = "infinitive" if infinitive else _tense(head.tag, auxiliaries)
    negated = any(word in _NEGATIONS for word, _ in dependents)
    subject = "none"
    place = next((position for position, label in head.dependents if "subj" in label), None)
    if place is not None:
        pronoun = tag_of(doc, sentence, place).startswith(_PRONOUN_TAGS)
        subject = f"'{form(place)}'" if pronoun else "noun"
    labels = {label.partition(":")[0] for _, label in dependents}
    facts = [f"dependent: {label}" for label in labels]
    facts.append(f"frame: {' '.join(sorted(labels & _FRAME)) or 'none'}")
    facts.extend(f"auxiliary: '{word}'" for word in auxiliaries)
    facts.extend(f"modifier: '{word}'" for word, label in dependents if label in _MODIFIERS)
    if negated:
        facts.append("negated")
    if head.tag:
        facts += [f"tense: {tense}", f"subject: {subject}"]
    return _Predicate(stem(form(head.position)), head.tag, tense, negated, subject, facts)


def _tense(tag: str, auxiliaries: Sequence[str]) -> str:
    """Modals first, then past over present, so that *had been* is past; forms without tense by their tag."""
    if not _MODALS.isdisjoint(auxiliaries):
        return "modal"
    if tag in _PAST_TAGS or not _PAST_AUXILIARIES.isdisjoint(auxiliaries):
        return "past"
    if tag in _PRESENT_TAGS or not _PRESENT_AUXILIARIES.isdisjoint(auxiliaries):
        return "present"
    if not tag.startswith("V"):
        return "no verb"
    if tag.endswith("G"):
        return "gerund"
    if tag.endswith("N"):
        return "participle"
    return "base" if tag in _BASE_TAGS else "none"


# How the arguments hang together in the dependency trees.
#
# If both are clauses of one sentence, the head of one often depends on a word of the other, and the label
# says how: *advcl*, *conj*, *parataxis*. Between sentences only the labels of the heads are left.


def attachment_features(instance: Instance) -> set[str]:
    """Label and tag of each argument's first head, how many heads it has, and how any of them hangs in the
    other argument; nothing for an argument without dependencies.
    """
    doc, (one, other) = instance.document, _sides(instance.relation)
    found: set[str] = set()
    labels: list[str] = []
    for (side, argument), (other_side, rest) in ((one, other), (other, one)):
        heads = argument_heads(doc, argument)
        for top in heads[:1]:
            labels.append(top.label)
            found |= {f"{side} head: {top.label}", f"{side} heads: {_up_to(3, len(heads))}"}
            if top.tag:
                found.add(f"{side} head: {top.label} {top.tag}")
        facts = _attachment_facts(doc, heads, rest)
        found.update(f"{side} hangs in {other_side} as {fact}" for fact in facts)
    if len(labels) == 2:
        found.add(f"heads: {', '.join(labels)}")
    return found


def _attachment_facts(doc: Document, heads: list[ArgumentHead], other: Argument) -> Iterator[str]:
    """For each head that depends on a word of the other argument: label, tags and words of the link."""
    governors = set(other.tokens)
    for head in heads:
        start = head.sentence.start
        if head.governor < 0 or start + head.governor not in governors:
            continue
        yield head.label
        yield f"{head.label} '{doc.tokens[start + head.position].text.lower()}'"
        yield f"{head.label} of '{doc.tokens[start + head.governor].text.lower()}'"
        if head.tag:
            yield f"{head.label} {head.tag}"
            yield f"{head.label} {head.tag} of {tag_of(doc, head.sentence, head.governor)}"


# How the arguments begin: their first words and tags, and those of the two together.

_OPENING_WORDS = 3


def opening_features(instance: Instance) -> set[str]:
    """The first two and three lower-cased words of each argument, its first tag and first three tags.

    Of the two arguments together, the first words and the first tags. Of an argument too short for two or
    three, all of it. No tag features if one of the words has no tag.
    """
    doc, relation = instance.document, instance.relation
    found: set[str] = set()
    first_words: list[str] = []
    first_tags: list[str] = []
    for side, argument in _sides(relation):
        opening = argument.tokens[:_OPENING_WORDS]
        words = [word.lower() for word in doc.words(opening)]
        first_words.append(f"'{words[0]}'")
        found.update(f"{side} {fact}" for fact in _runs(words, (2, 3), quote="'"))
        tags = [tag_of(doc, sentence, one) for sentence, places in pieces(doc, opening) for one in places]
        if all(tags):
            first_tags.append(tags[0])
            found.update(f"{side} {fact}" for fact in _runs(tags, (1, 3)))
    pairs = (pair for pair in (first_words, first_tags) if len(pair) == 2)
    return found | {f"arguments begin with {', '.join(pair)}" for pair in pairs}


def _runs(opening: Sequence[str], lengths: tuple[int, ...], quote: str = "") -> Iterator[str]:
    for length in lengths:
        verb = "begins with" if length <= len(opening) else "is"
        yield f"{verb} {quote}{' '.join(opening[:length])}{quote}"


# The places of the arguments: their order, the distance between them, and their sentences.

_NEAR = 2  # words between arguments that are still close: a comma, a quotation mark
_FIRST_SENTENCES = 2  # of a document: its heading and how it begins


def layout_features(instance: Instance) -> set[str]:
    """The places of the two arguments and the extent of each; no annotation layer is needed."""
    doc, relation = instance.document, instance.relation
    begin1, end1 = relation.arg1.tokens[0], relation.arg1.tokens[-1]
    begin2, end2 = relation.arg2.tokens[0], relation.arg2.tokens[-1]
    sentence = doc.sentence_index
    is_first = begin1 < begin2
    order = "arg1 comes first" if is_first else "arg2 comes first"
    left, right = (end1, begin2) if is_first else (end2, begin1)
    meet = sentence(begin2) in (sentence(begin1), sentence(end1)) or sentence(end2) == sentence(begin1)
    where = "arguments share a sentence" if meet else "arguments in different sentences"
    # The tokens of a connective between the arguments don't count, for an implicit relation has none.
    gap = right - left - 1 - sum(left < token < right for token in set(relation.connective_tokens))
    distance = "arguments nested"
    if left < right:
        close = "arguments close to each other" if gap <= _NEAR else "arguments apart"
        distance = close if gap else "arguments adjacent"
    lengths = (sentence(end1) - sentence(begin1) + 1, sentence(end2) - sentence(begin2) + 1)
    at_start = sentence(begin1) < _FIRST_SENTENCES
    found = {
        order,
        where,
        distance,
        f"{where}, {order}, {distance}",
        f"sentences of the arguments: {', '.join(_up_to(3, length) for length in lengths)}",
        "at the document's start" if at_start else "further on in the document",
    }
    if left < right:
        between = _up_to(3, sentence(right) - sentence(left))
        found.add(f"sentences from one argument to the other: {between}")
    found.update(f"{side} {fact}" for side, one in _sides(relation) for fact in _extent(doc, one))
    return found


def _extent(doc: Document, argument: Argument) -> tuple[str, str]:
    """Is it in one piece, does it begin its sentence, does it reach the end of it, its last mark aside."""
    begin, end = argument.tokens[0], argument.tokens[-1]
    sentence, _ = next(pieces(doc, argument.tokens[:1]))
    pieced = "in one piece" if end - begin + 1 == len(argument.tokens) else "in several pieces"
    opens, closes = begin == sentence.start, end >= sentence.end - 2
    place = {(True, True): "fills", (True, False): "begins", (False, True): "ends", (False, False): "inside"}
    return pieced, f"{place[opens, closes]} its sentence"


# How many words the arguments share, and how long they are.

# First letters of the tags of nouns, verbs, adjectives and adverbs, of the Penn Treebank and of TreeTagger.
_CONTENT = "NVJR"
_FIFTHS = ("under 20%", "20 to 40%", "40 to 60%", "60 to 80%", "over 80%", "all")
_LENGTHS = {1: "1", 2: "2", 3: "3", 5: "4 to 5", 8: "6 to 8", 12: "9 to 12", 18: "13 to 18", 30: "19 to 30"}


def overlap_features(instance: Instance) -> set[str]:
    """Shared stems of content words, of nouns and of verbs; the length of each argument and their ratio.

    No features on shared words if a word of the arguments has no tag.
    """
    doc, relation = instance.document, instance.relation
    lengths = len(relation.arg1.tokens), len(relation.arg2.tokens)
    found = {_ratio(*lengths)}
    for side, length in enumerate(lengths, start=1):
        size = next((name for most, name in _LENGTHS.items() if length <= most), "31 or more")
        found.add(f"words in arg{side}: {size}")
    first, second = _content_stems(doc, relation.arg1), _content_stems(doc, relation.arg2)
    if first is None or second is None:
        return found
    ours, theirs = {word for _, word in first}, {word for _, word in second}
    shared, together = len(ours & theirs), len(ours | theirs)
    nouns, verbs = (sum(tag == kind for tag, _ in first & second) for kind in "NV")
    found.add(f"shared content words: {_up_to(3, shared)}")
    found.add(f"share of the content words in both: {_FIFTHS[5 * shared // max(together, 1)]}")
    found.add(f"shared nouns: {_up_to(3, nouns)}")
    found.add(f"shared verbs: {_up_to(2, verbs)}")
    return found


def _content_stems(doc: Document, argument: Argument) -> set[tuple[str, str]] | None:
    """The stem of each content word with the first letter of its tag; None if a word has no tag."""
    found: set[tuple[str, str]] = set()
    for sentence, positions in pieces(doc, argument.tokens):
        for position in positions:
            kind = tag_of(doc, sentence, position)[:1]
            if not kind:
                return None
            if kind in _CONTENT:
                found.add((kind, stem(doc.tokens[sentence.start + position].text)))
    return found


def _ratio(first: int, second: int) -> str:
    """To the nearest power of two."""
    power = round(log2(second / first))
    if power == 0:
        return "arguments of like length"
    longer, shorter = ("arg2", "arg1") if power > 0 else ("arg1", "arg2")
    times = {1: "twice", 2: "4 times"}.get(abs(power), "8 times or more")
    return f"{longer} {times} as long as {shorter}"


# The functions by the names of their settings, and whether features are chosen by what they tell about the
# classes; the other families have few features, and all frequent ones are kept.
TEXT_FAMILIES: dict[str, tuple[Callable[[Instance], set[str]], bool]] = {
    "predicates": (predicate_features, True),
    "attachment": (attachment_features, True),
    "openings": (opening_features, True),
    "layout": (layout_features, False),
    "overlap": (overlap_features, False),
}
