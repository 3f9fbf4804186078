"""Connectives in context: candidates from a list, whether each one links clauses here, and its sense.

Features follow Pitler & Nenkova (2009) and Lin, Ng & Kan (2014): the connective, its neighbours, its phrase
with parent and siblings, the path to the root; dependencies add who governs it and what the clauses look
like.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from disco2.parser.linear import Item
from disco2.parser.sentences import ParsedSentence

GAP = " ... "  # between the parts of a discontinuous connective
LONGEST_GAP = 60  # tokens between two parts
MOST_CANDIDATES = 400  # of one sentence: bounds the time, whatever the text
# Chosen by cross-validation on GUM's training part: what each token beyond the first adds to the rank of a
# candidate, and the least probability of one with a gap, whose parts look like connectives of their own.
LONGER = 0.3
LEAST_WITH_GAP = 0.3

# Connectives of PDTB-style annotation with their usual sense, so that those which GUM lacks or hardly has
# are known.
USUAL_SENSES = {
    "Comparison.Concession": """but, even so, however, nevertheless, nonetheless, still, then again, yet,
        although, though, even though, despite, in spite of, albeit, even if, regardless, much as""",
    "Comparison.Contrast": """by comparison, by contrast, conversely, in comparison, in contrast, whereas,
        on the other hand, on the one hand ... on the other hand, on one hand ... on the other hand,
        on the one hand ... on the other, on the contrary""",
    "Comparison.Similarity": "likewise, similarly, as if, as though, just as",
    "Contingency.Cause": """accordingly, as a consequence, as a result, consequently, for that reason, hence,
        so, therefore, thus, because, since, as, due to, given that, inasmuch as, now that, seeing that""",
    "Contingency.Condition": """if, if ... then, as long as, so long as, provided that, provided, in case,
        assuming that, on condition that, in that case, once, given""",
    "Contingency.Negative-condition": "unless, otherwise, lest, or else",
    "Contingency.Purpose": "so that, in order to, in order that, in order, so as to",
    "Expansion.Conjunction": """and, additionally, also, besides, further, furthermore, in addition, moreover,
        what is more, not only ... but also, not only ... but, not just ... but, as well as, likewise""",
    "Expansion.Disjunction": "or, alternatively, either ... or, neither ... nor",
    "Expansion.Equivalence": "in other words, that is to say, that is, i.e.",
    "Expansion.Exception": "except that, except, other than that",
    "Expansion.Instantiation": "for example, for instance, as an example, e.g., such as",
    "Expansion.Level-of-detail": """in fact, in particular, indeed, more specifically, specifically, namely,
        in brief, in short, in sum, in summary, to sum up, overall""",
    "Expansion.Manner": "by, without, thereby",
    "Expansion.Substitution": "instead, instead of, rather, rather than, in place of",
    "Temporal.Asynchronous": """after, afterward, afterwards, before, finally, later, next, previously,
        subsequently, then, thereafter, till, until, by the time, ever since, as soon as, in the end,
        earlier""",
    "Temporal.Synchronous": """at the same time, in the meantime, meanwhile, simultaneously, when, whenever,
        while, whilst, as""",
}


def usual_senses() -> dict[str, tuple[str, ...]]:
    """Connective -> the senses of ``USUAL_SENSES``."""
    found: dict[str, tuple[str, ...]] = {}
    for sense, names in USUAL_SENSES.items():
        for name in names.split(","):
            connective = " ".join(name.split())
            found[connective] = (*found.get(connective, ()), sense)
    return found


@dataclass(frozen=True, slots=True)
class ConnectiveCandidate:
    """Words of one sentence that may be a connective: ``name`` in small letters, tokens of the sentence."""

    name: str
    tokens: tuple[int, ...]

    @property
    def parts(self) -> tuple[tuple[int, int], ...]:
        """Begin and end of each run of tokens: one, or several where the connective has gaps."""
        begins = [0, *(n for n in range(1, len(self.tokens)) if self.tokens[n] != self.tokens[n - 1] + 1)]
        ends = [*begins[1:], len(self.tokens)]
        return tuple(
            (self.tokens[begin], self.tokens[end - 1] + 1) for begin, end in zip(begins, ends, strict=True)
        )

    @property
    def first_part(self) -> tuple[int, int]:
        return self.parts[0]


@dataclass(frozen=True)
class ConnectiveList:
    """Connectives that are looked for, with the senses each may have, and words for features."""

    senses: Mapping[str, tuple[str, ...]]
    frequent: frozenset[str]

    @cached_property
    def _by_first_word(self) -> dict[str, list[tuple[str, tuple[tuple[str, ...], ...]]]]:
        found: dict[str, list[tuple[str, tuple[tuple[str, ...], ...]]]] = {}
        for name in self.senses:
            parts = tuple(tuple(part.split()) for part in name.split(GAP))
            found.setdefault(parts[0][0], []).append((name, parts))
        return found

    def candidates(self, sentence: ParsedSentence) -> list[ConnectiveCandidate]:
        """All places where a connective of the list is written, overlapping ones too, in text order."""
        words = sentence.words
        by_first = self._by_first_word
        found: list[ConnectiveCandidate] = []
        for place, word in enumerate(words):
            for name, parts in by_first.get(word, ()):
                tokens = _match(words, place, parts)
                if tokens:
                    found.append(ConnectiveCandidate(name, tokens))
            if len(found) >= MOST_CANDIDATES:
                break
        return found[:MOST_CANDIDATES]

    def word(self, word: str) -> str:
        return word if word in self.frequent else "?"


def connective_name(sentence: ParsedSentence, tokens: Sequence[int]) -> str:
    """The words at these tokens as the list has them: small letters, dots for a gap."""
    pieces = [sentence.words[tokens[0]]]
    for before, token in pairwise(tokens):
        pieces.append(" " if token == before + 1 else GAP)
        pieces.append(sentence.words[token])
    return "".join(pieces)


def _match(words: Sequence[str], place: int, parts: Sequence[tuple[str, ...]]) -> tuple[int, ...]:
    """The tokens of all parts, the first at ``place``, each further one where it occurs next; () if none."""
    first = parts[0]
    if words[place : place + len(first)] != first:
        return ()
    tokens = list(range(place, place + len(first)))
    for part in parts[1:]:
        begin = tokens[-1] + 2
        for start in range(begin, min(begin + LONGEST_GAP, len(words) - len(part) + 1)):
            if words[start : start + len(part)] == part:
                tokens.extend(range(start, start + len(part)))
                break
        else:
            return ()
    return tuple(tokens)


def without_overlaps(
    candidates: Sequence[ConnectiveCandidate], chances: Sequence[float], *, least: float
) -> list[int]:
    """Numbers of the candidates that are connectives, in text order, no token in two of them.

    Those with a probability of ``least`` or more (``LEAST_WITH_GAP`` with a gap) are taken from the best
    downwards; longer ones count more, so that "even if" wins over "if", and "if ... then" over its parts.
    """
    taken: set[int] = set()
    chosen = []
    order = sorted(
        range(len(candidates)), key=lambda n: -(chances[n] + LONGER * (len(candidates[n].tokens) - 1))
    )
    for number in order:
        candidate = candidates[number]
        enough = min(least, LEAST_WITH_GAP) if GAP in candidate.name else least
        if chances[number] >= enough and taken.isdisjoint(candidate.tokens):
            taken.update(candidate.tokens)
            chosen.append(number)
    return sorted(chosen, key=lambda number: candidates[number].tokens)


def connective_features(
    sentence: ParsedSentence,
    candidate: ConnectiveCandidate,
    listed: ConnectiveList,
    *,
    style: Iterable[str] = (),
) -> Item:
    """Features of a candidate: names of what holds. ``style`` describes the document."""
    words, tags, links, heads = sentence.words, sentence.tags, sentence.links, sentence.heads
    name = candidate.name
    start, end = candidate.first_part
    length = len(words)
    own_tags = "+".join(tags[token] for token in candidate.tokens[:3])
    before_tag, before = (tags[start - 1], listed.word(words[start - 1])) if start else ("^", "^")
    behind_tag, behind = (tags[end], listed.word(words[end])) if end < length else ("$", "$")
    after_tag = tags[end + 1] if end + 1 < length else "$"
    place = "first" if start == 0 else "behind mark" if before_tag in (",", ":", ".") else "inside"

    node, exact = sentence.phrase_over(start, end)
    label = sentence.labels[node] if exact else own_tags
    parent = sentence.parents[node] if exact else node
    outer = sentence.labels[parent] if parent >= 0 else "none"
    before_label, behind_label, behind_verb = _siblings(sentence, parent, start, end)
    above = _path(sentence, parent)

    head = sentence.head_of(range(start, end))
    link, governor = links[head], heads[head]
    if governor < 0:
        governor_tag = governor_link = "root"
        subject = first_subject = False
        upper = -1
        governor_word = "?"
    else:
        governor_tag, governor_link = tags[governor], links[governor]
        subject = sentence.has_subject(governor)
        upper = heads[governor]
        first_subject = upper >= 0 and sentence.has_subject(upper)
        governor_word = listed.word(words[governor])
    upper_tag = tags[upper] if upper >= 0 else "root"
    upper_word = listed.word(words[upper]) if upper >= 0 else "?"
    side = "right" if governor > head else "left"
    rest = sum(1 for tag in tags[end:] if tag.startswith(("V", "M"))) > 0

    alone = [
        f"tags {own_tags}",
        f"before {before}",
        f"before tag {before_tag}",
        f"behind {behind}",
        f"behind tag {behind_tag}",
        f"behind tags {behind_tag} {after_tag}",
        f"around tags {before_tag} {behind_tag}",
        f"place {place}",
        f"phrase {label}",
        f"parent {outer}",
        f"left {before_label}",
        f"right {behind_label}",
        f"right verb {behind_verb}",
        f"path {above}",
        f"phrase parent {label} {outer}",
        f"siblings {before_label} {behind_label}",
        f"parent siblings {outer} {before_label} {behind_label}",
        f"link {link} {side}",
        f"governor {governor_tag}",
        f"governor link {link} {governor_link}",
        f"governor subject {link} {governor_tag} {subject:d}",
        f"clauses {governor_tag} {subject:d} {upper_tag} {first_subject:d} {governor_link}",
        f"governor word {governor_word}",
        f"upper word {upper_word}",
        f"verb behind {rest:d}",
        *style,
    ]
    return [("", ["bias", name, *alone]), (name, alone)]


def _siblings(sentence: ParsedSentence, parent: int, start: int, end: int) -> tuple[str, str, bool]:
    """Labels of what stands before and behind a phrase under its parent; whether a verb phrase is behind."""
    if parent < 0:
        return "none", "none", False
    before = sentence.tags[start - 1] if start > sentence.starts[parent] else "none"
    behind = sentence.tags[end] if end < sentence.ends[parent] else "none"
    verb = False
    for child in sentence.children[parent]:
        if sentence.ends[child] == start and sentence.starts[child] < start:
            before = sentence.labels[child]
        elif sentence.starts[child] == end:
            behind = sentence.labels[child]
            verb = behind == "VP" or any(
                sentence.labels[below] in ("VP", "S") for below in sentence.children[child]
            )
    return before, behind, verb


def _path(sentence: ParsedSentence, node: int, *, most: int = 5) -> str:
    """Labels from a phrase upwards, equal neighbours once."""
    labels: list[str] = []
    while node >= 0 and len(labels) < most:
        if not labels or labels[-1] != sentence.labels[node]:
            labels.append(sentence.labels[node])
        node = sentence.parents[node]
    return ">".join(labels)


_CLAUSE_WORDS = frozenset(
    {"not", "n't", "no", "never", "will", "would", "can", "could", "may", "might", "should", "must"}
)


def sense_features(
    sentence: ParsedSentence,
    candidate: ConnectiveCandidate,
    listed: ConnectiveList,
) -> Item:
    """Features of a connective's sense beside ``connective_features``: what its two clauses look like."""
    name = candidate.name
    start, end = candidate.first_part
    head = sentence.head_of(range(start, end))
    second = sentence.heads[head]
    first = sentence.heads[second] if second >= 0 else -1
    alone = []
    described = []
    for number, clause in (("second", second), ("first", first)):
        if clause < 0:
            described.append("none")
            continue
        described.append(describe_tense(sentence, clause))
        alone.append(f"{number} tense {described[-1]}")
        for child in sentence.dependents[clause]:
            word = sentence.words[child]
            if word in _CLAUSE_WORDS:
                alone.append(f"{number} has {word}")
            if sentence.links[child] in ("nsubj", "nsubj:pass"):
                alone.append(f"{number} subject {listed.word(word)}")
            elif sentence.links[child] == "advmod" and child not in candidate.tokens:
                alone.append(f"{number} adverb {listed.word(word)}")
    alone.append(f"tenses {' '.join(described)}")
    alone.append(f"order {second >= 0 and first >= 0 and first < second:d}")
    return [("", alone), (name, alone)]


