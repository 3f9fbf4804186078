"""Implicit relations inside a sentence: clauses that begin without a connective and relate to another clause.

A candidate is a boundary where a clause begins: a purpose infinitive, a participle, a further conjunct, a
clause set beside another. A yes-no model says whether an implicit relation's Arg2 begins there, a second one
which sense it has; the spans come from the rankers of ``arguments``, as for a connective without words.
"""

from __future__ import annotations

from collections.abc import Collection

from disco2.parser.arguments import Anchor, SentenceEdges, anchor_clause
from disco2.parser.connectives import ConnectiveList, describe_tense
from disco2.parser.linear import Item
from disco2.parser.sentences import ParsedSentence

LINKS = frozenset(
    {
        "advcl",
        "conj",
        "parataxis",
        "xcomp",
        "acl",
        "ccomp",
        "dep",
        "obl",
        "acl:relcl",
        "advcl:relcl",
        "csubj",
        "root",
        "nmod",
        "list",
    }
)
MOST_CANDIDATES = 60  # of one sentence: bounds the time, whatever the text


def clause_candidates(edges: SentenceEdges) -> list[Anchor]:
    """Places inside a sentence where a clause begins that may relate to another one."""
    sentence = edges.sentence
    found = []
    for place in edges.boundaries:
        if place >= len(sentence) or place not in edges.tokens:
            continue
        token = edges.tokens[place]
        if sentence.links[token] in LINKS and _has_verb(sentence, token):
            found.append(place)
    return [anchor_clause(edges, place) for place in found[:MOST_CANDIDATES] if len(edges.boundaries) > 2]


def _has_verb(sentence: ParsedSentence, token: int) -> bool:
    if sentence.tags[token].startswith("VB"):
        return True
    return any(sentence.links[child] in ("cop", "aux", "aux:pass") for child in sentence.dependents[token])


def clause_features(
    anchor: Anchor, listed: ConnectiveList, connectives: Collection[int], style: Collection[str]
) -> Item:
    """Features of a place where a clause begins. ``connectives`` are the tokens of those found in the
    sentence.
    """
    sentence, place, token = anchor.sentence, anchor.start, anchor.second
    words, tags, links = sentence.words, sentence.tags, sentence.links
    first = anchor.first
    link, tag = links[token], tags[token]
    opening = words[place] if place < token else "-"
    opening = listed.word(opening)
    kinds = {links[child] for child in sentence.dependents[token]}
    introduced = "cc" if "cc" in kinds else "mark" if "mark" in kinds else "none"
    stated = any(place <= other <= token for other in connectives)
    stated_before = any(other < place for other in connectives)
    mark = tags[place - 1] if place and sentence.closing[place - 1] else "none" if place else "^"
    first_tag = tags[first] if first >= 0 else "none"
    side = "left" if first < token else "right"
    subject = sentence.has_subject(token)
    first_subject = first >= 0 and sentence.has_subject(first)
    second_tense = describe_tense(sentence, token)
    first_tense = describe_tense(sentence, first) if first >= 0 else "none"
    kind = f"{link} {introduced} {tag}"
    distance = min(4, sum(min(first, place) < other < max(first, place) for other in anchor.boundaries))
    alone = [
        f"link {link} {side}",
        f"opening {opening}",
        f"opening tag {tags[place]}",
        f"kind {kind} {side}",
        f"stated {stated:d}",
        f"stated before {stated_before:d}",
        f"mark {mark}",
        f"first {first_tag}",
        f"first link {links[first] if first >= 0 else 'none'}",
        f"subjects {subject:d} {first_subject:d}",
        f"tenses {first_tense} {second_tense}",
        f"clause {anchor.edges.clauses.get(place, 'none')}",
        f"upper {anchor.upper_ends.get(len(sentence), 'none')}",
        f"verb {listed.word(words[token])}",
        f"first verb {listed.word(words[first]) if first >= 0 else 'none'}",
        f"distance {distance}",
        f"place {'first' if place == 0 else 'inside'}",
        *[
            f"has {name}"
            for name in sorted(kinds & {"obj", "cop", "aux", "advmod", "nsubj", "conj", "advcl", "expl"})
        ],
        *style,
    ]
    head = f"{link} {introduced} {stated:d}"
    return [("", ["bias", *alone]), (head, alone), (kind, alone[4:12])]
