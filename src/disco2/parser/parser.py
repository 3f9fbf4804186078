"""A document with trees -> the relations that connectives state, and the implicit ones inside its sentences.

    from disco2.parser.parser import DiscourseParser

    parser = DiscourseParser.load()
    for relation in parser.parse(document):
        print(relation.kind, relation.sense, document.words(relation.arg1), document.words(relation.arg2))

Each step asks one log-linear model about everything in the document at once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from disco2.data import Document, RelationKind
from disco2.errors import InputError
from disco2.parser import arguments, features
from disco2.parser.arguments import Anchor, ParsedSentence, Span, SpanChoice, choose_spans
from disco2.parser.connectives import ConnectiveCandidate, ConnectiveList, connective_name, without_overlaps
from disco2.parser.features import Item, LinearModel, Scores, probabilities, read_models, yes_probabilities

SHIPPED = Path(__file__).resolve().parents[1] / "models" / "parser"
Ranked = tuple[tuple[str, float], ...]  # classes with their probabilities, the largest first
Terms = list[tuple[str, NDArray[np.float64]]]  # features with their parts in scores, [classes]
SAME = 0.7  # overlap of both arguments from which an explicit relation says what an implicit one would


@dataclass(frozen=True, slots=True)
class ParsedRelation:
    """A relation: its arguments and connective as tokens of the document, not always adjacent.

    ``probability`` is that of the relation being there; ``senses`` has the senses of level 2 that it may have
    with their probabilities, given that it is there, the most probable first. ``connective`` is empty, and so
    is ``name``, where no words state the relation.
    """

    kind: RelationKind
    arg1: tuple[int, ...]
    arg2: tuple[int, ...]
    probability: float
    senses: Ranked
    connective: tuple[int, ...] = ()
    name: str = ""

    @property
    def sense(self) -> str:
        return self.senses[0][0]

    @property
    def sense_probability(self) -> float:
        return self.senses[0][1]


@dataclass(frozen=True, slots=True)
class FoundConnective:
    """A connective in sentence ``sentence`` of a document, with the probability that it is one."""

    sentence: int
    candidate: ConnectiveCandidate
    probability: float
    features: Item  # of ``connective_features``


class ParsedDocument:
    """The sentences of a document laid out for questions, each thing made when it is first asked for."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.sentences = [ParsedSentence(document, number) for number in range(len(document.sentences))]
        self.style = features.describe_style(self.sentences)

    def locate(self, tokens: Sequence[int]) -> tuple[int, ConnectiveCandidate]:
        """The sentence of a connective's first token, and the connective there."""
        if not tokens or not 0 <= min(tokens) <= max(tokens) < len(self.document.tokens):
            hint = "Give the numbers of its tokens."
            raise InputError("A connective is no tokens of the document.", hint=hint)
        number = self.document.sentence_index(min(tokens))
        sentence = self.sentences[number]
        local = sorted(token - sentence.start for token in tokens)
        inside = tuple(token for token in local if token < len(sentence))
        return number, ConnectiveCandidate(connective_name(sentence, inside), inside)

    def connective_features(
        self, number: int, candidate: ConnectiveCandidate, listed: ConnectiveList
    ) -> Item:
        return features.connective_features(self.sentences[number], candidate, listed, style=self.style)

    def sense_features(self, number: int, candidate: ConnectiveCandidate, listed: ConnectiveList) -> Item:
        own = self.connective_features(number, candidate, listed)
        return [*own, *features.sense_features(self.sentences[number], candidate, listed)]

    def earlier_features(self, number: int, candidate: ConnectiveCandidate) -> list[Item]:
        """Features of each earlier sentence that may be the Arg1, the nearest first."""
        own, tokens = self.sentences[number], self.document.tokens
        items = []
        for distance in range(1, min(number, arguments.FARTHEST) + 1):
            other = self.sentences[number - distance]
            blank = self.document.text.count("\n\n", tokens[other.start].start, tokens[own.start].start)
            items.append(
                arguments.earlier_features(own, other, candidate.name, distance=distance, paragraphs=blank)
            )
        return items

    def answer_items(self, listed: ConnectiveList) -> tuple[list[int], list[Item]]:
        """The sentences that follow a question, and features of whether they answer it."""
        numbers = [n for n in range(1, len(self.sentences)) if features.is_question(self.sentences[n - 1])]
        pairs = [(self.sentences[number - 1], self.sentences[number]) for number in numbers]
        return numbers, [features.answer_features(self.document, *pair, listed) for pair in pairs]


