"""Views of made-up pairs, and drawings as elements."""

from __future__ import annotations

from functools import cache
from xml.etree import ElementTree

from disco2.drawing.trees import draw_trees
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import Prediction, Span
from disco2.inference.view import RelationView, ViewedArgument
from tests.inference.small_pipeline import random_model, small_pipeline

NAMESPACE = "{http://www.w3.org/2000/svg}"
BURGER = ("Bob gave Tina the burger.", "She was hungry.")
TWICE = ("Bob told Tina that Bob had lost.", "He said that she knew him and her.")
HOSTILE = "</svg><script>alert(1)</script>"


@cache
def pipeline(kind: str = "entities") -> Pipeline:
    return small_pipeline(random_model(kind=kind))


def view_of(first: str, second: str, *, kind: str = "entities") -> RelationView:
    found = pipeline(kind)
    return found.view(found.classify(first, second))


def plain_view(first: ViewedArgument, second: ViewedArgument) -> RelationView:
    """A view without vectors and entities, for trees of any shape."""
    relation = Prediction("Implicit", "Cause", 1.0, {"Cause": 1.0}, first.span, second.span)
    return RelationView(relation, (first, second), (), 1, 1, 0, ())


def chain_of_phrases(words: list[str], *, to_left: bool = False) -> ViewedArgument:
    """A tree that is as high as it can be."""
    count = len(words)
    inner = range(count, 2 * count - 2)
    if to_left:
        left, right = [0, *inner], list(range(1, count))
    else:
        left, right = list(range(count - 2, -1, -1)), [count - 1, *inner]
    return ViewedArgument(
        Span(" ".join(words), 0, len(" ".join(words))),
        tuple(words),
        tuple(left[: count - 1]),
        tuple(right[: count - 1]),
        ("NN",) * count + ("NP",) * (count - 1),
        (),
    )


def drawn(view: RelationView) -> ElementTree.Element:
    return ElementTree.fromstring(draw_trees(view))  # noqa: S314  ours


def with_class(root: ElementTree.Element, name: str, *, arg: str = "") -> list[ElementTree.Element]:
    return [
        element
        for element in root.iter()
        if name in element.get("class", "").split() and arg in ("", element.get("data-arg"))
    ]
