"""Annotators add layers to documents: the protocol, several as one, spaCy pipelines, the user's choice.

Layers leave spaCy as an ``Analysis`` of plain lists, because a spaCy document is only valid inside the memory
zone it was made in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, groupby, pairwise
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from disco2.annotation.cache import LayerStore, annotate_with_store, file_fingerprint, fingerprint
from disco2.annotation.text import Piece, replace_surrogates, split_text
from disco2.data import Dependencies, Document, Sentence, Token
from disco2.data.records import ROOT, single_rooted
from disco2.errors import LayerError, SettingsError
from disco2.threads import single_threaded

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.vocab import Vocab


class Layer(StrEnum):
    """The layers of a document, in the order in which they can be made."""

    TOKENS = "tokens"  # with sentences
    TAGS = "tags"
    DEPENDENCIES = "dependencies"
    CONSTITUENTS = "constituents"
    COREFERENCE = "coreference"


Layers = frozenset[Layer]
ALL_LAYERS: Layers = frozenset(Layer)


class Annotator(Protocol):
    """Adds layers to documents.

    ``requires`` has a key for each layer that the annotator provides; its value are the layers that a
    document must have before. ``annotate`` makes only the given ``layers`` and keeps the others; new tokens
    remove all other layers. Documents are returned in order, with id and text unchanged.

    An annotator may have a ``fingerprint``: the key of its output in the cache, "" for output that must not
    be cached.
    """

    @property
    def name(self) -> str:
        """The name in reports and model cards."""

    @property
    def requires(self) -> Mapping[Layer, Layers]: ...

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]: ...


def raw_document(text: str, *, document_id: str = "text") -> Document:
    """A document without any layer, for an annotator that makes tokens."""
    return Document(document_id, text, (), ())


class Annotators:
    """Several annotators as one: each layer is made by the last one that provides it.

    ``Annotators([built_in, other])`` takes the layers of the second from it and the rest from the first. With
    a ``store``, documents that were annotated before are read from it; ``recalled`` counts them. Leaving the
    context calls ``close``.
    """

    def __init__(self, annotators: Sequence[Annotator], *, store: LayerStore | None = None) -> None:
        self._makers: dict[Layer, Annotator] = {
            layer: annotator for annotator in annotators for layer in Layer if layer in annotator.requires
        }
        self.store = store
        self.recalled = 0

    def __enter__(self) -> Annotators:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the annotators that have a ``close``, such as a separate program."""
        for annotator in self._makers.values():
            if (close := getattr(annotator, "close", None)) is not None:
                close()

    @property
    def name(self) -> str:
        return " + ".join(self.names(frozenset(self._makers)))

    def names(self, layers: Layers) -> list[str]:
        """The names of the annotators that make these layers."""
        return list(dict.fromkeys(maker.name for maker in self.makers(layers)))

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        return {layer: maker.requires[layer] for layer, maker in self._makers.items()}

    def maker(self, layer: Layer) -> Annotator:
        """The annotator that makes a layer."""
        if layer not in self._makers:
            raise SettingsError(
                f"No annotator makes {layer}.", hint=f"{self.name} makes: {', '.join(sorted(self._makers))}."
            )
        return self._makers[layer]

    def makers(self, layers: Layers) -> list[Annotator]:
        """The annotator of each of these layers, in order."""
        return [self.maker(layer) for layer in Layer if layer in layers]

    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        """Make these layers in order and keep the others, for example gold trees.

        Raises LayerError if a document lacks a layer that is needed and is not among ``layers``.
        """
        check_mixture(layers)
        if self.store is None:
            return self._make(documents, layers)
        makers = fingerprint(self, layers)
        found, recalled = annotate_with_store(self.store, makers, documents, layers, make=self._make)
        self.recalled += recalled
        return found

    @single_threaded()
    def _make(self, documents: Sequence[Document], layers: Layers) -> list[Document]:
        found = list(documents)
        # Neighbouring layers of one annotator are made in one call.
        asked = [layer for layer in Layer if layer in layers]
        for maker, group in groupby(asked, key=self.maker):
            share = frozenset(group)
            for layer in sorted(share):
                _check_present(found, maker.requires[layer] - layers, before=layer, maker=maker.name)
            found = maker.annotate(found, layers=share)
        return found


