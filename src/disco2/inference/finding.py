"""A document -> all its relations, in text order.

The parser finds the explicit relations, and the places of implicit ones inside sentences. Neighbouring
sentences are a pair unless a connective in the second one joins it to the first. The model then judges the
implicit ones: inside sentences among the senses, between sentences among all outcomes. A question and its
answer are Hypophora.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from disco2.annotation.text import BLANK_LINE
from disco2.data import Argument, Document, Instance, Relation, RelationKind
from disco2.data.tree import MentionIndexes
from disco2.inference.candidates import PARAGRAPH_BREAKS, Candidate, adjacent_sentences, with_neighbours
from disco2.inference.prediction import Prediction, RelationChoice, Span
from disco2.inference.shared import shared_mentions
from disco2.parser.parser import DiscourseParser, ParsedRelation

EXPLICIT, IMPLICIT = RelationKind.EXPLICIT.value, RelationKind.IMPLICIT.value
HYPOPHORA, NOREL = RelationKind.HYPOPHORA.value, RelationKind.NOREL.value

# A question at the end of a paragraph and its answer at the beginning of the next, as where speakers take
# turns: the second sentence is no question, and opens with one of these words, or the first has a wh-word. Of
# such pairs, from raw text, 170 of 201 in GUM's training part overlap with a Hypophora, 31 of 34 in its dev
# part; within a paragraph only 33 of 79 and 5 of 13 do, so that the rule keeps silent there.
ANSWERS = frozenset({"yes", "no", "yeah", "nope", "yep", "yup", "sure", "okay", "well", "mhm", "uh", "right"})
ANSWER_SHARE = 0.85
WH_TAGS = frozenset({"WP", "WP$", "WRB", "WDT"})
WH_PLACES = 4  # tokens at the beginning of a question among which its wh-word stands


@dataclass(frozen=True, slots=True)
class Draft:
    """The relations of a document, before the model has judged the ``candidates`` among them.

    ``entries`` are in text order: predictions that are made, and None for each candidate in turn.
    """

    entries: tuple[Prediction | None, ...]
    candidates: tuple[Candidate, ...]
    presences: tuple[float | None, ...]  # of the candidates; None where the model is to say it
    choice: RelationChoice
    paragraphs: str = "blank"


def has_trees(document: Document) -> bool:
    """Whether the parser can read it: every sentence has constituents and dependencies."""
    return all(one.constituents is not None and one.dependencies is not None for one in document.sentences)


def draft_relations(
    document: Document, parser: DiscourseParser, choice: RelationChoice, *, paragraphs: str = "blank"
) -> Draft:
    """Everything but the model's part. Without trees only neighbouring sentences can be looked at."""
    if choice.between_only or not has_trees(document):
        pairs = adjacent_sentences(document, paragraphs=paragraphs, marking=True)
        return Draft((None,) * len(pairs), tuple(pairs), (None,) * len(pairs), choice, paragraphs)
    between = adjacent_sentences(document, paragraphs=paragraphs) if choice.asks_model else []
    if choice.wants(HYPOPHORA) and paragraphs != "none":
        everywhere = adjacent_sentences(document, paragraphs="none")
        between += [one for one in everywhere if is_answered(one.instance, paragraphs=paragraphs)]
    parsed = parser.parse(document, implicit=choice.wants(IMPLICIT))
    joined = _joined_sentences(document, [one for one in parsed if one.kind is RelationKind.EXPLICIT])
    found: list[tuple[Relation, Candidate | None, ParsedRelation | None]] = [
        (one.instance.relation, one, None)
        for one in between
        if document.sentence_index(one.instance.relation.arg2.tokens[0]) not in joined
    ]
    found += [(_relation(document, one), None, one) for one in parsed]
    found.sort(key=lambda one: _place(one[0]))
    relations = [
        replace(relation, id=f"{document.id}:{number}") for number, (relation, _, _) in enumerate(found)
    ]
    mentions = MentionIndexes()
    entries: list[Prediction | None] = []
    candidates: list[Candidate] = []
    presences: list[float | None] = []
    for instance, (_, pair, one) in zip(with_neighbours(document, relations), found, strict=True):
        if one is None and pair is not None:
            candidate = replace(pair, instance=instance)
        else:
            arg1, arg2 = instance.relation.arg1, instance.relation.arg2
            candidate = Candidate(
                instance, find_span(document, arg1.tokens), find_span(document, arg2.tokens), senses_only=True
            )
        if one is not None and one.kind is RelationKind.EXPLICIT:
            entries.append(_explicit(candidate, one, mentions))
        else:
            entries.append(None)
            candidates.append(candidate)
            presences.append(None if one is None else one.probability)
    return Draft(tuple(entries), tuple(candidates), tuple(presences), choice, paragraphs)