@dataclass(frozen=True, eq=False)
class DiscourseParser:
    """The models of a parser, and the list of connectives they know. ``parse`` is the whole of it."""

    models: dict[str, LinearModel]
    listed: ConnectiveList
    least: float = 0.5
    least_clause: float = 0.4
    digest: str = ""  # tells parsers apart; empty for one that was never stored

    @property
    def senses(self) -> tuple[str, ...]:
        """All senses that a connective may have."""
        return self.models["sense"].classes

    @classmethod
    def load(cls, folder: Path | None = None) -> DiscourseParser:
        """The parser in a folder, by default the one that ships; BundleError where it can't be read."""
        return _load(folder or SHIPPED)

    def parse(
        self,
        document: Document | ParsedDocument,
        *,
        connectives: Sequence[Sequence[int]] | None = None,
        implicit: bool = True,
    ) -> list[ParsedRelation]:
        """The explicit relations, and the implicit ones inside sentences, in text order.

        ``connectives`` are the tokens of known ones, which then aren't looked for. LayerError where the
        document has no constituents or dependencies.
        """
        parsed = document if isinstance(document, ParsedDocument) else ParsedDocument(document)
        if not parsed.sentences:
            return []
        if connectives is None:
            found = self.find_connectives(parsed)
        else:
            found = [
                FoundConnective(*place, 1.0, parsed.connective_features(*place, self.listed))
                for place in map(parsed.locate, connectives)
            ]
        relations = self._explicit(parsed, found)
        if implicit:
            relations.extend(self._implicit(parsed, found, relations))
        return sorted(relations, key=lambda one: (one.connective or one.arg2, one.arg2, one.arg1))

    def explain(self, parsed: ParsedDocument, connective: Sequence[int]) -> tuple[Terms, Terms]:
        """Why these tokens are a connective, or none, the largest first; why it has its sense."""
        number, candidate = parsed.locate(connective)
        is_connective = self.models["connective"].terms(
            parsed.connective_features(number, candidate, self.listed)
        )
        senses = self.models["sense"].terms(parsed.sense_features(number, candidate, self.listed))
        return sorted(is_connective, key=lambda term: -abs(term[1][0])), senses

    def explain_answer(self, parsed: ParsedDocument, number: int) -> Terms:
        """Why a sentence answers the question before it: features with their parts in the score."""
        numbers, items = parsed.answer_items(self.listed)
        return self.models["answer"].terms(items[numbers.index(number)])

    def find_connectives(self, parsed: ParsedDocument) -> list[FoundConnective]:
        """The connectives of a document, in text order."""
        by_sentence = [self.listed.candidates(sentence) for sentence in parsed.sentences]
        items = [
            parsed.connective_features(number, candidate, self.listed)
            for number, candidates in enumerate(by_sentence)
            for candidate in candidates
        ]
        chances = yes_probabilities(self.models["connective"].scores(items)).tolist()
        found: list[FoundConnective] = []
        offset = 0
        for number, candidates in enumerate(by_sentence):
            begin, offset = offset, offset + len(candidates)
            here = chances[begin:offset]
            found.extend(
                FoundConnective(number, candidates[chosen], here[chosen], items[begin + chosen])
                for chosen in without_overlaps(candidates, here, least=self.least)
            )
        return found

    def find_answers(self, parsed: ParsedDocument) -> dict[int, float]:
        """The sentences that answer the question before them, each with its probability."""
        numbers, items = parsed.answer_items(self.listed)
        chances = yes_probabilities(self.models["answer"].scores(items)).tolist()
        return {n: chance for n, chance in zip(numbers, chances, strict=True) if chance >= 0.5}

    def _explicit(self, parsed: ParsedDocument, found: Sequence[FoundConnective]) -> list[ParsedRelation]:
        senses = self.rank_senses(parsed, found)
        before = yes_probabilities(self.models["earlier"].scores([one.features for one in found])) >= 0.5
        arg2s, arg1s = self._spans(
            [arguments.anchor_connective(parsed.sentences[one.sentence], one.candidate) for one in found]
        )
        distances = self._earlier_sentences(parsed, found)
        relations = []
        for number, (one, arg2, arg1) in enumerate(zip(found, arg2s, arg1s, strict=True)):
            sentence, parts = parsed.sentences[one.sentence], one.candidate.parts
            connective = tuple(sentence.start + token for token in one.candidate.tokens)
            # Where Arg1 lies in an earlier sentence, both arguments are whole sentences. Connectives with a
            # gap ("either ... or") join parts of their own sentence.
            if one.sentence and ((before[number] and len(parts) == 1) or arg1 is None):
                second = _tokens(sentence.start, (0, len(sentence)), connective)
                other = parsed.sentences[one.sentence - distances[number]]
                first = _tokens(other.start, (0, len(other)), ())
            else:
                second = _tokens(sentence.start, arg2, connective)
                first = _tokens(sentence.start, arg1, (*connective, *second))
            if not first or not second:
                continue  # a text that is nothing but a connective joins nothing
            stated = connective, one.candidate.name
            relations.append(
                ParsedRelation(RelationKind.EXPLICIT, first, second, one.probability, senses[number], *stated)
            )
        return relations

    def rank_senses(self, parsed: ParsedDocument, found: Sequence[FoundConnective]) -> list[Ranked]:
        """The senses that each connective may have, with probabilities, the most probable first."""
        model, sentences = self.models["sense"], parsed.sentences
        items = [
            [*one.features, *features.sense_features(sentences[one.sentence], one.candidate, self.listed)]
            for one in found
        ]
        scores = model.scores(items)
        for row, one in enumerate(found):
            if allowed := self.listed.senses.get(one.candidate.name):
                barred = [number for number, sense in enumerate(model.classes) if sense not in allowed]
                scores[row, barred] = -np.inf
        return _rank_classes(model, scores)

    def _spans(self, anchors: Sequence[Anchor]) -> tuple[list[Span | None], list[Span | None]]:
        """Arg2 with its connective, and Arg1 in the same sentence, of each anchor."""
        choices = [arguments.arg2_choice(anchor, self.listed) for anchor in anchors]
        arg2s = choose_spans(self.models["arg2"], choices)
        choices = [
            arguments.arg1_choice(anchor, arg2, self.listed) if arg2 else SpanChoice([], [], [], [], [])
            for anchor, arg2 in zip(anchors, arg2s, strict=True)
        ]
        return arg2s, choose_spans(self.models["arg1"], choices)

    def _earlier_sentences(self, parsed: ParsedDocument, found: Sequence[FoundConnective]) -> list[int]:
        groups = [parsed.earlier_features(one.sentence, one.candidate) for one in found]
        scores = self.models["earlier sentence"].scores([item for group in groups for item in group])[:, 0]
        best, offset = [], 0
        for group in groups:
            here = scores[offset : offset + len(group)]
            best.append(1 + int(here.argmax()) if len(here) else 0)
            offset += len(group)
        return best

    def _implicit(
        self, parsed: ParsedDocument, found: Sequence[FoundConnective], explicit: Sequence[ParsedRelation]
    ) -> list[ParsedRelation]:
        stated: dict[int, list[int]] = {}  # first token of a sentence -> tokens of its connectives
        for one in found:
            start = parsed.sentences[one.sentence].start
            stated.setdefault(start, []).extend(one.candidate.tokens)
        anchors = [anchor for sentence in parsed.sentences for anchor in features.clause_candidates(sentence)]
        items = [
            features.clause_features(anchor, self.listed, stated.get(anchor.sentence.start, ()), parsed.style)
            for anchor in anchors
        ]
        chances = yes_probabilities(self.models["clause"].scores(items))
        chosen = np.flatnonzero(chances >= self.least_clause).tolist()
        model = self.models["clause sense"]
        senses = _rank_classes(model, model.scores([items[number] for number in chosen]))
        arg2s, arg1s = self._spans([anchors[number] for number in chosen])
        relations = []
        for number, ranked, arg2, arg1 in zip(chosen, senses, arg2s, arg1s, strict=True):
            start = anchors[number].sentence.start
            second = _tokens(start, arg2, ())
            first = _tokens(start, arg1, second)
            if first and second and not _is_stated(first, second, explicit):
                probability = float(chances[number])
                relations.append(ParsedRelation(RelationKind.IMPLICIT, first, second, probability, ranked))
        return relations


