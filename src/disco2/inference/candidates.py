"""A document -> all its relations, in text order.

The parser finds the explicit relations, and the places of implicit ones inside sentences. Neighbouring
sentences are a pair unless a connective in the second one joins it to the first. The model then judges these
candidates: inside sentences among the senses, between sentences among all outcomes. A question and its
answer, which the parser finds too, are Hypophora.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from disco2.annotation.annotator import raw_document
from disco2.annotation.text import BLANK_LINE, LINE_END, pair_spans, pair_text
from disco2.data import WITHOUT_SENSE, Argument, Document, Instance, Mention, Relation, RelationKind
from disco2.data.records import find_runs
from disco2.data.tree import MentionIndex, MentionIndexes
from disco2.errors import BundleError, InputError, SettingsError
from disco2.inference.plain_text import check_text, has_word, without_controls
from disco2.inference.prediction import Prediction, RelationChoice, SharedEntity, Span
from disco2.model import AnyModel, EncoderModel
from disco2.model.probabilities import Calibration
from disco2.parser.connectives import connective_direction, opening_connective
from disco2.parser.parser import DiscourseParser, ParsedDocument, ParsedRelation

EXPLICIT, IMPLICIT = RelationKind.EXPLICIT.value, RelationKind.IMPLICIT.value
HYPOPHORA, NOREL = RelationKind.HYPOPHORA.value, RelationKind.NOREL.value
# What separates two paragraphs.
PARAGRAPH_BREAKS: dict[str, re.Pattern[str] | None] = {"blank": BLANK_LINE, "line": LINE_END, "none": None}
MOST_RELATIONS, MOST_TOKENS = 256, 20_000  # scored at a time: bounds the memory, whatever the text


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair that the model is to judge.

    ``arg1`` and ``arg2`` say where the arguments lie in what the user gave; ``origins`` are the places in the
    document's text from which those offsets count: 0 for running text.
    """

    instance: Instance
    arg1: Span
    arg2: Span
    origins: tuple[int, int] = (0, 0)
    senses_only: bool = False
    presence: float | None = None  # the parser's probability of a relation; None: the model's counts
    answer: float = 0.0  # probability that it is a question and its answer


def has_trees(document: Document) -> bool:
    """Whether the parser can read it: every sentence has constituents and dependencies."""
    return all(one.constituents is not None and one.dependencies is not None for one in document.sentences)


def draft_relations(
    document: Document, parser: DiscourseParser, choice: RelationChoice, *, paragraphs: str = "blank"
) -> list[Prediction | Candidate]:
    """The explicit relations, and the candidates for the model, in text order.

    Without trees only neighbouring sentences are candidates.
    """
    parsed: list[ParsedRelation] = []
    answers: dict[int, float] = {}
    if choice.between_only or not has_trees(document):
        between = {
            number: marked(relation, opening_connective(document, document.sentences[number]))
            for number, relation in adjacent_sentences(document, paragraphs).items()
        }
    else:
        layout = ParsedDocument(document)
        asks_model = set(choice.kinds) != {EXPLICIT}
        between = adjacent_sentences(document, paragraphs) if asks_model else {}
        answers = parser.find_answers(layout) if asks_model else {}
        if not answers.keys() <= between.keys():  # an answer may open a new paragraph
            everywhere = adjacent_sentences(document, "none")
            between |= {number: everywhere[number] for number in answers if number in everywhere}
        parsed = parser.parse(layout, implicit=IMPLICIT in choice.kinds)
        for stated in parsed:  # a connective may join its sentence to the one before
            if stated.connective:
                second = document.sentence_index(stated.connective[0])
                if second - 1 in map(document.sentence_index, (stated.arg1[0], stated.arg1[-1])):
                    between.pop(second, None)
    found: list[tuple[Relation, ParsedRelation | None, float]] = [
        (relation, None, answers.get(number, 0.0)) for number, relation in between.items()
    ]
    found += [(_relation(document, one.kind, one.arg1, one.arg2, one.connective), one, 0.0) for one in parsed]
    # By the connective, or by the second argument if there is none.
    found.sort(
        key=lambda entry: (
            entry[0].connective_tokens or entry[0].arg2.tokens,
            entry[0].arg2.tokens,
            entry[0].arg1.tokens,
        )
    )
    named = [replace(relation, id=f"{document.id}:{number}") for number, (relation, *_) in enumerate(found)]
    mentions = MentionIndex(document)
    entries: list[Prediction | Candidate] = []
    for instance, (relation, one, answer) in zip(with_neighbours(document, named), found, strict=True):
        candidate = Candidate(
            instance,
            find_span(document, relation.arg1.tokens),
            find_span(document, relation.arg2.tokens),
            senses_only=one is not None or bool(relation.connective),
            presence=None if one is None else one.probability,
            answer=answer,
        )
        entries.append(_explicit(candidate, one, mentions) if one and one.connective else candidate)
    return entries