def complete_relations(draft: Draft, judgements: Iterator[Prediction]) -> list[Prediction]:
    """Put the model's judgements of the candidates in their places; leave out what nobody asked for."""
    presences = iter(draft.presences)
    found: list[Prediction] = []
    for entry in draft.entries:
        if entry is None:
            presence = next(presences)
            judged = next(judgements)
            entry = _present(judged) if presence is None else replace(judged, presence=presence)
            if presence is None and not (draft.choice.between_only or entry.connective):
                entry = _answering(entry, draft.paragraphs)
        if draft.choice.wants(entry.kind):
            found.append(replace(entry, index=len(found)))
    return found


def find_span(document: Document, tokens: Sequence[int]) -> Span:
    """Where tokens lie, with the parts they fall into."""
    pieces = []
    begin = 0
    for place in range(1, len(tokens) + 1):
        if place == len(tokens) or tokens[place] != tokens[place - 1] + 1:
            start, end = document.tokens[tokens[begin]].start, document.tokens[tokens[place - 1]].end
            pieces.append(Span(document.text[start:end], start, end))
            begin = place
    if len(pieces) == 1:
        return pieces[0]
    return Span(" ".join(piece.text for piece in pieces), pieces[0].start, pieces[-1].end, tuple(pieces))


def _relation(document: Document, one: ParsedRelation) -> Relation:
    connective = ""
    if one.connective:
        connective = " ... ".join(part.text for part in find_span(document, one.connective).pieces)
    return Relation(
        id="",
        document=document.id,
        kind=one.kind,
        arg1=Argument(one.arg1, find_span(document, one.arg1).text),
        arg2=Argument(one.arg2, find_span(document, one.arg2).text),
        connective=connective,
        connective_tokens=one.connective,
    )


def _place(relation: Relation) -> tuple[tuple[int, ...], ...]:
    """By the connective, or where there is none by the second argument."""
    return relation.connective_tokens or relation.arg2.tokens, relation.arg2.tokens, relation.arg1.tokens


def _joined_sentences(document: Document, explicit: Sequence[ParsedRelation]) -> set[int]:
    """The sentences that a connective in them joins to the sentence before."""
    joined = set()
    for one in explicit:
        second = document.sentence_index(one.connective[0])
        if second - 1 in (document.sentence_index(one.arg1[0]), document.sentence_index(one.arg1[-1])):
            joined.add(second)
    return joined


def _explicit(candidate: Candidate, one: ParsedRelation, mentions: MentionIndexes) -> Prediction:
    instance = candidate.instance
    return Prediction(
        kind=EXPLICIT,
        sense=one.sense,
        probability=one.sense_probability,
        probabilities=dict(one.senses),
        arg1=candidate.arg1,
        arg2=candidate.arg2,
        connective=instance.relation.connective,
        connective_span=find_span(instance.document, one.connective),
        presence=one.probability,
        entities=shared_mentions(candidate, mentions.of(instance.document)),
        document=instance.document.id,
        source=instance,
    )


def _present(prediction: Prediction) -> Prediction:
    return replace(prediction, presence=1.0 - prediction.probabilities.get(NOREL, 0.0))


def _answering(prediction: Prediction, paragraphs: str) -> Prediction:
    """Hypophora where the rule says so; the other outcomes share what it leaves to them."""
    if prediction.source is None or not is_answered(prediction.source, paragraphs=paragraphs):
        return prediction
    others = {sense: value * (1 - ANSWER_SHARE) for sense, value in prediction.probabilities.items()}
    return replace(
        prediction,
        kind=HYPOPHORA,
        sense=HYPOPHORA,
        probability=ANSWER_SHARE,
        probabilities={HYPOPHORA: ANSWER_SHARE, **others},
        presence=1.0 - others.get(NOREL, 0.0),
    )


def is_answered(instance: Instance, *, paragraphs: str = "blank") -> bool:
    """Whether the second of two neighbouring sentences answers the first, by the rule of ``ANSWERS``."""
    document = instance.document
    first, second = instance.relation.arg1.tokens, instance.relation.arg2.tokens
    if not _asks(document, first) or _asks(document, second):
        return False
    parting = PARAGRAPH_BREAKS[paragraphs] or BLANK_LINE
    if not parting.search(document.text, document.tokens[first[-1]].end, document.tokens[second[0]].start):
        return False
    if document.tokens[second[0]].text.lower() in ANSWERS:
        return True
    return any(document.tokens[token].tag in WH_TAGS for token in first[:WH_PLACES])


def _asks(document: Document, tokens: Sequence[int]) -> bool:
    return any(document.tokens[token].text == "?" for token in tokens[-2:])
