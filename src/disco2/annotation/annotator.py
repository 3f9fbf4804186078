"""What every annotator is: it declares which layers it can give a document, and what it needs for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from disco2.data import Document
from disco2.errors import LayerError, SettingsError
from disco2.threads import single_threaded


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
    """Something that gives documents layers.

    ``requires`` has a key for each layer it provides: the layers that must be there before, which
    ``Annotators`` checks. ``annotate`` makes just the ``layers`` asked for, all of which it provides, and
    leaves the others as they are; whoever makes new tokens gives back documents that have no other layer yet
    but those asked for. Documents come back in order, with their id and text unchanged.
    """

    @property
    def name(self) -> str:
        """What reports and model cards call it."""

    @property
    def requires(self) -> Mapping[Layer, Layers]: ...

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]: ...


def raw_document(text: str, *, document_id: str = "text") -> Document:
    """A document without any layer, for an annotator that makes tokens."""
    return Document(document_id, text, (), ())


class Annotators:
    """Several annotators as one: each layer is made by the last one that provides it.

    So ``Annotators([built_in, stanford])`` takes constituents from the second and the rest from the first.
    """

    def __init__(self, annotators: Sequence[Annotator]) -> None:
        self._makers: dict[Layer, Annotator] = {
            layer: annotator for annotator in annotators for layer in Layer if layer in annotator.requires
        }

    @property
    def name(self) -> str:
        return " + ".join(dict.fromkeys(self._makers[layer].name for layer in Layer if layer in self._makers))

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        return {layer: maker.requires[layer] for layer, maker in self._makers.items()}

    def maker(self, layer: Layer) -> Annotator:
        """The annotator that makes a layer."""
        if layer not in self._makers:
            raise SettingsError(
                f"No annotator here makes {layer}.",
                hint=f"{self.name} makes: {', '.join(sorted(self._makers))}.",
            )
        return self._makers[layer]

    @single_threaded()
    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        """Make the layers in order. Layers not asked for stay: gold trees take automatic coreference.

        LayerError where a document lacks a layer that is needed and not asked for.
        """
        check_mixture(layers)
        found = list(documents)
        for maker, share in self._shares(layers):
            for layer in sorted(share):
                check_present(found, maker.requires[layer] - layers, before=layer, maker=maker.name)
            found = maker.annotate(found, layers=share)
        return found

    def _shares(self, layers: Layers) -> list[tuple[Annotator, Layers]]:
        """Neighbouring layers of one maker are made in one go."""
        shares: list[tuple[Annotator, Layers]] = []
        for layer in Layer:
            if layer not in layers:
                continue
            maker = self.maker(layer)
            if shares and shares[-1][0] is maker:
                shares[-1] = (maker, shares[-1][1] | {layer})
            else:
                shares.append((maker, frozenset({layer})))
        return shares


def check_mixture(layers: Layers) -> None:
    """New tokens leave nothing for the old layers to stand on."""
    if Layer.TOKENS in layers and layers != ALL_LAYERS:
        kept = ", ".join(sorted(ALL_LAYERS - layers))
        raise SettingsError(
            f"Automatic tokens can't be combined with {kept} from the corpus.",
            hint="Make all layers automatic, or keep the corpus's tokens.",
        )


def check_provided(annotator: Annotator, layers: Layers) -> None:
    """Raise SettingsError where an annotator is asked for what it does not make."""
    provided = annotator.requires.keys()
    if lacking := sorted(layers - provided):
        raise SettingsError(
            f"{annotator.name} does not make {', '.join(lacking)}.",
            hint=f"It makes: {', '.join(sorted(provided))}.",
        )


def check_present(documents: Sequence[Document], needed: Layers, *, before: Layer, maker: str) -> None:
    """Raise LayerError for the first document that lacks a layer which the maker of another one needs."""
    for layer in Layer:
        for document in documents if layer in needed else ():
            if not is_present(layer, document):
                raise LayerError(
                    f"The document has no {layer}, which {maker} needs to make {before}.",
                    where=document.id,
                    hint=f"Make {layer} as well, or give documents that have this layer.",
                )


def first_line(error: Exception) -> str:
    """The first line of what another package's error says, for a message of ours."""
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__


def is_present(layer: Layer, document: Document) -> bool:
    """Whether anything in a document has the layer, or nothing in it could.

    One tag or one tree is enough: readers leave out what does not fit its text.
    """
    match layer:
        case Layer.TOKENS:
            return bool(document.tokens) or not any(map(str.isalnum, document.text))
        case Layer.TAGS:
            return not document.tokens or any(token.tag for token in document.tokens)
        case Layer.DEPENDENCIES:
            trees = [sentence.dependencies is not None for sentence in document.sentences]
            return not trees or any(trees)
        case Layer.CONSTITUENTS:
            trees = [sentence.constituents is not None for sentence in document.sentences]
            return not trees or any(trees)
        case Layer.COREFERENCE:
            return document.mentions is not None
