"""The first layers of the built-in annotator: tokens and sentences, tags, dependencies.

spaCy's components, trained on GUM. A text goes to spaCy paragraph by paragraph, so no sentence ever crosses a
paragraph break; a single line end is a space.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disco2.annotation.annotator import Layer, Layers
from disco2.annotation.english.analysis import Analysis, analysis_of, sentence_spans
from disco2.annotation.english.pieces import Piece, text_pieces
from disco2.annotation.english.sentence_groups import doc_of_group, sentence_groups
from disco2.errors import BundleError
from disco2.records import Document, Sentence, Token

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

SHIPPED = Path(__file__).resolve().parents[2] / "models" / "english" / "syntax"
SENTENCES, ENCODER, TAGGER, PARSER = "senter", "tok2vec", "tagger", "parser"
BATCH = 4_000  # tokens that go through the components at once; time hardly falls with more, memory grows


class SpacySyntax:
    """An annotator of tokens with sentences, Penn Treebank tags and Universal Dependencies."""

    def __init__(self, pipeline: Language) -> None:
        self._pipeline = pipeline

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> SpacySyntax:
        """Raises BundleError where the folder does not hold a trained pipeline."""
        from disco2.annotation.english.spacy_english import read_pipeline

        try:
            return cls(read_pipeline(folder))
        except Exception as error:  # spaCy lets through whatever its many readers raise
            raise BundleError(
                f"The model of tokens and dependencies can't be read ({type(error).__name__}: {error}).",
                where=str(folder),
                hint="Train it again with: disco2 annotator train, or install the package again.",
            ) from error

    @property
    def name(self) -> str:
        return "disco2 English syntax (spaCy, GUM)"

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        tokens = frozenset({Layer.TOKENS})
        return {Layer.TOKENS: frozenset(), Layer.TAGS: tokens, Layer.DEPENDENCIES: tokens}

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        """With TOKENS, everything is made from the text alone; without, tokens and sentences stay."""
        if Layer.TOKENS in layers:
            return self._from_texts(documents, layers)
        if layers & {Layer.TAGS, Layer.DEPENDENCIES}:
            return self._on_tokens(documents, layers)
        return list(documents)

    def _from_texts(self, documents: Sequence[Document], layers: Layers) -> list[Document]:
        pieces = [text_pieces(document.text) for document in documents]
        docs = (self._tokenised(piece) for of_document in pieces for piece in of_document)
        analyses = self._analyses(docs, layers=layers | {Layer.TOKENS})
        return [
            _document_of_pieces(document, [(piece, next(analyses)) for piece in of_document])
            for document, of_document in zip(documents, pieces, strict=True)
        ]

    def _on_tokens(self, documents: Sequence[Document], layers: Layers) -> list[Document]:
        groups = [sentence_groups(document) for document in documents]
        docs = (
            doc_of_group(document, group, self._pipeline.vocab)
            for document, of_document in zip(documents, groups, strict=True)
            for group in of_document
        )
        analyses = self._analyses(docs, layers=layers)
        return [
            _with_layers(document, [next(analyses) for _ in of_document], layers=layers)
            for document, of_document in zip(documents, groups, strict=True)
        ]

    def _tokenised(self, piece: Piece) -> Doc:
        from disco2.annotation.english.tokenizer_rules import stopped_spans

        doc = self._pipeline.make_doc(piece.text)
        wholes = [doc.char_span(start, end) for start, end in stopped_spans(piece.text)]
        if any(whole is not None and len(whole) > 1 for whole in wholes):
            with doc.retokenize() as retokenizer:
                for whole in wholes:
                    if whole is not None and len(whole) > 1:
                        retokenizer.merge(whole)
        return doc

    def _analyses(self, docs: Iterable[Doc], *, layers: Layers) -> Iterator[Analysis]:
        """Run the components that the layers need, a batch of documents at a time to bound the memory."""
        tagged, parsed = Layer.TAGS in layers, Layer.DEPENDENCIES in layers
        components = [ENCODER] * (tagged or parsed) + [TAGGER] * tagged + [PARSER] * parsed
        for batch in _batches(docs):
            if Layer.TOKENS in layers:
                batch = self._through(SENTENCES, batch)
            # The parser keeps to sentences that are set, but marks them anew from its trees.
            sentences = [sentence_spans(doc) for doc in batch]
            for component in components:
                batch = self._through(component, batch)
            for doc, spans in zip(batch, sentences, strict=True):
                yield analysis_of(doc, spans, tagged=tagged, parsed=parsed)

    def _through(self, component: str, docs: list[Doc]) -> list[Doc]:
        if component not in self._pipeline.pipe_names:
            return docs
        run: Any = self._pipeline.get_pipe(component)
        return list(run.pipe(docs, batch_size=len(docs)))


def _batches(docs: Iterable[Doc]) -> Iterator[list[Doc]]:
    batch: list[Doc] = []
    tokens = 0
    for doc in docs:
        if batch and tokens + len(doc) > BATCH:
            yield batch
            batch, tokens = [], 0
        batch.append(doc)
        tokens += len(doc)
    if batch:
        yield batch


def _document_of_pieces(document: Document, pieces: Sequence[tuple[Piece, Analysis]]) -> Document:
    """The document with nothing but what was found in the pieces of its text."""
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    text = document.text
    for piece, analysis in pieces:
        first = len(tokens)
        tags = analysis.tags or [""] * len(analysis.starts)
        for start, end, tag in zip(analysis.starts, analysis.ends, tags, strict=True):
            start, end = piece.span(start, end)
            tokens.append(Token(text[start:end], start, end, tag))
        for (start, end), tree in zip(analysis.sentences, analysis.dependencies, strict=True):
            sentences.append(Sentence(first + start, first + end, dependencies=tree))
    return Document(document.id, text, tuple(tokens), tuple(sentences))


def _with_layers(document: Document, analyses: Sequence[Analysis], *, layers: Layers) -> Document:
    """The document with new tags or dependencies, all else kept; empty sentences stay without."""
    tokens, sentences = document.tokens, document.sentences
    if Layer.TAGS in layers:
        tags = [tag for analysis in analyses for tag in analysis.tags]
        tokens = tuple([replace(token, tag=tag) for token, tag in zip(tokens, tags, strict=True)])
    if Layer.DEPENDENCIES in layers:
        trees = (tree for analysis in analyses for tree in analysis.dependencies)
        sentences = tuple(
            [
                replace(sentence, dependencies=next(trees)) if len(sentence) else sentence
                for sentence in sentences
            ]
        )
    return replace(document, tokens=tokens, sentences=sentences)
