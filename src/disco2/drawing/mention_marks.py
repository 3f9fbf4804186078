"""Lines under the words of mentions, each with its chain's letter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from disco2.drawing.entity_roles import EntityRoles, chain_class, chain_letter
from disco2.drawing.markup import element, numbers, text_element
from disco2.drawing.pass_state import PassState
from disco2.drawing.tree_layout import TreeLayout

FIRST_ROW, ROW = 33, 19  # below the baseline of the words, and from row to row
BADGE = 7.5
GAP = 4


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a mention's line is; its badge is in the middle, and links begin below that."""

    left: float
    right: float
    y: float

    @property
    def x(self) -> float:
        return (self.left + self.right) / 2

    @property
    def bottom(self) -> float:
        return self.y + BADGE


Marks = Mapping[tuple[int, int], Mark]  # by chain and node


def place_marks(layout: TreeLayout, roles: EntityRoles) -> Marks:
    """Short mentions next to the words, those around them further down; no two lines touch."""
    wanted: list[tuple[float, float, int, int]] = []
    for node, chains in roles.mentions.items():
        left, right = layout.extent(node)
        middle, half = (left + right) / 2, max((right - left) / 2, BADGE)
        wanted.extend((2 * half, middle - half, chain, node) for chain in chains)
    rows: list[list[tuple[float, float]]] = []
    found = {}
    for width, left, chain, node in sorted(wanted):
        right = left + width
        row = next(
            (
                row
                for row, taken in enumerate(rows)
                if all(right + GAP <= a or b + GAP <= left for a, b in taken)
            ),
            len(rows),
        )
        if row == len(rows):
            rows.append([])
        rows[row].append((left, right))
        found[chain, node] = Mark(left, right, FIRST_ROW + row * ROW)
    return found


def draw_marks(marks: Marks, state: PassState) -> list[str]:
    return [
        element(
            "g",
            element("path", class_="d2-underline", d=f"M{numbers(mark.left, mark.y)}H{numbers(mark.right)}")
            + element("circle", class_="d2-badge", cx=mark.x, cy=mark.y, r=BADGE)
            + text_element(chain_letter(chain), class_="d2-letter", x=mark.x, y=mark.y + 3.5),
            class_=["d2-mark", chain_class(chain), *state.chosen([chain], "d2-chosen")],
            data_mark=f"c{chain}",
        )
        for (chain, _), mark in sorted(marks.items())
    ]
