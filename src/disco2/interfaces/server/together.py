"""Documents of several requests, annotated in one go.

Annotating many short documents at once takes much less time than one by one. What each request does with its
own is none of this: it asks for its documents as if it were alone, and finds them done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from threading import Lock

from disco2.annotation.annotator import ALL_LAYERS, Annotator, Annotators, Layer, Layers
from disco2.annotation.english.annotators import ComponentOnDemand
from disco2.annotation.english.constituents import SpanParser
from disco2.annotation.english.coreference import MentionRanker
from disco2.annotation.english.syntax import SpacySyntax
from disco2.annotation.spacy_pipeline import SpacyPipeline
from disco2.data import Document

_FOR_THREADS = (ComponentOnDemand, MentionRanker, SpacyPipeline, SpacySyntax, SpanParser)

Turn = AbstractContextManager[object]


def turn_at(annotators: Annotator) -> Turn:
    """To be held by the thread that asks them: a lock, unless they are known to bear several threads."""
    makers = [annotators]
    if isinstance(annotators, Annotators):
        makers = [annotators.maker(layer) for layer in annotators.requires]
    return nullcontext() if all(isinstance(maker, _FOR_THREADS) for maker in makers) else Lock()


class TogetherAnnotator:
    """Hands out documents that were prepared; makes those that were not. For one thread."""

    def __init__(self, annotators: Annotator, *, turn: Turn) -> None:
        self._annotators = annotators
        self._turn = turn
        self._prepared: dict[str, Document] = {}  # by their texts

    @property
    def name(self) -> str:
        return self._annotators.name

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        return self._annotators.requires

    @contextmanager
    def prepared(self) -> Iterator[None]:
        """Within it, what was prepared is kept."""
        try:
            yield
        finally:
            self._prepared.clear()

    def prepare(self, documents: Sequence[Document]) -> None:
        """Annotate all of them at once; to be asked for later."""
        missing = list({one.text: one for one in documents if one.text not in self._prepared}.values())
        if missing:
            found = self._made(missing, ALL_LAYERS)
            self._prepared |= {one.text: made for one, made in zip(missing, found, strict=True)}

    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        missing = [one for one in documents if layers != ALL_LAYERS or one.text not in self._prepared]
        made = iter(self._made(missing, layers) if missing else ())
        asked = {id(one) for one in missing}
        return [
            next(made) if id(one) in asked else replace(self._prepared[one.text], id=one.id)
            for one in documents
        ]

    def sizes(self, documents: Sequence[Document]) -> tuple[int, int]:
        """How many tokens and sentences there are, found at a small part of the cost of annotating them."""
        maker = self._annotators
        if isinstance(maker, Annotators):
            maker = maker.maker(Layer.TOKENS)
        with self._turn:
            found = maker.annotate(documents, layers=frozenset({Layer.TOKENS}))
        return sum(len(one.tokens) for one in found), sum(len(one.sentences) for one in found)

    def _made(self, documents: Sequence[Document], layers: Layers) -> list[Document]:
        with self._turn:
            return self._annotators.annotate(documents, layers=layers)
