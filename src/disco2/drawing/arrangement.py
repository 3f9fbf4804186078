"""Where the two trees lie on the paper: side by side where they fit, else one above the other."""

from __future__ import annotations

from dataclasses import dataclass

from disco2.drawing.mention_marks import Marks
from disco2.drawing.tree_layout import TreeLayout

WIDEST = 1100  # two trees side by side are at most so wide: what a projector shows legibly
MARGIN = 20
CAPTION = 24
BETWEEN = 48  # trees side by side
ROOT_ARC = 40  # above the roots
LANES = 8  # of links below trees side by side
LANE = 8  # between the links of two chains that run around a tree
BELOW_WORDS = 24  # where nothing is marked


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The places of both trees' left ends and baselines, and of what runs around them."""

    stacked: bool
    lefts: tuple[float, float]
    baselines: tuple[float, float]
    captions: tuple[float, float]  # their baselines
    bottoms: tuple[float, float]  # below the marks of the mentions
    width: float
    height: float  # without the line that explains the colours

    @property
    def gutters(self) -> tuple[float, float]:
        """Where links run down, on the left and on the right of stacked trees."""
        return self.lefts[0] - LANE, self.width - (self.lefts[0] - LANE)


def link_depth(width: float, chain: int) -> float:
    """How far below the marks a link between trees side by side is drawn towards."""
    return 34 + min(60, 0.06 * width) + LANE * (chain % LANES)


def arrange(
    layouts: tuple[TreeLayout, TreeLayout], marks: tuple[Marks, Marks], *, chains: int
) -> Arrangement:
    first, second = layouts
    heights = tuple(-layout.top(layout.root) for layout in layouts)
    below = tuple(max((mark.bottom for mark in some.values()), default=BELOW_WORDS) for some in marks)
    side_by_side = first.width + BETWEEN + second.width
    if side_by_side <= WIDEST:
        baseline = MARGIN + CAPTION + ROOT_ARC + max(heights)
        bottom = baseline + max(below)
        # The lowest point of such a curve is three quarters of the way to what it is drawn towards.
        links = 0.75 * link_depth(side_by_side, min(chains, LANES) - 1) if chains else 0
        return Arrangement(
            stacked=False,
            lefts=(MARGIN, MARGIN + first.width + BETWEEN),
            baselines=(baseline, baseline),
            captions=(MARGIN + 10, MARGIN + 10),
            bottoms=(bottom, bottom),
            width=2 * MARGIN + side_by_side,
            height=bottom + links + MARGIN,
        )
    around = LANE * (chains + 2)
    left = MARGIN + around
    baseline = MARGIN + CAPTION + heights[0]
    bottom = baseline + below[0]
    caption = bottom + LANE * chains + 3 * LANE + 10
    second_baseline = caption + LANE + heights[1]
    second_bottom = second_baseline + below[1]
    return Arrangement(
        stacked=True,
        lefts=(left, left),
        baselines=(baseline, second_baseline),
        captions=(MARGIN + 10, caption),
        bottoms=(bottom, second_bottom),
        width=2 * left + max(first.width, second.width),
        height=second_bottom + LANE * (chains + 1) + MARGIN,
    )
