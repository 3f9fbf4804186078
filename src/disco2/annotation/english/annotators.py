"""The built-in English annotators: which there are, how they are loaded, and the first one, syntax.

Syntax finds tokens and sentences, tags and dependencies with spaCy components that were trained on GUM. spaCy
gets a text paragraph by paragraph, so no sentence crosses a paragraph break; a single line end counts as a
space.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from itertools import pairwise, starmap
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from disco2.annotation.annotator import (
    ALL_LAYERS,
    Analysis,
    Annotators,
    Layer,
    Layers,
    MemoryZones,
    analysis_of,
    join_pieces,
    raw_document,
    sentence_spans,
    to_spacy,
    with_layers,
)
from disco2.annotation.english.constituents import SpanParser
from disco2.annotation.english.coreference import MentionRanker
from disco2.annotation.text import BLANK_LINE, LINE_END, Piece, split_text
from disco2.data import Document, Sentence
from disco2.errors import BundleError, Disco2Error
from disco2.files import read_listed_files
from disco2.threads import single_threaded
from disco2.vectors import WordVectors
from disco2.vectors.word_vectors import read_shipped

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_T = TypeVar("_T")
_R = TypeVar("_R")
Files = Mapping[str, bytes]  # the content of each file, by its path in the folder
VectorReader = Callable[[], WordVectors]

SENTENCES, ENCODER, TAGGER, PARSER = "senter", "tok2vec", "tagger", "parser"
# The size of a batch; larger ones are hardly faster and need more memory.
MOST_TOKENS, MOST_CHARACTERS = 4_000, 20_000


class SpacySyntax:
    """An annotator of tokens with sentences, Penn Treebank tags and Universal Dependencies."""

    NAME: ClassVar = "disco2 English syntax"
    REQUIRES: ClassVar[Mapping[Layer, Layers]] = {
        Layer.TOKENS: frozenset(),
        Layer.TAGS: frozenset({Layer.TOKENS}),
        Layer.DEPENDENCIES: frozenset({Layer.TOKENS}),
    }

    def __init__(self, pipeline: Language) -> None:
        self._pipeline = pipeline
        self._memory = MemoryZones(pipeline)

    @classmethod
    def load(cls, files: Files, vectors: VectorReader) -> SpacySyntax:
        """The pipeline in the files of its folder."""
        from disco2.annotation.english.spacy_english import read_pipeline

        return cls(read_pipeline(files, vectors()))

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        """With TOKENS, everything is made from the text; without, tokens and sentences are kept."""
        if Layer.TOKENS in layers:
            return self._from_texts(documents, layers)
        return self._on_tokens(documents, layers) if layers & set(self.REQUIRES) else list(documents)

    def _from_texts(self, documents: Sequence[Document], layers: Layers) -> list[Document]:
        from disco2.annotation.english.spacy_english import tokenise_paragraph

        def analyse(pieces: Sequence[Piece]) -> list[Analysis]:
            docs = [tokenise_paragraph(self._pipeline.tokenizer, piece.text) for piece in pieces]
            return self._analyses(self._through(SENTENCES, docs), layers)

        pieces = [split_text(document.text) for document in documents]
        found = self._in_batches(pieces, lambda piece: len(piece.text), analyse, most=MOST_CHARACTERS)
        return [join_pieces(*one) for one in zip(documents, pieces, found, strict=True)]

    def _on_tokens(self, documents: Sequence[Document], layers: Layers) -> list[Document]:
        def analyse(parts: Sequence[tuple[Document, int, int]]) -> list[Analysis]:
            return self._analyses([to_spacy(*part, vocab=self._pipeline.vocab) for part in parts], layers)

        parts = [
            [(document, group[0].start, group[-1].end) for group in sentence_groups(document)]
            for document in documents
        ]
        found = self._in_batches(parts, lambda part: part[2] - part[1], analyse, most=MOST_TOKENS)
        return [with_layers(*one, layers=layers) for one in zip(documents, found, strict=True)]

    def _in_batches(
        self,
        items: Sequence[Sequence[_T]],
        size: Callable[[_T], int],
        run: Callable[[Sequence[_T]], list[_R]],
        *,
        most: int,
    ) -> list[list[_R]]:
        """The results of each document's items; neighbours whose sizes add up to ``most`` run together."""
        flat = [item for of_document in items for item in of_document]
        made: list[_R] = []
        begin = total = 0
        for place, item in enumerate(flat, start=1):
            total += size(item)
            if place == len(flat) or total + size(flat[place]) > most:
                with self._memory.zone():
                    made += run(flat[begin:place])
                begin, total = place, 0
        results = iter(made)
        return [[next(results) for _ in of_document] for of_document in items]

    def _analyses(self, docs: list[Doc], layers: Layers) -> list[Analysis]:
        """Run the components that the layers need over documents with sentences."""
        tagged, parsed = Layer.TAGS in layers, Layer.DEPENDENCIES in layers
        # The parser respects sentences that are set, but marks them again from its trees.
        sentences = [sentence_spans(doc) for doc in docs]
        for component in [ENCODER] * (tagged or parsed) + [TAGGER] * tagged + [PARSER] * parsed:
            docs = self._through(component, docs)
        return [
            analysis_of(doc, spans, tagged=tagged, parsed=parsed)
            for doc, spans in zip(docs, sentences, strict=True)
        ]

    def _through(self, component: str, docs: list[Doc]) -> list[Doc]:
        if component in self._pipeline.pipe_names:
            run: Any = self._pipeline.get_pipe(component)
            run.set_annotations(docs, run.predict(docs))  # all at once: ``pipe`` would split them into four
        return docs


