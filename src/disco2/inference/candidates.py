"""Which parts of a document may be related: adjacent sentences of one paragraph, or two arguments given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from disco2.annotation.text import BLANK_LINE, LINE_END
from disco2.data import Argument, Document, Instance, Relation, RelationKind, Sentence
from disco2.errors import SettingsError
from disco2.inference.connectives import opening_connective
from disco2.inference.plain_text import has_word
from disco2.inference.prediction import Span

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
