"""The components of the built-in English annotator, from the folder they lie in."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from disco2.annotation.annotator import ALL_LAYERS, Annotator, Layer, Layers
from disco2.annotation.english.component_on_demand import Component, ComponentOnDemand

SHIPPED = Path(__file__).resolve().parents[2] / "models" / "english"
# Each with the layers it makes, in the order in which they can be trained.
COMPONENTS: dict[str, Layers] = {
    "syntax": frozenset({Layer.TOKENS, Layer.TAGS, Layer.DEPENDENCIES}),
    "constituents": frozenset({Layer.CONSTITUENTS}),
    "coreference": frozenset({Layer.COREFERENCE}),
}


def english_annotators(
    folder: Path = SHIPPED, *, layers: Layers = ALL_LAYERS, on_demand: bool = False
) -> list[Annotator]:
    """The components that make these layers, and no others: what is not needed is not loaded.

    With ``on_demand`` none is, before it has something to annotate.
    """
    from disco2.vectors.shipped import read_shipped

    annotators: list[Annotator] = []
    vectors = cache(read_shipped)  # once for two components

    def add(component: str, kind: type[Component], load: Callable[[Path], Annotator]) -> None:
        place = folder / component
        annotators.append(ComponentOnDemand(kind, place, load) if on_demand else load(place))

    if layers & COMPONENTS["syntax"]:
        from disco2.annotation.english.syntax import SpacySyntax

        add("syntax", SpacySyntax, lambda place: SpacySyntax.load(place, vectors=vectors()))
    if layers & COMPONENTS["constituents"]:
        from disco2.annotation.english.constituents.parser import SpanParser

        add("constituents", SpanParser, lambda place: SpanParser.load(place, vectors=vectors()))
    if layers & COMPONENTS["coreference"]:
        from disco2.annotation.english.coreference.resolver import MentionRanker

        add("coreference", MentionRanker, MentionRanker.load)
    return annotators