def complete_relations(
    draft: Sequence[Prediction | Candidate], judgements: Iterator[Prediction], choice: RelationChoice
) -> list[Prediction]:
    """Put the model's judgements in the places of the candidates; leave out what was not asked for."""
    found: list[Prediction] = []
    for entry in draft:
        if isinstance(entry, Candidate):
            judged = next(judgements)
            present = 1.0 - judged.probabilities.get(NOREL, 0.0)
            relation = replace(judged, presence=present if entry.presence is None else entry.presence)
            if entry.answer:
                relation = _as_answer(relation, entry.answer)
        else:
            relation = entry
        if relation.kind in choice.kinds:
            unsure = relation.probability < choice.min_probability
            found.append(replace(relation, index=len(found), unsure=unsure))
    return found


def adjacent_sentences(document: Document, paragraphs: str) -> dict[int, Relation]:
    """Every pair of neighbouring sentences of one paragraph, by the number of the second, in order.

    Paragraphs end at a ``blank`` line, at every ``line`` end, or at ``none``. A sentence without any letter
    or digit is no argument, and its neighbours are not neighbours of each other.
    """
    if paragraphs not in PARAGRAPH_BREAKS:
        raise SettingsError(
            f"Unknown paragraph mode '{paragraphs}'.", hint=f"Use {', '.join(PARAGRAPH_BREAKS)}."
        )
    parting = PARAGRAPH_BREAKS[paragraphs]
    tokens = [tuple(range(sentence.start, sentence.end)) for sentence in document.sentences]
    spans = [find_span(document, own) for own in tokens]
    usable = [has_word(span.text) for span in spans]
    found: dict[int, Relation] = {}
    for second in range(1, len(spans)):
        first = second - 1
        end, start = spans[first].end, spans[second].start
        parted = parting is not None and parting.search(document.text, end, start)
        if usable[first] and usable[second] and not parted:
            found[second] = _relation(document, RelationKind.IMPLICIT, tokens[first], tokens[second])
    return found


def with_neighbours(document: Document, relations: Sequence[Relation]) -> list[Instance]:
    """Relations as instances whose neighbours are the pairs before and after."""
    padded = [None, *relations, None]
    return [
        Instance(relation, document, previous=padded[place], following=padded[place + 2])
        for place, relation in enumerate(relations)
    ]


def marked(relation: Relation, connective: str) -> Relation:
    """The relation as an explicit one where there is a connective."""
    if not connective:
        return relation
    return replace(relation, kind=RelationKind.EXPLICIT, connective=connective)


def find_span(document: Document, tokens: Sequence[int]) -> Span:
    """Where tokens lie, with the parts they fall into."""
    pieces = []
    for first, behind in find_runs(tokens):
        start, end = document.tokens[first].start, document.tokens[behind - 1].end
        pieces.append(Span(document.text[start:end], start, end))
    if len(pieces) == 1:
        return pieces[0]
    return Span(" ".join(piece.text for piece in pieces), pieces[0].start, pieces[-1].end, tuple(pieces))


def _relation(
    document: Document,
    kind: RelationKind,
    arg1: tuple[int, ...],
    arg2: tuple[int, ...],
    connective: tuple[int, ...] = (),
) -> Relation:
    stated = find_span(document, connective).pieces if connective else ()
    return Relation(
        id="",
        document=document.id,
        kind=kind,
        arg1=Argument(arg1, find_span(document, arg1).text),
        arg2=Argument(arg2, find_span(document, arg2).text),
        connective=" ... ".join(part.text for part in stated),
        connective_tokens=connective,
    )


def _explicit(candidate: Candidate, one: ParsedRelation, mentions: MentionIndex) -> Prediction:
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
        entities=shared_mentions(candidate, mentions),
        document=instance.document.id,
        direction=connective_direction(one.name, one.sense),
        source=instance,
    )


def _as_answer(prediction: Prediction, chance: float) -> Prediction:
    """Hypophora; the other outcomes share what its probability leaves to them."""
    others = {sense: value * (1 - chance) for sense, value in prediction.probabilities.items()}
    return replace(
        prediction,
        kind=HYPOPHORA,
        sense=HYPOPHORA,
        direction="",
        probability=chance,
        probabilities={HYPOPHORA: chance, **others},
        presence=1.0 - others.get(NOREL, 0.0),
    )


