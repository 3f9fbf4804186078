"""Scores of the discourse parser on a corpus, compared with a rule baseline.

Relations are on the tokens of the corpus's documents. Where layers were made from raw text, gold relations
lie on the automatic tokens under the same characters, so that nothing but the text is given.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from disco2.data import Corpus, Document, Instance, Relation, RelationKind
from disco2.data.records import find_runs
from disco2.data.senses import in_pdtb3
from disco2.errors import CorpusError
from disco2.evaluation.end_to_end import PrecisionRecall, SpanRelation, score_relations, with_interval
from disco2.parser.connectives import level2
from disco2.parser.parser import ParsedRelation
from disco2.reporting.findings import Findings, Measure, Row, Table


@dataclass(frozen=True)
class System:
    """A parser under test: all relations of a document, the explicit ones of given connectives, and the
    sense of implicit relations whose arguments are given.
    """

    parse: Callable[[Document], list[SpanRelation]]
    parse_given: Callable[[Document, list[tuple[int, ...]]], list[SpanRelation]]
    classify: Callable[[Sequence[Instance]], list[str]]


@dataclass(frozen=True)
class Output:
    """What a system finds in a part of a corpus, beside the gold relations there."""

    corpus: Corpus
    documents: list[str]
    gold: list[SpanRelation]
    found: list[SpanRelation]
    given: list[SpanRelation]  # explicit ones, of gold connectives
    # The document of each implicit relation in a sentence, and whether its sense is right.
    classified: list[tuple[str, bool]]

    def of(self, documents: list[str]) -> Output:
        """The same for some of the documents."""
        gold, found, given = (
            [one for one in relations if one.document in documents]
            for relations in (self.gold, self.found, self.given)
        )
        classified = [one for one in self.classified if one[0] in documents]
        return Output(self.corpus, documents, gold, found, given, classified)


Scores = dict[str, PrecisionRecall]  # of one system on one part, by their titles in the table
_ARGUMENTS = ("Arg1 exact", "Arg2 exact", "both exact", "both overlap", "aligned")
_WITH_SENSE = {"exact, with sense": "exact", "aligned, with sense": "overlap"}
NOTES = (
    "F1 with its 95% interval over documents. exact: the same tokens; overlap: an F1 of 0.7 of each "
    "argument; aligned: of both on average, as at CoNLL-2016.",
    "rules: connectives by a list, sentences as arguments, the most common sense.",
)


def run_system(corpus: Corpus, system: System, *, part: str) -> Output:
    """Let a system find the relations of a part."""
    documents = documents_of(corpus, part)
    gold = gold_relations(corpus, part)
    connectives: dict[str, set[tuple[int, ...]]] = defaultdict(set)
    for stated in _stated(gold):
        connectives[stated.document].add(tuple(sorted(stated.connective)))
    inside = [
        one
        for one in corpus.relations
        if corpus.parts.get(one.document) == part
        and one.kind == RelationKind.IMPLICIT
        and one.senses
        and _in_one_sentence(corpus, one.document, {*one.arg1.tokens, *one.arg2.tokens})
    ]
    answers = system.classify([Instance(one, corpus.documents[one.document]) for one in inside])
    given = (system.parse_given(one, sorted(connectives[one.id])) for one in documents)
    return Output(
        corpus,
        [one.id for one in documents],
        gold,
        [one for document in documents for one in system.parse(document)],
        [one for relations in given for one in relations if one.kind == RelationKind.EXPLICIT],
        [(one.document, answer in _senses(one)) for one, answer in zip(inside, answers, strict=True)],
    )


def documents_of(corpus: Corpus, part: str) -> list[Document]:
    """The documents of one part of a corpus, in its order."""
    found = [document for name, document in corpus.documents.items() if corpus.parts.get(name) == part]
    if not found:
        raise CorpusError(f"The corpus has no part '{part}'.", where=corpus.name)
    return found


def score_output(output: Output) -> Scores:
    """The figures of what a system has found."""
    stated = _stated(output.gold)
    sense_of = {(one.document, one.connective): one.senses[0] for one in output.given}
    senses = [(one.document, sense_of.get((one.document, one.connective)) in one.senses) for one in stated]
    inside, found_inside = (
        [
            one
            for one in relations
            if one.kind == RelationKind.IMPLICIT
            and _in_one_sentence(output.corpus, one.document, one.arg1 | one.arg2)
        ]
        for relations in (output.gold, output.found)
    )
    end_to_end, given = score_relations(stated, _stated(output.found)), score_relations(stated, output.given)
    whole = score_relations(output.gold, output.found)  # everything but NoRel
    implicit = score_relations(inside, found_inside) if inside else {}
    classified = {"implicit in sentences, gold arguments: sense": output.classified}
    return {
        "connectives": end_to_end["connectives"],
        **_titled("explicit", end_to_end, "explicit", (*_ARGUMENTS, *_WITH_SENSE)),
        **_titled("gold connectives", given, "explicit", _ARGUMENTS),
        "gold connectives: sense": _accuracy(senses),
        **{title: _accuracy(some) for title, some in classified.items() if some},
        **_titled("implicit in sentences", implicit, "not explicit", ("both exact", *_WITH_SENSE)),
        **_titled("not explicit", whole, "not explicit", _WITH_SENSE),
        **_titled("all", whole, "all", _WITH_SENSE),
    }


def _titled(title: str, scores: Scores, kind: str, measures: Iterable[str]) -> Scores:
    """The measures of a kind of relations that there are."""
    names = {measure: f"{kind} {_WITH_SENSE.get(measure, measure)}" for measure in measures}
    return {f"{title}: {measure}": scores[name] for measure, name in names.items() if name in scores}


def parser_findings(corpus: Corpus, system: System, *, part: str, name: str) -> Findings:
    """The end-to-end table of a system beside rules, and its main figures by genre."""
    output = run_system(corpus, system, part=part)
    scores = score_output(output)
    rules: Scores = {}
    if part != "train" and has_relations(corpus, "train"):
        rules = score_output(run_system(corpus, RuleBaseline.learn(corpus).system, part=part))
    rows: list[Row] = []
    for title, one in scores.items():
        f1, other = (
            Measure(some[title].f1, interval=some[title].interval) if title in some else None
            for some in (scores, rules)
        )
        rows.append((title, one.gold, Measure(one.precision), Measure(one.recall), f1, other))
    columns: tuple[str, ...] = ("", "gold", "precision", "recall", "F1", "F1 of rules")
    heading = f"{corpus.name}, {part}: {name}"
    tables = [Table(f"parser-{part}", f"Relations from end to end, {heading}", columns, tuple(rows), NOTES)]
    genres = _genre_rows(output)
    if len(genres) > 1:
        columns = ("genre", "relations", *GENRE_COLUMNS)
        tables.append(Table(f"parser-{part}-genres", f"By genre (F1), {heading}", columns, genres))
    return Findings("parser", "The discourse parser from end to end", tables=tuple(tables))


GENRE_COLUMNS = {
    "connectives": "connectives",
    "sense": "gold connectives: sense",
    "both exact": "gold connectives: both exact",
    "all exact": "all: exact, with sense",
    "all aligned": "all: aligned, with sense",
}


def _genre_rows(output: Output) -> tuple[Row, ...]:
    """A row for each genre, which GUM's names of documents tell: ``GUM_academic_art``."""
    genres: dict[str, list[str]] = defaultdict(list)
    for name in output.documents:
        genres[name.split("_")[1] if name.count("_") > 1 else ""].append(name)
    rows: list[Row] = []
    for genre, names in sorted(genres.items()):
        chosen = output.of(names)
        if _stated(chosen.gold):
            scores = score_output(chosen)
            found = [scores.get(title) for title in GENRE_COLUMNS.values()]
            rows.append((genre, len(chosen.gold), *(Measure(one.f1) if one else None for one in found)))
    return tuple(rows)


