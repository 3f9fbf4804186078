"""Conversion between spaCy documents and ours, and any installed spaCy pipeline as an annotator.

A raw text is given to spaCy in pieces; ``join_pieces`` makes the document, with exact offsets and
without whitespace tokens. A document with tokens is converted by ``to_spacy``, as a whole or in parts, and
``with_layers`` adds the new layers. Between the two is an ``Analysis`` of plain lists, because a spaCy
document is only valid inside the memory zone it was made in.

Components of other packages add trees (benepar) and chains (spacy-experimental, coreferee).
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate, pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from disco2.annotation.annotator import Layer, Layers, check_provided, first_line
from disco2.annotation.cache import file_fingerprint
from disco2.annotation.heads import ROOT, single_rooted
from disco2.annotation.text import Piece, replace_surrogates, split_text
from disco2.annotation.treebanks import BracketedSentence, parse_brackets
from disco2.data import Dependencies, Document, Mention, Sentence, Token
from disco2.errors import LayerError, SettingsError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.tokens import Token as SpacyToken
    from spacy.vocab import Vocab

SPACY_ROOT = "ROOT"  # spaCy's label of the root


@dataclass(frozen=True, slots=True)
class Analysis:
    """The tokens and sentences of a spaCy document; tags and dependencies are empty if they were not made."""

    starts: Sequence[int]  # characters
    ends: Sequence[int]
    sentences: Sequence[tuple[int, int]]  # spans of tokens
    tags: Sequence[str]
    dependencies: Sequence[Dependencies | None]  # one for each sentence


def to_spacy(
    document: Document, vocab: Vocab, first: int = 0, end: int | None = None, *, split: bool = True
) -> Doc:
    """A spaCy document with the tokens ``first`` to ``end`` (exclusive) and their sentences.

    Any gap between words becomes one space. Without ``split`` the sentences are not set.
    """
    from spacy.tokens import Doc

    tokens = document.tokens[first:end]
    sentence_starts: list[bool | int | None] = [False if split else None] * len(tokens)
    for sentence in document.sentences[max(0, document.sentence_index(first)) :] if split else ():
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
    starts, lengths = doc.to_array(["IDX", "LENGTH"]).T.tolist()
    ends = [start + length for start, length in zip(starts, lengths, strict=True)]
    tags = [strings[key] for key in doc.to_array("TAG").tolist()] if tagged else []
    heads: list[int] = []
    labels: list[str] = []
    if parsed:
        offsets = doc.to_array("HEAD").view("int64").tolist()
        heads = [index + offset for index, offset in enumerate(offsets)]
        labels = [strings[key] for key in doc.to_array("DEP").tolist()]
    if words is not None and not all(words):
        before = [0, *accumulate(words)]
        kept = [index for index, word in enumerate(words) if word]
        starts, ends = [starts[index] for index in kept], [ends[index] for index in kept]
        tags = [tags[index] for index in kept] if tagged else []
        heads, labels = _kept_heads(heads, labels, kept, words) if parsed else (heads, labels)
        spans = [(before[start], before[end]) for start, end in sentences]
        sentences = [(start, end) for start, end in spans if start < end]
    dependencies = [_tree(heads, labels, start, end) if parsed else None for start, end in sentences]
    return Analysis(starts, ends, sentences, tags, dependencies)


def _kept_heads(
    heads: Sequence[int], labels: Sequence[str], kept: Sequence[int], words: Sequence[bool]
) -> tuple[list[int], list[str]]:
    """Heads and labels of the kept tokens, as indices of these; a root is its own head."""
    place_of = {index: place for place, index in enumerate(kept)}
    new_heads: list[int] = []
    new_labels: list[str] = []
    for place, index in enumerate(kept):
        head, label = heads[index], labels[index]
        while not words[head] and heads[head] != head:
            head, label = heads[head], labels[head]
        new_heads.append(place_of.get(head, place))
        new_labels.append(label)
    return new_heads, new_labels


def _tree(heads: Sequence[int], labels: Sequence[str], start: int, end: int) -> Dependencies:
    """The dependencies of the tokens ``start`` to ``end``.

    The heads of a spaCy document have no cycles, and a token whose head is outside counts as a root, so this
    is a tree.
    """
    inside = [heads[index] != index and start <= heads[index] < end for index in range(start, end)]
    return single_rooted(
        [heads[start + place] - start if hangs else -1 for place, hangs in enumerate(inside)],
        [labels[start + place] if hangs else ROOT for place, hangs in enumerate(inside)],
    )


def join_pieces(document: Document, pieces: Iterable[tuple[Piece, Analysis]]) -> Document:
    """A document with the tokens and sentences of the pieces of its text, and no other layers."""
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
        sentences = tuple(
            [
                replace(sentence, dependencies=next(trees)) if len(sentence) else sentence
                for sentence in sentences
            ]
        )
    return replace(document, tokens=tokens, sentences=sentences)


KEPT = 20_000  # words in the vocabulary of a pipeline before memory zones are used


class MemoryZones:
    """Memory zones of a pipeline, for one thread at a time; new words are forgotten at the end of a zone.

    spaCy's vocabulary would keep every word forever. A spaCy document made in a zone must not be used after
    it.
    """

    def __init__(self, pipeline: Language, *, kept: int = KEPT) -> None:
        self._pipeline = pipeline
        self._kept = kept
        self._lock = Lock()  # zones can't be nested, and a pipeline has one vocabulary

    @contextmanager
    def zone(self) -> Iterator[None]:
        with self._lock:
            if len(self._pipeline.vocab) < self._kept:  # without a zone, words that occur again are faster
                yield
            else:
                with self._pipeline.memory_zone():
                    yield


# benepar stores the tree of a sentence as brackets, ``sentence._.parse_string``.


EXTENSION = "parse_string"


def trees_of(doc: Doc, sentences: Sequence[tuple[int, int]]) -> list[BracketedSentence]:
    """The trees of sentences, given as spans of tokens, that have one; whitespace is not a leaf.

    A sentence has none if benepar did not process the document, if the sentence is not a constituent there,
    or if a token contains a space, because then the brackets can't be read.
    """
    from spacy.tokens import Span

    if not Span.has_extension(EXTENSION):
        return []
    trees: list[BracketedSentence] = []
    for start, end in sentences:
        with suppress(Exception):  # benepar raises bare exceptions if it has no tree
            trees += parse_brackets(str(doc[start:end]._.get(EXTENSION)), where=EXTENSION)
    return trees


# Coreference as span groups, one group for each chain: spacy-experimental calls them ``coref_clusters_1``,
# ``coref_clusters_2`` and so on.


PREFIX = "coref_clusters"

ChainSpan = tuple[int, int, str]  # the tokens of a mention (end exclusive), and its chain


def chains_of(doc: Doc, *, prefix: str = PREFIX) -> list[ChainSpan] | None:
    """The mentions in all groups called ``prefix_...``, in text order; None if there is no such group."""
    groups = {key: group for key, group in doc.spans.items() if key.startswith(f"{prefix}_")}
    if not groups:
        return None
    found = {
        (span.start, span.end, key[len(prefix) + 1 :])
        for key, group in groups.items()
        for span in group
        if span.end > span.start
    }
    return sorted(found, key=lambda mention: (mention[0], -mention[1], mention[2]))


# Pipelines as annotators.


# Each layer, and what a spaCy component declares to assign if it makes that layer.
_ASSIGNED = {
    Layer.TOKENS: "token.is_sent_start",
    Layer.TAGS: "token.tag",
    Layer.DEPENDENCIES: "token.dep",
}
_NOT_NEEDED = frozenset({"ner", "entity_linker", "lemmatizer", "trainable_lemmatizer", "textcat", "spancat"})


class SpacyPipeline:
    """A spaCy pipeline: tokens and sentences, tags, dependencies, and coreferee's chains.

    Sentences need a parser, a senter or a sentencizer, and tags a tagger. Dependencies have the pipeline's
    labels, except ``root``; those of spaCy's English pipelines are not Universal Dependencies. Documents with
    tokens keep tokens and sentences, unless new ones are requested.
    """

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp
        self._memory = MemoryZones(nlp)
        self._provided = _provided(nlp)
        if not self._provided:
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
        except OSError as error:
            if Path(pipeline).exists():
                raise _unusable(pipeline, error) from error
            raise SettingsError(
                f"There is no spaCy pipeline '{pipeline}': neither an installed package nor a folder.",
                hint=f"Install it with: python -m spacy download {pipeline}",
            ) from error
        except Exception as error:  # a pipeline's code may raise anything
            raise _unusable(pipeline, error) from error
        if not add_coreferee(nlp):
            unneeded = [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory in _NOT_NEEDED]
            nlp.select_pipes(disable=unneeded)
        return cls(nlp)

    @property
    def name(self) -> str:
        meta = self._nlp.meta
        return f"spaCy {meta['lang']}_{meta['name']} {meta['version']}"

    @property
    def fingerprint(self) -> str:
        """Cache key of its output; empty if its folder does not determine it (coreferee) or is unknown."""
        folder = self._nlp.path
        if folder is None or Layer.COREFERENCE in self._provided:
            return ""
        components = ", ".join(self._nlp.pipe_names)
        return f"{self.name}, {components}, {file_fingerprint(folder)}"

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        needs_tokens = frozenset({Layer.TOKENS})
        return {layer: needs_tokens - {layer} for layer in self._provided}

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        check_provided(self, layers)
        found = list(documents)
        if Layer.TOKENS in layers:
            found = [self._tokenised(document, layers) for document in found]
            layers &= {Layer.COREFERENCE}  # the other layers are made already
        if layers:
            found = [self._layered(document, layers) for document in found]
        return found

    def _tokenised(self, document: Document, layers: Layers) -> Document:
        """New tokens, paragraph by paragraph: no sentence crosses a paragraph, and memory is bounded."""
        pieces = split_text(document.text)
        with self._memory.zone():
            docs = self._run([self._nlp.make_doc(piece.text) for piece in pieces], document)
            analyses = [
                self._analysis(doc, sentence_spans(doc), layers, words=word_mask(doc)) for doc in docs
            ]
        return join_pieces(document, zip(pieces, analyses, strict=True))

    def _layered(self, document: Document, layers: Layers) -> Document:
        """Layers on the document's own tokens; chains need the whole document."""
        if not document.tokens:
            return replace(document, mentions=()) if Layer.COREFERENCE in layers else document
        spans = [(sentence.start, sentence.end) for sentence in document.sentences if len(sentence)]
        with self._memory.zone():
            [doc] = self._run([to_spacy(document, self._nlp.vocab)], document)
            document = with_layers(document, [self._analysis(doc, spans, layers)], layers=layers)
            if Layer.COREFERENCE in layers:
                document = replace(document, mentions=mentions_of(doc))
        return document

    def _analysis(
        self,
        doc: Doc,
        spans: Sequence[tuple[int, int]],
        layers: Layers,
        *,
        words: Sequence[bool] | None = None,
    ) -> Analysis:
        return analysis_of(
            doc, spans, tagged=Layer.TAGS in layers, parsed=Layer.DEPENDENCIES in layers, words=words
        )

    def _run(self, docs: Sequence[Doc], document: Document) -> list[Doc]:
        try:
            return list(self._nlp.pipe(docs))
        except Exception as error:  # a pipeline's code may raise anything
            raise LayerError(
                f"The pipeline {self.name} failed: {first_line(error)}", where=document.id
            ) from error


