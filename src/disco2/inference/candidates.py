"""Pairs of arguments that may be related, and the model's prediction for each."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from disco2.annotation.annotator import raw_document
from disco2.annotation.text import BLANK_LINE, LINE_END, pair_spans, pair_text
from disco2.data import WITHOUT_SENSE, Argument, Document, Instance, Mention, Relation, RelationKind, Sentence
from disco2.data.tree import MentionIndex, MentionIndexes
from disco2.errors import BundleError, InputError, SettingsError
from disco2.inference.plain_text import check_text, has_word, without_controls
from disco2.inference.prediction import Prediction, SharedEntity, Span
from disco2.model import AnyModel
from disco2.model.probabilities import Calibration
from disco2.parser.connectives import opening_connective

# What parts two sentences.
PARAGRAPH_BREAKS: dict[str, re.Pattern[str] | None] = {"blank": BLANK_LINE, "line": LINE_END, "none": None}
MOST_RELATIONS, MOST_TOKENS = 256, 20_000  # scored at a time: bounds the memory, whatever the text


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair to be judged.

    ``arg1`` and ``arg2`` say where the arguments lie in what the user gave; ``origins`` are the places in the
    document's text from which those offsets count: 0 for running text.
    """

    instance: Instance
    arg1: Span
    arg2: Span
    origins: tuple[int, int] = (0, 0)
    senses_only: bool = False

    @property
    def connective(self) -> str:
        return self.instance.relation.connective

    @property
    def tokens(self) -> int:
        relation = self.instance.relation
        return len(relation.arg1.tokens) + len(relation.arg2.tokens)


def adjacent_sentences(
    document: Document, *, paragraphs: str = "blank", marking: bool = False
) -> list[Candidate]:
    """Every pair of neighbouring sentences that no paragraph break parts, in order.

    Paragraphs end at a ``blank`` line, at every ``line`` end, or at ``none``. A sentence without any letter
    or digit is no argument, and its neighbours are not neighbours of each other. With ``marking``, a pair
    whose second sentence opens with a connective is marked with it.
    """
    if paragraphs not in PARAGRAPH_BREAKS:
        raise SettingsError(
            f"There is no way '{paragraphs}' to part paragraphs.", hint=f"Use {', '.join(PARAGRAPH_BREAKS)}."
        )
    parting = PARAGRAPH_BREAKS[paragraphs]
    spans = [_span(document, sentence) for sentence in document.sentences]
    usable = [has_word(span.text) for span in spans]
    relations: list[Relation] = []
    places: list[int] = []
    for second in range(1, len(spans)):
        first = second - 1
        if not (usable[first] and usable[second]):
            continue
        if parting is not None and parting.search(document.text, spans[first].end, spans[second].start):
            continue
        sentences = document.sentences[first], document.sentences[second]
        relation = _relation(document, len(relations), sentences, (spans[first], spans[second]))
        if marking:
            relation = marked(relation, opening_connective(document, sentences[1]))
        relations.append(relation)
        places.append(first)
    instances = with_neighbours(document, relations)
    return [
        Candidate(instance, spans[place], spans[place + 1], senses_only=bool(instance.relation.connective))
        for place, instance in zip(places, instances, strict=True)
    ]


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


def in_portions(candidates: Sequence[Candidate]) -> Iterator[Sequence[Candidate]]:
    """Portions small enough to be scored at once; a pair is never left out for being long."""
    begin = tokens = 0
    for place, candidate in enumerate(candidates):
        full = place - begin >= MOST_RELATIONS or tokens + candidate.tokens > MOST_TOKENS
        if full and place > begin:
            yield candidates[begin:place]
            begin, tokens = place, 0
        tokens += candidate.tokens
    if begin < len(candidates):
        yield candidates[begin:]


def _relation(
    document: Document, number: int, sentences: tuple[Sentence, Sentence], spans: tuple[Span, Span]
) -> Relation:
    first, second = sentences
    return Relation(
        id=f"{document.id}:{number}",
        document=document.id,
        kind=RelationKind.IMPLICIT,
        arg1=Argument(tuple(range(first.start, first.end)), spans[0].text),
        arg2=Argument(tuple(range(second.start, second.end)), spans[1].text),
    )


