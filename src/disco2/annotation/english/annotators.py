"""The components of the built-in English annotator, from the folder they lie in."""

from __future__ import annotations

from pathlib import Path

from disco2.annotation.annotator import ALL_LAYERS, Annotator, Layer, Layers

SHIPPED = Path(__file__).resolve().parents[2] / "models" / "english"
# Each with the layers it makes, in the order in which they can be trained.
COMPONENTS: dict[str, Layers] = {
    "syntax": frozenset({Layer.TOKENS, Layer.TAGS, Layer.DEPENDENCIES}),
    "constituents": frozenset({Layer.CONSTITUENTS}),
    "coreference": frozenset({Layer.COREFERENCE}),
}


def english_annotators(folder: Path = SHIPPED, *, layers: Layers = ALL_LAYERS) -> list[Annotator]:
    """The components that make these layers, and no others: what is not needed is not loaded."""
    annotators: list[Annotator] = []
    vectors = None
    if layers & (COMPONENTS["syntax"] | COMPONENTS["constituents"]):
        from disco2.vectors.shipped import read_shipped

        vectors = read_shipped()  # once for both
    if layers & COMPONENTS["syntax"]:
        from disco2.annotation.english.syntax import SpacySyntax

        annotators.append(SpacySyntax.load(folder / "syntax", vectors=vectors))
    if layers & COMPONENTS["constituents"]:
        from disco2.annotation.english.constituents.parser import SpanParser

        annotators.append(SpanParser.load(folder / "constituents", vectors=vectors))
    if layers & COMPONENTS["coreference"]:
        from disco2.annotation.english.coreference.resolver import MentionRanker

        annotators.append(MentionRanker.load(folder / "coreference"))
    return annotators
