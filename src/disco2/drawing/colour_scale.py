"""The line below the trees that says what the colours of cells mean."""

from __future__ import annotations

from disco2.drawing.markup import element, numbers, text_element
from disco2.drawing.nodes import cell
from disco2.drawing.text_width import text_width
from disco2.drawing.tree_layout import CELL_WIDTH, CELLS
from disco2.inference.view import RelationView

HEIGHT = 30
SIZE = 11
STEPS = (-0.8, -0.5, -0.3, -0.1, 0.0, 0.1, 0.3, 0.5, 0.8)  # one number of each colour
BEGIN = 18
END = BEGIN + len(STEPS) * CELL_WIDTH
WORDS = 24  # behind the end


def scale_width(view: RelationView) -> float:
    return END + WORDS + text_width(_words(view), size=SIZE)


def draw_scale(view: RelationView, *, x: float, y: float) -> str:
    """All colours from -1 to 1, and which of a vector's numbers are shown."""
    parts = [
        text_element("\N{MINUS SIGN}1", class_="d2-note", y=4),
        *(cell(step, x=BEGIN + place * CELL_WIDTH, y=0) for place, step in enumerate(STEPS)),
        text_element("1", class_="d2-note", x=END + 5, y=4),
        text_element(_words(view), class_="d2-note", x=END + WORDS, y=4),
    ]
    return element("g", "".join(parts), class_="d2-scale", transform=f"translate({numbers(x, y)})")


def _words(view: RelationView) -> str:
    words = f"the first {min(CELLS, view.dimensions)} of the {view.dimensions} numbers of each vector"
    return words + (f" (model {view.member} of {view.members} that compose)" if view.members > 1 else "")