@dataclass(frozen=True, slots=True)
class GivenPair:
    """Two texts, each with at least one word; an argument may have several sentences."""

    arg1: str
    arg2: str
    id: str = "pair"

    def __post_init__(self) -> None:
        for name, text in (("arg1", self.arg1), ("arg2", self.arg2)):
            if not has_word(check_text(text, where=name)):
                raise InputError(f"The argument {name} has no word.", hint="Give a sentence or a clause.")

    def document(self) -> Document:
        """Both arguments as one text, with no layer yet."""
        return raw_document(without_controls(pair_text(self.arg1, self.arg2)), document_id=self.id)

    def candidate(self, annotated: Document) -> Candidate:
        """The pair in its annotated document; which token belongs to which argument is known by its place."""
        annotated = replace(annotated, text=pair_text(self.arg1, self.arg2))  # with its control characters
        (_, cut), (origin, _) = pair_spans(self.arg1, self.arg2)
        first = [number for number, token in enumerate(annotated.tokens) if token.end <= cut]
        second = [number for number, token in enumerate(annotated.tokens) if token.start >= origin]
        for name, tokens in (("arg1", first), ("arg2", second)):
            if not tokens:
                raise InputError(f"The annotator found no token in {name}.", hint="Try another annotator.")
        relation = Relation(
            id=self.id,
            document=self.id,
            kind=RelationKind.IMPLICIT,
            arg1=Argument(tuple(first), self.arg1),
            arg2=Argument(tuple(second), self.arg2),
        )
        opening = annotated.sentences[annotated.sentence_index(second[0])]
        if opening.start == second[0]:
            relation = marked(relation, opening_connective(annotated, opening))
        return Candidate(
            Instance(relation, annotated),
            Span(self.arg1, 0, cut),
            Span(self.arg2, 0, len(self.arg2)),
            origins=(0, origin),
            senses_only=True,
        )


def shared_mentions(candidate: Candidate, mentions: MentionIndex) -> tuple[SharedEntity, ...]:
    """The chains with a mention in each argument; a mention is where its head is, as the model has it."""
    relation, document = candidate.instance.relation, candidate.instance.document
    first, second = (mentions.by_chain(one.tokens) for one in (relation.arg1, relation.arg2))

    def spans(argument: Argument, found: list[Mention], origin: int) -> tuple[Span, ...]:
        in_order = sorted(found, key=lambda mention: mention.start)
        return tuple(mention_span(document, argument, one, origin) for one in in_order)

    return tuple(
        SharedEntity(
            chain,
            spans(relation.arg1, first[chain], candidate.origins[0]),
            spans(relation.arg2, second[chain], candidate.origins[1]),
        )
        for chain in first
        if chain in second
    )


def mention_span(document: Document, argument: Argument, mention: Mention, origin: int) -> Span:
    """The text of a mention as far as it lies in the argument, its offsets counted from ``origin``."""
    first, last = max(mention.start, argument.tokens[0]), min(mention.end - 1, argument.tokens[-1])
    start, end = document.tokens[first].start, document.tokens[last].end
    return Span(document.text[start:end], start - origin, end - origin)


def senses_of(model: AnyModel) -> tuple[str, ...]:
    """The labels that are senses; BundleError where there is none."""
    senses = tuple(label for label in model.labels if label not in WITHOUT_SENSE)
    if not senses:
        raise BundleError("This model knows no sense.", hint="Train it on relations that have senses.")
    return senses


def _in_portions(candidates: Sequence[Candidate]) -> Iterator[Sequence[Candidate]]:
    """Portions small enough to be scored at once; a pair is never left out for being long."""
    begin = tokens = 0
    for place, one in enumerate(candidates):
        own = len(one.instance.relation.arg1.tokens) + len(one.instance.relation.arg2.tokens)
        if place > begin and (place - begin >= MOST_RELATIONS or tokens + own > MOST_TOKENS):
            yield candidates[begin:place]
            begin, tokens = place, 0
        tokens += own
    if begin < len(candidates):
        yield candidates[begin:]


def predict_candidates(
    model: AnyModel, calibration: Calibration, candidates: Sequence[Candidate]
) -> Iterator[Prediction]:
    """One prediction for each candidate, in order; scored a portion at a time, so that memory is bounded."""
    mentions = MentionIndexes()
    every = range(len(model.labels))
    senses = [model.labels.index(sense) for sense in senses_of(model)]
    index = 0
    for portion in _in_portions(candidates):
        instances = [one.instance for one in portion]
        if isinstance(model, EncoderModel):
            scores, directions = model.scores_and_directions(instances)
        else:
            scores, directions = model.scores(instances, batch_size=len(portion)), [{}] * len(portion)
        raw = scores.tolist()
        among_all = calibration.probabilities(scores).tolist()
        among_senses = calibration.probabilities(scores, senses).tolist()
        for row, candidate in enumerate(portion):
            probabilities = among_senses[row] if candidate.senses_only else among_all[row]
            allowed = senses if candidate.senses_only else every
            ranked = sorted(allowed, key=lambda column: -probabilities[column])
            sense, connective = model.labels[ranked[0]], candidate.instance.relation.connective
            kind = EXPLICIT if connective else sense if sense in WITHOUT_SENSE else IMPLICIT
            direction = directions[row].get(sense, "")
            yield Prediction(
                kind=kind,
                sense=sense,
                probability=probabilities[ranked[0]],
                probabilities={model.labels[column]: probabilities[column] for column in ranked},
                arg1=candidate.arg1,
                arg2=candidate.arg2,
                connective=connective,
                entities=shared_mentions(candidate, mentions.of(candidate.instance.document)),
                document=candidate.instance.document.id,
                index=index,
                direction=connective_direction(connective, sense) if connective else direction,
                scores=dict(zip(model.labels, raw[row], strict=True)),
                origins=candidate.origins,
                source=candidate.instance,
            )
            index += 1