def _stated(relations: Sequence[SpanRelation]) -> list[SpanRelation]:
    return [one for one in relations if one.kind == RelationKind.EXPLICIT and one.connective]


def _accuracy(answers: Sequence[tuple[str, bool]]) -> PrecisionRecall:
    """The share of right answers, with its interval over documents."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for document, right in answers:
        counts[document] = [sum(pair) for pair in zip(counts[document], (int(right), 1, 1), strict=True)]
    return with_interval(np.array(list(counts.values())))


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
    relations = (one for one in corpus.relations if corpus.parts.get(one.document) == part)
    return [
        _span(one.document, one.kind, one.arg1.tokens, one.arg2.tokens, _senses(one), one.connective_tokens)
        for one in relations
        if one.kind != RelationKind.NOREL
    ]


def _span(
    document: str,
    kind: RelationKind,
    arg1: Iterable[int],
    arg2: Iterable[int],
    senses: tuple[str, ...],
    connective: Iterable[int] = (),
) -> SpanRelation:
    return SpanRelation(document, kind.value, frozenset(arg1), frozenset(arg2), senses, frozenset(connective))


def _senses(relation: Relation) -> tuple[str, ...]:
    return tuple(level2(in_pdtb3(sense)) for sense in relation.senses) or (relation.kind.value,)


def _in_one_sentence(corpus: Corpus, name: str, tokens: Collection[int]) -> bool:
    document = corpus.documents[name]
    return document.sentence_index(min(tokens)) == document.sentence_index(max(tokens))


def as_spans(document: Document, relations: Sequence[ParsedRelation]) -> list[SpanRelation]:
    """What the parser found, for scoring."""
    return [
        _span(document.id, one.kind, one.arg1, one.arg2, (one.sense,), one.connective) for one in relations
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
            if one.kind == RelationKind.EXPLICIT and len(find_runs(one.connective_tokens)) == 1:
                connective = _lower_words(corpus.documents[one.document], one.connective_tokens)
                senses[connective][level2(in_pdtb3(one.senses[0]))] += 1
            elif one.kind == RelationKind.IMPLICIT:
                implicit[level2(in_pdtb3(one.senses[0]))] += 1
        longest = max(map(len, senses))
        occurrences: Counter[tuple[str, ...]] = Counter()
        for document in documents_of(corpus, "train"):
            words = _lower_words(document, range(len(document.tokens)))
            for length in range(1, longest + 1):
                occurrences.update(words[place : place + length] for place in range(len(words) - length + 1))
        return cls(
            {words: found.most_common(1)[0][0] for words, found in senses.items()},
            frozenset(words for words, found in senses.items() if 2 * found.total() >= occurrences[words]),
            longest,
            implicit.most_common(1)[0][0],
        )

    @property
    def system(self) -> System:
        return System(self.parse, self.parse_given, lambda inside: [self.implicit_sense] * len(inside))

    def parse(self, document: Document) -> list[SpanRelation]:
        """All relations of a document by the rules."""
        relations = self.parse_given(document, self._connectives(document))
        place = document.sentence_index
        linked = {place(min(one.arg2)) for one in relations if place(min(one.arg1)) != place(min(one.arg2))}
        spans = [range(one.start, one.end) for one in document.sentences]
        return relations + [
            _span(document.id, RelationKind.IMPLICIT, *pair, (self.implicit_sense,))
            for number, pair in enumerate(pairwise(spans), start=1)
            if number not in linked
        ]

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
            arg2 = [token for token in range(tokens[0], sentence.end) if token not in tokens]
            if before and arg2:
                sense = self.senses.get(_lower_words(document, tokens), usual)
                relations.append(_span(document.id, RelationKind.EXPLICIT, before, arg2, (sense,), tokens))
        return relations

    def _connectives(self, document: Document) -> list[tuple[int, ...]]:
        words = _lower_words(document, range(len(document.tokens)))
        found = []
        place = 0
        while place < len(words):
            lengths = range(self.longest, 0, -1)
            fits = (length for length in lengths if words[place : place + length] in self.connectives)
            if length := next(fits, 0):
                found.append(tuple(range(place, place + length)))
            place += max(length, 1)
        return found


def _lower_words(document: Document, tokens: Sequence[int]) -> tuple[str, ...]:
    return tuple(word.lower() for word in document.words(tokens))
