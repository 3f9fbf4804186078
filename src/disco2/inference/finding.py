"""A document -> all its relations, in text order.

The parser finds the explicit relations, and the places of implicit ones inside sentences. Neighbouring
sentences are a pair unless a connective in the second one joins it to the first. The model then judges the
implicit ones: inside sentences among the senses, between sentences among all outcomes. A question and its
answer, which the parser finds too, are Hypophora.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from disco2.data import Argument, Document, Relation, RelationKind
from disco2.data.tree import MentionIndexes
from disco2.inference.candidates import Candidate, adjacent_sentences, shared_mentions, with_neighbours
from disco2.inference.prediction import Prediction, RelationChoice, Span
from disco2.parser.parser import DiscourseParser, ParsedDocument, ParsedRelation

EXPLICIT, IMPLICIT = RelationKind.EXPLICIT.value, RelationKind.IMPLICIT.value
HYPOPHORA, NOREL = RelationKind.HYPOPHORA.value, RelationKind.NOREL.value


@dataclass(frozen=True, slots=True)
class Draft:
    """The relations of a document, before the model has judged the ``candidates`` among them.

    ``entries`` are in text order: predictions that are made, and None for each candidate in turn.
    """

    entries: tuple[Prediction | None, ...]
    candidates: tuple[Candidate, ...]
    presences: tuple[float | None, ...]  # of the candidates; None where the model is to say it
    answers: tuple[
        float, ...
    ]  # probability that a candidate is a question and its answer; 0 where it is none
    choice: RelationChoice


def has_trees(document: Document) -> bool:
    """Whether the parser can read it: every sentence has constituents and dependencies."""
    return all(one.constituents is not None and one.dependencies is not None for one in document.sentences)


def draft_relations(
    document: Document, parser: DiscourseParser, choice: RelationChoice, *, paragraphs: str = "blank"
) -> Draft:
    """Everything but the model's part. Without trees only neighbouring sentences can be looked at."""
    if choice.between_only or not has_trees(document):
        pairs = adjacent_sentences(document, paragraphs=paragraphs, marking=True)
        return Draft((None,) * len(pairs), tuple(pairs), (None,) * len(pairs), (0.0,) * len(pairs), choice)
    layout = ParsedDocument(document)
    answers = parser.find_answers(layout) if choice.asks_model else {}
    between = _by_second(adjacent_sentences(document, paragraphs=paragraphs)) if choice.asks_model else {}
    if not answers.keys() <= between.keys():  # an answer may open a paragraph of its own
        everywhere = _by_second(adjacent_sentences(document, paragraphs="none"))
        between |= {number: everywhere[number] for number in answers if number in everywhere}
    parsed = parser.parse(layout, implicit=choice.wants(IMPLICIT))
    joined = _joined_sentences(document, [one for one in parsed if one.kind is RelationKind.EXPLICIT])
    found: list[tuple[Relation, Candidate | None, ParsedRelation | None]] = [
        (one.instance.relation, one, None) for number, one in between.items() if number not in joined
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
    answering: list[float] = []
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
            second = document.sentence_index(instance.relation.arg2.tokens[0])
            answering.append(answers.get(second, 0.0) if one is None else 0.0)
    return Draft(tuple(entries), tuple(candidates), tuple(presences), tuple(answering), choice)


def _by_second(pairs: Sequence[Candidate]) -> dict[int, Candidate]:
    """Pairs of neighbouring sentences by the number of the second."""
    return {one.instance.document.sentence_index(one.instance.relation.arg2.tokens[0]): one for one in pairs}


def complete_relations(draft: Draft, judgements: Iterator[Prediction]) -> list[Prediction]:
    """Put the model's judgements of the candidates in their places; leave out what nobody asked for."""
    presences, answers = iter(draft.presences), iter(draft.answers)
    found: list[Prediction] = []
    for entry in draft.entries:
        if entry is None:
            presence, answer = next(presences), next(answers)
            judged = next(judgements)
            entry = _present(judged) if presence is None else replace(judged, presence=presence)
            if answer:
                entry = _as_answer(entry, answer)
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


def _as_answer(prediction: Prediction, chance: float) -> Prediction:
    """Hypophora; the other outcomes share what its probability leaves to them."""
    others = {sense: value * (1 - chance) for sense, value in prediction.probabilities.items()}
    return replace(
        prediction,
        kind=HYPOPHORA,
        sense=HYPOPHORA,
        probability=chance,
        probabilities={HYPOPHORA: chance, **others},
        presence=1.0 - others.get(NOREL, 0.0),
    )
