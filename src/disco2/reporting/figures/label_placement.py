"""Where to put the words beside the points of a map, so that they cover each other as little as possible.

All lengths are in points. A label is a box of a width and a height that may stand around its point in eight
directions, at several distances. Labels that must be drawn take the place of least cost, and are moved again
while others settle; labels that may be drawn are drawn where a place is free.

Boxes are rows of left, bottom, right and top.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DISTANCES = (4.5, 9.0, 15.0, 22.0, 30.0)
ANGLES = tuple(math.pi / 4 * eighth for eighth in (0, 1, 7, 4, 3, 5, 2, 6))  # to the right first
SWEEPS = 4
MARKER = 3.5  # half the width of a marker
COST_OUTSIDE, COST_LABEL, COST_MARKER, COST_DISTANCE = 50.0, 10.0, 6.0, 0.12

_PLACES = [(distance, math.cos(angle), math.sin(angle)) for distance in DISTANCES for angle in ANGLES]
_DISTANCE, _ACROSS, _ALONG = (np.array(values) for values in zip(*_PLACES, strict=True))


@dataclass(frozen=True, slots=True)
class Label:
    """The box of a label and how far it is from its point."""

    box: tuple[float, float, float, float]
    distance: float

    @property
    def centre(self) -> tuple[float, float]:
        left, bottom, right, top = self.box
        return (left + right) / 2, (bottom + top) / 2


@dataclass(frozen=True)
class Space:
    """A map of ``width`` by ``height`` with markers ([m, 2]) that labels should not cover."""

    width: float
    height: float
    markers: Floats


def place_required(points: Floats, sizes: Floats, space: Space) -> list[Label]:
    """A place for every label. ``points`` and ``sizes`` (width, height): [n, 2]."""
    options = [_boxes(point, size) for point, size in zip(points, sizes, strict=True)]
    chosen = np.zeros(len(options), dtype=int)
    taken = np.array([boxes[0] for boxes in options]).reshape(-1, 4)
    for sweep in range(SWEEPS):
        for number, boxes in enumerate(options):
            # In the first sweep a label knows only those before it.
            others = taken[:number] if sweep == 0 else np.delete(taken, number, axis=0)
            chosen[number] = int(_costs(boxes, others, space).argmin())
            taken[number] = boxes[chosen[number]]
    return [_label(boxes, place) for boxes, place in zip(options, chosen.tolist(), strict=True)]


def place_optional(
    points: Floats, sizes: Floats, space: Space, *, around: list[Label], most: int
) -> dict[int, Label]:
    """Places for up to ``most`` labels that cover nothing, the first ones first, each next to its point."""
    taken = [label.box for label in around]
    placed: dict[int, Label] = {}
    for number, (point, size) in enumerate(zip(points, sizes, strict=True)):
        boxes = _boxes(point, size)[: len(ANGLES)]
        costs = _costs(boxes, np.array(taken).reshape(-1, 4), space)
        best = int(costs.argmin())
        if len(placed) < most and costs[best] <= COST_DISTANCE * DISTANCES[0]:
            placed[number] = _label(boxes, best)
            taken.append(placed[number].box)
    return placed


def _boxes(point: Floats, size: Floats) -> Floats:
    """[places, 4] where a label could stand, the nearest first."""
    width, height = size
    x = point[0] + _ACROSS * (_DISTANCE + width / 2)
    y = point[1] + _ALONG * (_DISTANCE + height / 2)
    return np.stack([x - width / 2, y - height / 2, x + width / 2, y + height / 2], axis=1)


def _costs(boxes: Floats, others: Floats, space: Space) -> Floats:
    """[places] what it costs a label to stand in each box, with the others where they are."""
    left, bottom, right, top = boxes.T[:, :, None]  # [places, 1] each
    outside = np.maximum(-boxes[:, :2], 0).sum(axis=1)
    outside += np.maximum(boxes[:, 2:] - (space.width, space.height), 0).sum(axis=1)
    across = np.minimum(right, others[:, 2]) - np.maximum(left, others[:, 0])
    along = np.minimum(top, others[:, 3]) - np.maximum(bottom, others[:, 1])
    overlap = (across.clip(0) * along.clip(0)).sum(axis=1) / ((right - left) * (top - bottom))[:, 0]
    x, y = space.markers[:, 0], space.markers[:, 1]
    covered = (x > left - MARKER) & (x < right + MARKER) & (y > bottom - MARKER) & (y < top + MARKER)
    costs: Floats = COST_OUTSIDE * outside + COST_LABEL * overlap + COST_MARKER * covered.sum(axis=1)
    return costs + COST_DISTANCE * _DISTANCE[: len(boxes)]


def _label(boxes: Floats, place: int) -> Label:
    left, bottom, right, top = boxes[place].tolist()
    return Label((left, bottom, right, top), DISTANCES[place // len(ANGLES)])