@dataclass(frozen=True, slots=True)
class AnnotatorChoice:
    """Which annotator makes which layer; by default the built-in English annotators make all.

    ``spacy`` is the name of an installed pipeline or its folder; the pipeline makes the layers it can.
    """

    spacy: str = ""

    def open(self, *, layers: Layers = ALL_LAYERS, on_demand: bool = False) -> Annotators:
        """Load only the annotators of these layers; ``on_demand`` loads built-in ones at their first use."""
        from disco2.annotation.english.annotators import english_annotators

        chosen: list[Annotator] = []
        if self.spacy and layers - {Layer.CONSTITUENTS}:
            chosen.append(SpacyPipeline.load(self.spacy))
        made = frozenset(layer for annotator in chosen for layer in annotator.requires)
        return Annotators([*english_annotators(layers=layers - made, on_demand=on_demand), *chosen])


def check_mixture(layers: Layers) -> None:
    """Raise SettingsError for new tokens with old layers, which refer to the old tokens."""
    if Layer.TOKENS in layers and layers != ALL_LAYERS:
        kept = ", ".join(sorted(ALL_LAYERS - layers))
        raise SettingsError(
            f"Automatic tokens can't be combined with {kept} from the corpus.",
            hint="Make all layers automatic, or keep the corpus's tokens.",
        )


def _check_present(documents: Sequence[Document], needed: Layers, *, before: Layer, maker: str) -> None:
    """Raise LayerError for the first document without a layer that ``maker`` needs to make ``before``."""
    for layer in Layer:
        for document in documents if layer in needed else ():
            if not is_present(layer, document):
                raise LayerError(
                    f"The document has no {layer}, which {maker} needs to make {before}.",
                    where=document.id,
                    hint=f"Make {layer} as well, or give documents that have this layer.",
                )


def is_present(layer: Layer, document: Document) -> bool:
    """Whether a document has the layer, or is empty.

    One tag or one tree is enough: readers leave out trees that do not fit the text.
    """
    tokens, sentences = document.tokens, document.sentences
    match layer:
        case Layer.TOKENS:
            return bool(tokens) or not any(map(str.isalnum, document.text))
        case Layer.TAGS:
            return not tokens or any(token.tag for token in tokens)
        case Layer.DEPENDENCIES:
            return not sentences or any(sentence.dependencies is not None for sentence in sentences)
        case Layer.CONSTITUENTS:
            return not sentences or any(sentence.constituents is not None for sentence in sentences)
        case Layer.COREFERENCE:
            return document.mentions is not None


SPACY_ROOT = "ROOT"  # spaCy's label of the root


@dataclass(frozen=True, slots=True)
class Analysis:
    """The tokens and sentences of a spaCy document; tags and dependencies are empty if they were not made."""

    starts: Sequence[int]  # characters
    ends: Sequence[int]
    sentences: Sequence[tuple[int, int]]  # spans of tokens
    tags: Sequence[str]
    dependencies: Sequence[Dependencies | None]  # one for each sentence


def to_spacy(document: Document, first: int = 0, end: int | None = None, *, vocab: Vocab) -> Doc:
    """A spaCy document with the tokens ``first`` to ``end`` (exclusive) and their sentences.

    Any gap between words becomes one space.
    """
    from spacy.tokens import Doc

    tokens = document.tokens[first:end]
    sentence_starts: list[bool | int | None] = [False] * len(tokens)
    for sentence in document.sentences[max(0, document.sentence_index(first)) :]:
        if sentence.start >= first + len(tokens):
            break
        if len(sentence):
            sentence_starts[sentence.start - first] = True
    return Doc(
        vocab,
        words=[replace_surrogates(token.text) for token in tokens],
        spaces=[*(token.end < follower.start for token, follower in pairwise(tokens)), False][: len(tokens)],
        sent_starts=sentence_starts,
    )


def sentence_spans(doc: Doc) -> list[tuple[int, int]]:
    """The sentences of a document as spans of tokens; without any boundary it is one sentence."""
    marks = doc.to_array("SENT_START").view("int64").tolist()
    bounds = [0, *(index for index, mark in enumerate(marks) if mark == 1 and index > 0), len(doc)]
    return list(pairwise(bounds))


def word_mask(doc: Doc) -> list[bool]:
    """Which tokens are words, and not whitespace."""
    strings = doc.vocab.strings
    return [not strings[key].isspace() for key in doc.to_array("ORTH").tolist()]