@lru_cache(maxsize=4)
def _load(folder: Path) -> DiscourseParser:
    models, settings, digest = read_models(folder)
    senses = {name: tuple(senses) for name, senses in settings["connectives"].items()}
    listed = ConnectiveList(senses, frozenset(settings["frequent words"].split()))
    return DiscourseParser(models, listed, settings["least connective"], settings["least clause"], digest)


def _tokens(start: int, span: Span | None, without: Collection[int]) -> tuple[int, ...]:
    if span is None:
        return ()
    left_out = frozenset(without)
    return tuple(token for token in range(start + span[0], start + span[1]) if token not in left_out)


def _rank_classes(model: LinearModel, scores: Scores) -> list[Ranked]:
    if not len(scores):
        return []
    chances = probabilities(scores)
    order = np.argsort(-chances, axis=1, kind="stable")
    return [
        tuple((model.classes[number], float(row[number])) for number in ranks if row[number] > 0)
        for ranks, row in zip(order.tolist(), chances, strict=True)
    ]


def _is_stated(arg1: tuple[int, ...], arg2: tuple[int, ...], explicit: Sequence[ParsedRelation]) -> bool:
    return any(
        one.arg1[0] <= max(arg1[-1], arg2[-1])
        and min(arg1[0], arg2[0]) <= one.arg2[-1]
        and (
            min(token_f1(arg1, one.arg1), token_f1(arg2, one.arg2)) >= SAME
            or min(token_f1(arg1, one.arg2), token_f1(arg2, one.arg1)) >= SAME
        )
        for one in explicit
    )


def token_f1(one: Collection[int], other: Collection[int]) -> float:
    """``2 |A ∩ B| / (|A| + |B|)`` of two sets of tokens."""
    both = len(set(one) & set(other))
    return 2 * both / (len(one) + len(other)) if both else 0.0