def _span(document: Document, sentence: Sentence) -> Span:
    start, end = document.tokens[sentence.start].start, document.tokens[sentence.end - 1].end
    return Span(document.text[start:end], start, end)


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
        return raw_document(without_controls(self._text), document_id=self.id)

    @property
    def _text(self) -> str:
        return pair_text(self.arg1, self.arg2)

    def candidate(self, annotated: Document) -> Candidate:
        """The pair in its annotated document; which token belongs to which argument is known by its place."""
        annotated = replace(annotated, text=self._text)  # with its control characters
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
    first = _by_chain(relation.arg1, mentions)
    second = _by_chain(relation.arg2, mentions)
    return tuple(
        SharedEntity(
            chain,
            tuple(mention_span(document, relation.arg1, one, candidate.origins[0]) for one in found),
            tuple(mention_span(document, relation.arg2, one, candidate.origins[1]) for one in second[chain]),
        )
        for chain, found in first.items()
        if chain in second
    )


def mention_span(document: Document, argument: Argument, mention: Mention, origin: int) -> Span:
    """The text of a mention as far as it lies in the argument, its offsets counted from ``origin``."""
    first, last = max(mention.start, argument.tokens[0]), min(mention.end - 1, argument.tokens[-1])
    start, end = document.tokens[first].start, document.tokens[last].end
    return Span(document.text[start:end], start - origin, end - origin)


def _by_chain(argument: Argument, mentions: MentionIndex) -> dict[str, list[Mention]]:
    tokens = argument.tokens
    found: dict[str, list[Mention]] = {}
    for mention in mentions.between(tokens[0], tokens[-1]):
        if tokens[bisect_left(tokens, mention.head)] == mention.head:
            found.setdefault(mention.chain, []).append(mention)
    return {chain: sorted(some, key=lambda mention: mention.start) for chain, some in found.items()}


def senses_of(model: AnyModel) -> tuple[str, ...]:
    """The labels that are senses; BundleError where there is none."""
    senses = tuple(label for label in model.labels if label not in WITHOUT_SENSE)
    if not senses:
        raise BundleError("This model knows no sense.", hint="Train it on relations that have senses.")
    return senses


def predict_candidates(
    model: AnyModel, calibration: Calibration, candidates: Sequence[Candidate]
) -> Iterator[Prediction]:
    """One prediction for each candidate, in order; scored a portion at a time, so that memory is bounded."""
    mentions = MentionIndexes()
    every = range(len(model.labels))
    senses = [model.labels.index(sense) for sense in senses_of(model)]
    index = 0
    for portion in in_portions(candidates):
        scores = model.scores([one.instance for one in portion], batch_size=len(portion))
        raw = scores.tolist()
        among_all = calibration.probabilities(scores).tolist()
        among_senses = calibration.probabilities(scores, senses).tolist()
        for row, candidate in enumerate(portion):
            probabilities = among_senses[row] if candidate.senses_only else among_all[row]
            allowed = senses if candidate.senses_only else every
            ranked = sorted(allowed, key=lambda column: -probabilities[column])
            sense = model.labels[ranked[0]]
            yield Prediction(
                kind=_kind(sense, candidate.connective),
                sense=sense,
                probability=probabilities[ranked[0]],
                probabilities={model.labels[column]: probabilities[column] for column in ranked},
                arg1=candidate.arg1,
                arg2=candidate.arg2,
                connective=candidate.connective,
                entities=shared_mentions(candidate, mentions.of(candidate.instance.document)),
                document=candidate.instance.document.id,
                index=index,
                scores=dict(zip(model.labels, raw[row], strict=True)),
                origins=candidate.origins,
                source=candidate.instance,
            )
            index += 1


def _kind(sense: str, connective: str) -> str:
    if connective:
        return RelationKind.EXPLICIT.value
    return sense if sense in WITHOUT_SENSE else RelationKind.IMPLICIT.value