def analysis_of(
    doc: Doc,
    sentences: Sequence[tuple[int, int]],
    *,
    tagged: bool,
    parsed: bool,
    words: Sequence[bool] | None = None,
) -> Analysis:
    """The annotation of a spaCy document with these sentences.

    With ``words``, a mask of the tokens, the others are left out, and so are sentences without a word. A word
    whose head is left out gets the head and label of that head. Each sentence has one root: further words
    whose head is outside the sentence are attached to the first.
    """
    strings = doc.vocab.strings
    mask = [True] * len(doc) if words is None else words
    kept = [index for index, word in enumerate(mask) if word]
    before = [0, *accumulate(mask)]  # the number of words before each token
    spans = [(before[start], before[end]) for start, end in sentences]
    spans = [(start, end) for start, end in spans if start < end or words is None]
    starts, lengths = doc.to_array(["IDX", "LENGTH"])[kept].T.tolist()
    tags = [strings[key] for key in doc.to_array("TAG")[kept].tolist()] if tagged else []
    trees: list[Dependencies | None] = [None] * len(spans)
    if parsed:
        heads = [index + offset for index, offset in enumerate(doc.to_array("HEAD").view("int64").tolist())]
        labels = [strings[key] for key in doc.to_array("DEP").tolist()]
        trees = [_tree(heads, labels, mask, before, kept[start:end]) for start, end in spans]
    ends = [start + length for start, length in zip(starts, lengths, strict=True)]
    return Analysis(starts, ends, spans, tags, trees)


def _tree(
    heads: Sequence[int],
    labels: Sequence[str],
    mask: Sequence[bool],
    before: Sequence[int],
    sentence: Sequence[int],
) -> Dependencies:
    """The dependencies of the words of a sentence.

    The heads of a spaCy document have no cycles, and a word whose head is outside counts as a root, so this
    is a tree.
    """
    new_heads: list[int] = []
    new_labels: list[str] = []
    for index in sentence:
        head, label = heads[index], labels[index]
        while not mask[head] and heads[head] != head:
            head, label = heads[head], labels[head]
        hangs = head != index and mask[head] and sentence[0] <= head <= sentence[-1]
        new_heads.append(before[head] - before[sentence[0]] if hangs else -1)
        new_labels.append(label if hangs else ROOT)
    return single_rooted(new_heads, new_labels)


def join_pieces(document: Document, pieces: Sequence[Piece], analyses: Sequence[Analysis]) -> Document:
    """A document with the tokens and sentences of the pieces of its text, and no other layers."""
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    text = document.text
    for piece, analysis in zip(pieces, analyses, strict=True):
        first = len(tokens)
        tags = analysis.tags or [""] * len(analysis.starts)
        for start, end, tag in zip(analysis.starts, analysis.ends, tags, strict=True):
            start, end = piece.span(start, end)
            tokens.append(Token(text[start:end], start, end, tag))
        for (start, end), tree in zip(analysis.sentences, analysis.dependencies, strict=True):
            sentences.append(Sentence(first + start, first + end, dependencies=tree))
    return Document(document.id, text, tuple(tokens), tuple(sentences))


def with_layers(document: Document, analyses: Sequence[Analysis], *, layers: Layers) -> Document:
    """The document with new tags or dependencies from its parts; other layers are kept.

    The parts cover all tokens, in order; empty sentences have no dependencies.
    """
    tokens, sentences = document.tokens, document.sentences
    if Layer.TAGS in layers:
        tags = [tag for analysis in analyses for tag in analysis.tags]
        tokens = tuple([replace(token, tag=tag) for token, tag in zip(tokens, tags, strict=True)])
    if Layer.DEPENDENCIES in layers:
        trees = (tree for analysis in analyses for tree in analysis.dependencies)
        sentences = tuple([replace(one, dependencies=next(trees)) if len(one) else one for one in sentences])
    return replace(document, tokens=tokens, sentences=sentences)


KEPT = 20_000  # words in the vocabulary of a pipeline before memory zones are used


