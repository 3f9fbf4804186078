"""Words as points in the plane: those of a group have its marker and their name, the others are grey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from disco2.reporting.figures.label_placement import (
    DISTANCES,
    Floats,
    Label,
    Space,
    place_optional,
    place_required,
)
from disco2.reporting.findings import MapFigure, PlacedWord

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

# All lengths are in points, 72 to an inch.
INCH = 72.0
WIDTH = 500.0  # of the map; it is as high as its words need
LOWEST, HIGHEST = 300.0, 560.0
EDGE, ABOVE, BELOW = 8.0, 26.0, 34.0  # around the map: beside it, for the title, for the legend
MARGIN = 26.0  # around the words
SIZE, SMALL_SIZE = 8.0, 6.0  # of the names of words
MOST_SMALL = 150
# Marker and whether it is filled, by group.
STYLES = (
    ("o", True),
    ("s", False),
    ("^", True),
    ("D", False),
    ("v", False),
    ("P", True),
    ("X", False),
    ("*", True),
)


def draw_map(figure: MapFigure) -> Canvas:
    from matplotlib.figure import Figure as Canvas

    places, height = _scaled(figure.words)
    across, along = WIDTH + 2 * EDGE, height + ABOVE + BELOW
    canvas = Canvas(figsize=(across / INCH, along / INCH))
    axes = canvas.add_axes((EDGE / across, BELOW / along, WIDTH / across, height / along))
    axes.set_title(figure.title, loc="left")
    axes.set_xticks([])  # the axes of such a map mean nothing
    axes.set_yticks([])
    axes.spines[["right", "top"]].set_visible(True)
    axes.spines[:].set_color("0.7")
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(0, height)
    _draw_words(axes, figure.words, places, height)
    if any(word.group for word in figure.words):
        canvas.legend(loc="lower center", ncols=4, handletextpad=0.2, fontsize=9)
    return canvas


def _draw_words(axes: Axes, words: Sequence[PlacedWord], places: Floats, height: float) -> None:
    marked = [number for number, word in enumerate(words) if word.group]
    others = [number for number, word in enumerate(words) if not word.group]
    groups = list(dict.fromkeys(words[number].group for number in marked))
    axes.scatter(places[others, 0], places[others, 1], s=5, color="0.78", linewidths=0, zorder=1)
    for number, group in enumerate(groups):
        marker, filled = STYLES[number % len(STYLES)]
        chosen = [place for place in marked if words[place].group == group]
        axes.scatter(
            places[chosen, 0],
            places[chosen, 1],
            s=38 if filled else 24,
            marker=marker,
            facecolors="0.15" if filled else "white",
            edgecolors="white" if filled else "0.15",
            linewidths=0.8,
            label=group,
            zorder=4,
        )
    space = Space(WIDTH, height, places[marked])
    sizes = _sizes([words[number].word for number in marked], SIZE)
    labels = place_required(places[marked], sizes, space)
    for number, label in zip(marked, labels, strict=True):
        _write(axes, words[number].word, places[number], label, small=False)
    small = _sizes([words[number].word for number in others], SMALL_SIZE)
    for place, label in place_optional(places[others], small, space, around=labels, most=MOST_SMALL).items():
        _write(axes, words[others[place]].word, places[others[place]], label, small=True)


def _write(axes: Axes, word: str, place: Floats, label: Label, *, small: bool) -> None:
    """A word beside its point, with a line between them where they are apart."""
    x, y = float(place[0]), float(place[1])
    axes.annotate(
        word,
        (x, y),
        xytext=label.centre,
        ha="center",
        va="center",
        fontsize=SMALL_SIZE if small else SIZE,
        color="0.5" if small else "0.0",
        zorder=2 if small else 5,
        arrowprops=(
            {
                "arrowstyle": "-",
                "color": "0.4",
                "linewidth": 0.5,
                "shrinkA": 0,
                "shrinkB": 2,
                "relpos": (0.5, 0.5),
            }
            if label.distance > DISTANCES[1]
            else None
        ),
    )


def _scaled(words: Sequence[PlacedWord]) -> tuple[Floats, float]:
    """[n, 2] places on a map, with one scale for both directions, and the height of the map."""
    places = np.array([(word.x, word.y) for word in words], dtype=np.float64).reshape(-1, 2)
    if not len(places):
        return places, LOWEST
    low, high = places.min(axis=0), places.max(axis=0)
    extent = np.maximum(high - low, 1e-9)
    height = float(np.clip((WIDTH - 2 * MARGIN) * extent[1] / extent[0] + 2 * MARGIN, LOWEST, HIGHEST))
    room = np.array([WIDTH, height])
    scale = float(((room - 2 * MARGIN) / extent).min())
    return room / 2 + (places - (low + high) / 2) * scale, height


def _sizes(words: Sequence[str], size: float) -> Floats:
    """[n, 2] the widths and heights of words."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    widths = [text_to_path.get_text_width_height_descent(word, font, ismath=False)[0] for word in words]
    return np.array([(width + 2.0, 1.1 * size) for width in widths], dtype=np.float64).reshape(-1, 2)