def _provided(nlp: Language) -> Layers:
    assigned = {what for name in nlp.pipe_names for what in nlp.get_pipe_meta(name).assigns}
    layers = {layer for layer, what in _ASSIGNED.items() if what in assigned}
    if has_coreferee(nlp):
        layers.add(Layer.COREFERENCE)
    return frozenset(layers)


def _unusable(pipeline: str, error: Exception) -> SettingsError:
    return SettingsError(
        f"The spaCy pipeline '{pipeline}' can't be loaded: {first_line(error)}",
        hint="Check that it was made for the installed version of spaCy: python -m spacy validate",
    )


# coreferee finds heads, not phrases: a mention is a list of tokens, usually one, several for a coordination
# (``Ann and Bob ... they``).


COMPONENT = "coreferee"

# Dependents that are not part of the noun phrase: its conjuncts, and the dependents of a predicate. Labels of
# Universal Dependencies and of the ClearNLP scheme.
_DEPENDENTS_OUTSIDE = (
    "advcl appos aux auxpass cc ccomp conj cop csubj csubjpass dep discourse expl intj mark meta nsubj "
    "nsubjpass orphan parataxis preconj punct vocative"
)
_OUTSIDE_PHRASE = frozenset(_DEPENDENTS_OUTSIDE.split())