class MemoryZones:
    """Memory zones of a pipeline, for one thread at a time; new words are forgotten at the end of a zone.

    Otherwise spaCy's vocabulary keeps every word. No spaCy document may be used after its zone.
    """

    def __init__(self, pipeline: Language) -> None:
        self._pipeline = pipeline
        self._lock = Lock()  # zones can't be nested, and a pipeline has one vocabulary

    @contextmanager
    def zone(self) -> Iterator[None]:
        with self._lock:
            if len(self._pipeline.vocab) < KEPT:  # without a zone, words that occur again are faster
                yield
            else:
                with self._pipeline.memory_zone():
                    yield


# Pipelines as annotators.

# Each layer, and what a spaCy component declares to assign if it makes that layer.
_ASSIGNED = {Layer.TOKENS: "token.is_sent_start", Layer.TAGS: "token.tag", Layer.DEPENDENCIES: "token.dep"}
_NOT_NEEDED = frozenset({"ner", "entity_linker", "lemmatizer", "trainable_lemmatizer", "textcat", "spancat"})


class SpacyPipeline:
    """A spaCy pipeline: tokens and sentences, tags, dependencies, as far as it has components for them.

    Sentences need a parser, a senter or a sentencizer, and tags a tagger. Dependencies have the pipeline's
    labels, except ``root``; those of spaCy's English pipelines are not Universal Dependencies. Documents with
    tokens keep tokens and sentences, unless new ones are requested.
    """

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp
        self._memory = MemoryZones(nlp)
        self.name = f"spaCy {nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}"
        assigned = {what for name in nlp.pipe_names for what in nlp.get_pipe_meta(name).assigns}
        needs_tokens = frozenset({Layer.TOKENS})
        self.requires: Mapping[Layer, Layers] = {
            layer: needs_tokens - {layer} for layer, what in _ASSIGNED.items() if what in assigned
        }
        if not self.requires:
            raise SettingsError(
                f"The pipeline {self.name} has no component that makes a layer.",
                hint="Choose one with a tagger and a parser, such as en_core_web_md.",
            )

    @classmethod
    def load(cls, pipeline: str) -> SpacyPipeline:
        """The pipeline of an installed package, or in a folder; SettingsError if it can't be loaded."""
        import spacy

        try:
            nlp = spacy.load(pipeline)
        except Exception as error:  # a pipeline's code may raise anything
            raise SettingsError(
                f"The spaCy pipeline '{pipeline}' can't be loaded: {_first_line(error)}",
                hint=f"python -m spacy download {pipeline} installs it; python -m spacy validate checks it.",
            ) from error
        unneeded = [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory in _NOT_NEEDED]
        nlp.select_pipes(disable=unneeded)
        return cls(nlp)

    @property
    def fingerprint(self) -> str:
        """Cache key of its output; empty if the pipeline is not in a folder."""
        if self._nlp.path is None:
            return ""
        return f"{self.name}, {', '.join(self._nlp.pipe_names)}, {file_fingerprint(self._nlp.path)}"

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        return [self._annotated(document, layers) for document in documents]

    def _annotated(self, document: Document, layers: Layers) -> Document:
        """New tokens are made paragraph by paragraph: no sentence crosses one, and memory is bounded."""
        tagged, parsed = Layer.TAGS in layers, Layer.DEPENDENCIES in layers
        with self._memory.zone():
            if Layer.TOKENS in layers:
                pieces = split_text(document.text)
                docs = self._run([self._nlp.make_doc(piece.text) for piece in pieces], document)
                analyses = [
                    analysis_of(doc, sentence_spans(doc), tagged=tagged, parsed=parsed, words=word_mask(doc))
                    for doc in docs
                ]
                return join_pieces(document, pieces, analyses)
            if not document.tokens:
                return document
            spans = [(sentence.start, sentence.end) for sentence in document.sentences if len(sentence)]
            [doc] = self._run([to_spacy(document, vocab=self._nlp.vocab)], document)
            analyses = [analysis_of(doc, spans, tagged=tagged, parsed=parsed)]
            return with_layers(document, analyses, layers=layers)

    def _run(self, docs: Sequence[Doc], document: Document) -> list[Doc]:
        try:
            return list(self._nlp.pipe(docs))
        except Exception as error:  # a pipeline's code may raise anything
            what = f"The pipeline {self.name} failed: {_first_line(error)}"
            raise LayerError(what, where=document.id) from error


def _first_line(error: Exception) -> str:
    """The first line of another package's error, for our message."""
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
