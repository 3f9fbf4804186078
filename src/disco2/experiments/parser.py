"""How good the discourse parser is on a corpus, beside rules that need no learning.

Relations are on the tokens of the corpus's documents. Where layers were made from raw text, gold relations
lie on the automatic tokens under the same characters, so that nothing but the text is given.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from disco2.data import Corpus, Document, Relation, RelationKind
from disco2.data.senses import in_pdtb3
from disco2.evaluation.end_to_end import PrecisionRecall, SpanRelation, score_relations
from disco2.experiments.annotators import documents_of
from disco2.parser.parser import DiscourseParser, ParsedRelation
from disco2.training.parser import level2

Parse = Callable[[Document], list[SpanRelation]]
ParseGiven = Callable[[Document, list[tuple[int, ...]]], list[SpanRelation]]


@dataclass(frozen=True)
class ParserScores:
    """Figures of one system on one part: shares and counts by name; ``given`` has gold connectives."""

    end_to_end: dict[str, PrecisionRecall]
    given: dict[str, PrecisionRecall]
    senses: float  # accuracy of the sense of gold connectives
    implicit: dict[str, PrecisionRecall]  # inside a sentence; empty where the corpus has none there
    whole: dict[str, PrecisionRecall]  # everything but NoRel


def score_parser(corpus: Corpus, parse: Parse, parse_given: ParseGiven, *, part: str) -> ParserScores:
    """Score a system that parses documents, and one that is given the connectives."""
    documents = documents_of(corpus, part)
    gold = gold_relations(corpus, part)
    stated = [one for one in gold if one.kind == RelationKind.EXPLICIT and one.connective]
    inside = [one for one in gold if one.kind == RelationKind.IMPLICIT and _in_one_sentence(corpus, one)]
    found = [one for document in documents for one in parse(document)]
    connectives: dict[str, set[tuple[int, ...]]] = defaultdict(set)
    for one in stated:
        connectives[one.document].add(tuple(sorted(one.connective)))
    given = [
        one
        for document in documents
        for one in parse_given(document, sorted(connectives[document.id]))
        if one.kind == RelationKind.EXPLICIT
    ]
    sense_of = {(one.document, one.connective): one.senses[0] for one in given}
    right = sum(sense_of.get((one.document, one.connective)) in one.senses for one in stated)
    found_stated = [one for one in found if one.kind == RelationKind.EXPLICIT]
    found_inside = [
        one for one in found if one.kind == RelationKind.IMPLICIT and _in_one_sentence(corpus, one)
    ]
    return ParserScores(
        end_to_end=score_relations(stated, found_stated),
        given=score_relations(stated, given),
        senses=right / len(stated),
        implicit=score_relations(inside, found_inside) if inside else {},
        whole=score_relations(gold, found),
    )


def has_relations(corpus: Corpus, part: str) -> bool:
    """Whether a part has explicit relations, without which there is nothing to score or to learn from."""
    return any(
        corpus.parts.get(one.document) == part and one.kind == RelationKind.EXPLICIT and one.connective_tokens
        for one in corpus.relations
    )


def gold_relations(corpus: Corpus, part: str) -> list[SpanRelation]:
    """All relations of a part but NoRel; the kind stands for the sense of those that have none.

    Senses are PDTB 3's, which the parser knows, whatever the corpus has.
    """
    return [
        SpanRelation(
            one.document,
            one.kind.value,
            frozenset(one.arg1.tokens),
            frozenset(one.arg2.tokens),
            tuple(level2(in_pdtb3(sense)) for sense in one.senses) or (one.kind.value,),
            frozenset(one.connective_tokens),
        )
        for one in corpus.relations
        if corpus.parts.get(one.document) == part and one.kind != RelationKind.NOREL
    ]


def _in_one_sentence(corpus: Corpus, relation: SpanRelation) -> bool:
    document = corpus.documents[relation.document]
    tokens = relation.arg1 | relation.arg2
    return document.sentence_index(min(tokens)) == document.sentence_index(max(tokens))


def as_spans(document: Document, relations: Sequence[ParsedRelation]) -> list[SpanRelation]:
    """What the parser found, for scoring."""
    return [
        SpanRelation(
            document.id,
            one.kind.value,
            frozenset(one.arg1),
            frozenset(one.arg2),
            (one.sense,),
            frozenset(one.connective),
        )
        for one in relations
    ]


@dataclass(frozen=True)
class RuleBaseline:
    """Connectives by a list, sentences as arguments, the most common sense; learned by counting.

    A word of the list is a connective if it mostly was one. Arg2 is the sentence from the connective on, Arg1
    what stands before it there, or the sentence before. Neighbouring sentences without one have the most
    common sense.
    """

    senses: dict[tuple[str, ...], str]
    connectives: frozenset[tuple[str, ...]]
    longest: int
    implicit_sense: str

    @classmethod
    def learn(cls, corpus: Corpus) -> RuleBaseline:
        """Count on the training part."""
        senses: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        implicit: Counter[str] = Counter()
        for one in corpus.relations:
            if corpus.parts.get(one.document) != "train" or not one.senses:
                continue
            if one.kind == RelationKind.EXPLICIT and _is_run(one):
                connective = corpus.documents[one.document].words(one.connective_tokens)
                senses[tuple(word.lower() for word in connective)][level2(in_pdtb3(one.senses[0]))] += 1
            elif one.kind == RelationKind.IMPLICIT:
                implicit[level2(in_pdtb3(one.senses[0]))] += 1
        longest = max(map(len, senses))
        occurrences: Counter[tuple[str, ...]] = Counter()
        for document in documents_of(corpus, "train"):
            words = tuple(token.text.lower() for token in document.tokens)
            for length in range(1, longest + 1):
                occurrences.update(words[place : place + length] for place in range(len(words) - length + 1))
        return cls(
            {words: found.most_common(1)[0][0] for words, found in senses.items()},
            frozenset(words for words, found in senses.items() if 2 * found.total() >= occurrences[words]),
            longest,
            implicit.most_common(1)[0][0],
        )

    def parse(self, document: Document) -> list[SpanRelation]:
        """All relations of a document by the rules."""
        relations = self.parse_given(document, list(self._connectives(document)))
        linked = {
            document.sentence_index(min(one.arg2)) for one in relations if self._is_across(document, one)
        }
        relations.extend(
            SpanRelation(
                document.id,
                RelationKind.IMPLICIT.value,
                frozenset(range(first.start, first.end)),
                frozenset(range(second.start, second.end)),
                (self.implicit_sense,),
            )
            for number, (first, second) in enumerate(
                zip(document.sentences, document.sentences[1:], strict=False), start=1
            )
            if number not in linked
        )
        return relations

    def parse_given(self, document: Document, connectives: list[tuple[int, ...]]) -> list[SpanRelation]:
        """The explicit relations of given connectives."""
        usual = Counter(self.senses.values()).most_common(1)[0][0]
        relations = []
        for tokens in connectives:
            number = document.sentence_index(tokens[0])
            sentence = document.sentences[number]
            before = range(sentence.start, tokens[0])
            if len(before) < 2 and number:
                before = range(document.sentences[number - 1].start, document.sentences[number - 1].end)
            arg2 = frozenset(range(tokens[0], sentence.end)) - frozenset(tokens)
            if before and arg2:
                words = tuple(word.lower() for word in document.words(tokens))
                relations.append(
                    SpanRelation(
                        document.id,
                        RelationKind.EXPLICIT.value,
                        frozenset(before),
                        arg2,
                        (self.senses.get(words, usual),),
                        frozenset(tokens),
                    )
                )
        return relations

    def _connectives(self, document: Document) -> list[tuple[int, ...]]:
        words = [token.text.lower() for token in document.tokens]
        found = []
        place = 0
        while place < len(words):
            for length in range(self.longest, 0, -1):
                if tuple(words[place : place + length]) in self.connectives:
                    found.append(tuple(range(place, place + length)))
                    place += length - 1
                    break
            place += 1
        return found

    @staticmethod
    def _is_across(document: Document, relation: SpanRelation) -> bool:
        return document.sentence_index(min(relation.arg1)) != document.sentence_index(min(relation.arg2))


def _is_run(relation: Relation) -> bool:
    tokens = relation.connective_tokens
    return bool(tokens) and tokens[-1] - tokens[0] == len(tokens) - 1


def with_neighbours(parser: DiscourseParser, sense: str) -> Parse:
    """The parser, with one sense for neighbouring sentences that no explicit relation joins.

    It stands in for a model of implicit relations between sentences, so that whole parsers can be compared.
    """

    def parse(document: Document) -> list[SpanRelation]:
        relations = as_spans(document, parser.parse(document))
        linked = {
            (document.sentence_index(min(one.arg1)), document.sentence_index(min(one.arg2)))
            for one in relations
        }
        for number, (first, second) in enumerate(
            zip(document.sentences, document.sentences[1:], strict=False), start=1
        ):
            if (number - 1, number) not in linked:
                relations.append(
                    SpanRelation(
                        document.id,
                        RelationKind.IMPLICIT.value,
                        frozenset(range(first.start, first.end)),
                        frozenset(range(second.start, second.end)),
                        (sense,),
                    )
                )
        return relations

    return parse
