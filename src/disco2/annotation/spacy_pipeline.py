"""Any installed spaCy pipeline as an annotator: it gives what its components make, coreferee among them."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from disco2.annotation.annotator import Layer, Layers, check_provided, first_line
from disco2.annotation.cache import file_fingerprint
from disco2.annotation.spacy_documents import (
    Analysis,
    MemoryZones,
    analysis_of,
    document_of_pieces,
    sentence_spans,
    to_spacy,
    with_layers,
    word_mask,
)
from disco2.annotation.text import text_pieces
from disco2.data import Document, Mention
from disco2.errors import LayerError, SettingsError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

# What a component assigns, by spaCy's own account, and the layer that it makes.
_ASSIGNED = {
    Layer.TOKENS: "token.is_sent_start",
    Layer.TAGS: "token.tag",
    Layer.DEPENDENCIES: "token.dep",
}
_NOT_NEEDED = frozenset({"ner", "entity_linker", "lemmatizer", "trainable_lemmatizer", "textcat", "spancat"})


class SpacyPipeline:
    """A spaCy pipeline: tokens and sentences, tags, dependencies, and coreferee's chains.

    Sentences need a parser, a senter or a sentencizer, and tags a tagger; what a pipeline lacks it does not
    provide. Dependencies keep the pipeline's labels, but for ``root``; in spaCy's own English ones they are
    not Universal Dependencies. Documents that come with tokens keep tokens and sentences unless new ones are
    asked for.
    """

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp
        self._memory = MemoryZones(nlp)
        self._provided = _provided(nlp)
        if not self._provided:
            raise SettingsError(
                f"The pipeline {self.name} has no component that is of use here.",
                hint="Choose one with a tagger and a parser, such as en_core_web_md.",
            )

    @classmethod
    def load(cls, pipeline: str) -> SpacyPipeline:
        """The pipeline of an installed package, or in a folder; SettingsError where it can't be had."""
        import spacy

        try:
            nlp = spacy.load(pipeline)
        except OSError as error:
            if Path(pipeline).exists():
                raise _unusable(pipeline, error) from error
            raise SettingsError(
                f"There is no spaCy pipeline '{pipeline}': neither a package that is installed nor a folder.",
                hint=f"Install it with: python -m spacy download {pipeline}",
            ) from error
        except Exception as error:  # whatever the pipeline's own code raises
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
        """What tells its results from those of others, for the cache; empty where its folder does not say it
        all, as with coreferee, or where it has none."""
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
            layers &= {Layer.COREFERENCE}  # the rest was made in the same go
        if layers:
            found = [self._layered(document, layers) for document in found]
        return found

    def _tokenised(self, document: Document, layers: Layers) -> Document:
        """New tokens, paragraph by paragraph: a sentence ends there in any case, and memory stays bounded."""
        pieces = text_pieces(document.text)
        with self._memory.zone():
            docs = self._run([self._nlp.make_doc(piece.text) for piece in pieces], document)
            analyses = [
                self._analysis(doc, sentence_spans(doc), layers, words=word_mask(doc)) for doc in docs
            ]
        return document_of_pieces(document, zip(pieces, analyses, strict=True))

    def _layered(self, document: Document, layers: Layers) -> Document:
        """Layers on the document's own tokens; chains need the whole document in one piece."""
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
        except Exception as error:  # whatever the pipeline's own code raises
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


# coreferee finds heads, not phrases: a mention is a list of tokens, one as a rule, and several where a
# coordination as a whole is meant (``Ann and Bob ... they``).


COMPONENT = "coreferee"

# Dependents that are no part of the noun phrase: what it is coordinated with, and what hangs on it because
# it is a predicate. Labels of the Universal Dependencies and of the ClearNLP scheme.
_DEPENDENTS_OUTSIDE = (
    "advcl appos aux auxpass cc ccomp conj cop csubj csubjpass dep discourse expl intj mark meta nsubj "
    "nsubjpass orphan parataxis preconj punct vocative"
)
_OUTSIDE_PHRASE = frozenset(_DEPENDENTS_OUTSIDE.split())


def add_coreferee(nlp: Language) -> bool:
    """Whether the pipeline has coreferee; it is added where it and its model for the pipeline are there."""
    if has_coreferee(nlp):
        return True
    language = nlp.meta["lang"]
    if find_spec(COMPONENT) is None or find_spec(f"coreferee_model_{language}") is None:
        return False
    try:
        with redirect_stdout(io.StringIO()):  # it prints what it is about to raise
            nlp.add_pipe(COMPONENT)
    except import_module("coreferee.errors").CorefereeError:  # none for this pipeline, or of another version
        return False
    return True


def has_coreferee(nlp: Language) -> bool:
    return any(nlp.get_pipe_meta(name).factory == COMPONENT for name in nlp.pipe_names)


def mentions_of(doc: Doc) -> tuple[Mention, ...]:
    """The mentions of a document that coreferee has seen, each head expanded to its noun phrase.

    Where the document has no dependencies, a mention is the words from its first head to its last.
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


def _inside(word: Token, head: Token) -> bool:
    return head.tag_ not in ("PRP", "PRP$") and word.dep_.partition(":")[0] not in _OUTSIDE_PHRASE