def add_coreferee(nlp: Language) -> bool:
    """Whether the pipeline has coreferee; it is added if it and its model for the pipeline are installed."""
    if has_coreferee(nlp):
        return True
    language = nlp.meta["lang"]
    if find_spec(COMPONENT) is None or find_spec(f"coreferee_model_{language}") is None:
        return False
    try:
        with redirect_stdout(io.StringIO()):  # it prints what it is about to raise
            nlp.add_pipe(COMPONENT)
    except import_module("coreferee.errors").CorefereeError:  # no model for this pipeline, or another version
        return False
    return True


def has_coreferee(nlp: Language) -> bool:
    return any(nlp.get_pipe_meta(name).factory == COMPONENT for name in nlp.pipe_names)


def mentions_of(doc: Doc) -> tuple[Mention, ...]:
    """The mentions of a document that coreferee processed, each head expanded to its noun phrase.

    In a document without dependencies, a mention is the words from its first head to its last.
    """
    found: dict[tuple[int, int, str], Mention] = {}
    parsed = doc.has_annotation("DEP")
    for chain in doc._.coref_chains or ():
        for mention in chain.mentions:
            heads = sorted(mention.token_indexes)
            start, end = _phrase(doc, heads) if parsed else (heads[0], heads[-1] + 1)
            name = str(chain.index)
            found.setdefault((start, end, name), Mention(start, end, mention.root_index, name))
    return tuple(sorted(found.values(), key=lambda mention: (mention.start, -mention.end)))


def _phrase(doc: Doc, heads: Sequence[int]) -> tuple[int, int]:
    """From the left end of the first head's phrase to the right end of the last one's."""
    first, last = doc[heads[0]], doc[heads[-1]]
    start = min([first.i, *(word.left_edge.i for word in first.lefts if _inside(word, first))])
    end = max([last.i, *(word.right_edge.i for word in last.rights if _inside(word, last))])
    return start, end + 1


def _inside(word: SpacyToken, head: SpacyToken) -> bool:
    return head.tag_ not in ("PRP", "PRP$") and word.dep_.partition(":")[0] not in _OUTSIDE_PHRASE