def describe_tense(sentence: ParsedSentence, clause: int) -> str:
    """The tag of a clause's verb with the tag of its first auxiliary."""
    for child in sentence.dependents[clause]:
        if sentence.links[child] in ("aux", "aux:pass", "cop"):
            return f"{sentence.tags[clause]}+{sentence.tags[child]}"
    return sentence.tags[clause]


def describe_style(sentences: Sequence[ParsedSentence]) -> list[str]:
    """Features of a whole document that hint at its genre: talk, narrative or instructions."""
    tags = [tag for sentence in sentences for tag in sentence.tags]
    verbs = [tag for tag in tags if tag.startswith("VB")]
    if len(verbs) < 20:
        return ["style short"]
    past = round(4 * sum(tag in ("VBD", "VBN") for tag in verbs) / len(verbs))
    talk = min(3, int(60 * sum(tag == "UH" for tag in tags) / len(tags)))
    orders = sum(
        1
        for sentence in sentences
        for token, link in enumerate(sentence.links)
        if link == "root" and sentence.tags[token] == "VB" and not sentence.has_subject(token)
    )
    return [f"past {past}", f"talk {talk}", f"orders {min(3, int(6 * orders / len(sentences)))}"]


__all__ = [
    "ConnectiveCandidate",
    "ConnectiveList",
    "connective_features",
    "connective_name",
    "describe_style",
    "describe_tense",
    "sense_features",
    "usual_senses",
    "without_overlaps",
]
