"""Annotators add layers to documents: the protocol, several annotators as one, and the user's choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from disco2.data import Document
from disco2.errors import LayerError, SettingsError
from disco2.threads import single_threaded

if TYPE_CHECKING:
    from disco2.annotation.cache import LayerStore


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
        from disco2.annotation.cache import annotate_with_store, fingerprint

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
            from disco2.annotation.spacy_pipeline import SpacyPipeline

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