MOST_GROUPED = 300  # tokens in a group of more than one sentence


def sentence_groups(document: Document) -> list[list[Sentence]]:
    """The sentences in order, those of one paragraph together, up to ``MOST_GROUPED`` tokens."""
    groups: list[list[Sentence]] = []
    for sentence in document.sentences:
        if not len(sentence):
            continue
        before = groups[-1] if groups else None
        if before and sentence.end - before[0].start <= MOST_GROUPED:
            gap = document.tokens[before[-1].end - 1].end, document.tokens[sentence.start].start
            if BLANK_LINE.search(document.text[slice(*gap)]) is None:
                before.append(sentence)
                continue
        groups.append([sentence])
    return groups


SHIPPED = Path(__file__).resolve().parents[2] / "models" / "english"

Model = SpacySyntax | SpanParser | MentionRanker
# In the order in which they can be trained.
COMPONENTS: dict[str, type[Model]] = {
    "syntax": SpacySyntax,
    "constituents": SpanParser,
    "coreference": MentionRanker,
}


class Component:
    """A built-in annotator. Its files are verified at once and parsed when ``model`` is first needed."""

    def __init__(
        self, component: str, folder: Path | None = None, vectors: VectorReader = read_shipped
    ) -> None:
        self._kind, self._vectors = COMPONENTS[component], vectors
        self._folder = folder or SHIPPED / component
        self._files: Files = read_listed_files(self._folder)
        self._model: Model | None = None
        self._lock = Lock()  # so that two threads do not parse the same files
        self.name = self.fingerprint = f"{self._kind.NAME} {weights_digest(self._files)}"
        self.requires = self._kind.REQUIRES

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        return self.model.annotate(documents, layers=layers) if documents else []

    @property
    def model(self) -> Model:
        """The model; raises BundleError if its files can't be parsed."""
        with self._lock:
            if self._model is None:
                try:
                    self._model = self._kind.load(self._files, self._vectors)
                except Disco2Error:
                    raise
                except Exception as error:  # spaCy and safetensors raise exceptions of many kinds
                    raise BundleError(
                        f"The model can't be read ({type(error).__name__}: {error}).",
                        where=str(self._folder),
                        hint="Install disco2 again.",
                    ) from error
                self._files = {}  # not needed any more
            return self._model


def weights_digest(files: Files) -> str:
    """The first eight digits of the SHA-256 of files: names, sizes, contents."""
    total = sha256()
    for name in sorted(files, key=lambda name: PurePosixPath(name).parts):
        total.update(f"{name}\n{len(files[name])}\n".encode("utf-8", "surrogateescape"))
        total.update(files[name])
    return total.hexdigest()[:8]


def english_annotators(
    folder: Path = SHIPPED, *, layers: Layers = ALL_LAYERS, on_demand: bool = False
) -> list[Component]:
    """The components that make these layers; with ``on_demand`` each is parsed at its first use."""
    vectors = cache(read_shipped)  # read once for two components
    found = [
        Component(name, folder / name, vectors)
        for name, kind in COMPONENTS.items()
        if not layers.isdisjoint(kind.REQUIRES)
    ]
    if not on_demand:
        for component in found:
            _ = component.model
    return found


@cache
def shared_english() -> Annotators:
    """The built-in annotators of all layers, loaded on demand and once per process."""
    return Annotators(english_annotators(on_demand=True))


@single_threaded()
def split_sentences(documents: Sequence[Document], *, line_ends: bool = False) -> list[Document]:
    """Add sentences to documents with tokens: they begin where the built-in annotator begins one in the text.

    With ``line_ends`` each line ends a sentence.
    """
    given = [one.text for one in documents]
    if line_ends:  # Unicode's separators of paragraphs, as many characters as before
        given = [LINE_END.sub(lambda end: "\u2029" * len(end[0]), text) for text in given]
    texts = [raw_document(text) for text in given]
    tokens_only = frozenset({Layer.TOKENS})
    split = shared_english().maker(Layer.TOKENS).annotate(texts, layers=tokens_only)
    found: list[Document] = []
    for document, made in zip(documents, split, strict=True):
        places = [token.start for token in document.tokens]
        begins = (made.tokens[sentence.start].start for sentence in made.sentences)
        bounds = sorted({0, len(places), *(bisect_left(places, begin) for begin in begins)})
        found.append(replace(document, sentences=tuple(starmap(Sentence, pairwise(bounds)))))
    return found
