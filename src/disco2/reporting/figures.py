"""Figures as PNG and SVG, readable in black and white; needs matplotlib (extra ``plots``).

A figure has the same bytes in every run, whatever the user's matplotlibrc says: ``matplotlib.pyplot`` and its
global state are not used.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from disco2.errors import MissingExtraError
from disco2.reporting.findings import Figure, LineFigure, MapFigure, PlacedWord

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

Floats = NDArray[np.float64]

DOTS_PER_INCH = 200
STYLE: dict[Any, Any] = {
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "font.family": "sans-serif",
    "font.size": 10,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text: it can be searched, selected and read aloud
    "svg.hashsalt": "disco2",  # or else the ids differ from run to run
    "text.parse_math": False,  # dollars are dollars
}


def check_plots() -> None:
    """Raise MissingExtraError if figures can't be drawn; called before long work starts."""
    for module, package in (("matplotlib", "matplotlib"), ("sklearn", "scikit-learn")):
        if find_spec(module) is None:
            raise MissingExtraError(package, "plots", "Drawing a figure")


def png(figure: Figure) -> bytes:
    """The picture in pixels, on white."""
    return _saved(figure, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})


def svg(figure: Figure, *, background: bool = True) -> str:
    """The picture as an SVG document, on white or on nothing."""
    metadata = {"Date": None, "Creator": None}
    return _saved(figure, format="svg", metadata=metadata, transparent=not background).decode()


def _saved(figure: Figure, **options: Any) -> bytes:
    check_plots()
    import matplotlib

    stream = io.BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # drawn as a box
        canvas = draw_lines(figure) if isinstance(figure, LineFigure) else draw_map(figure)
        canvas.savefig(stream, **options)
    return stream.getvalue()


# Series differ in marker and dashes, not in colour. Marker, dashes, grey level, whether the marker is filled.
LINE_STYLES: tuple[tuple[str, Any, str, bool], ...] = (
    ("o", "-", "0.0", True),
    ("s", (0, (5, 2)), "0.35", False),
    ("^", (0, (1.5, 1.5)), "0.0", True),
    ("D", (0, (6, 1.5, 1.5, 1.5)), "0.35", False),
)
SHIFT = 0.05  # of the gap between neighbouring x: bars at the same x stand side by side


def draw_lines(figure: LineFigure) -> Canvas:
    """A line through the means of each series, with the 95% interval of each."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(6.4, 4.2), layout="constrained")
    axes = canvas.add_subplot()
    places = sorted({x for series in figure.series for x, _ in series.points})
    gap = min((high - low for low, high in pairwise(places)), default=1.0)
    for number, series in enumerate(figure.series):
        marker, dashes, grey, filled = LINE_STYLES[number % len(LINE_STYLES)]
        shift = SHIFT * gap * (number - (len(figure.series) - 1) / 2)
        means = np.array([one.mean for _, one in series.points])
        low, high = np.array([one.interval or (one.mean, one.mean) for _, one in series.points]).T
        axes.errorbar(
            [x + shift for x, _ in series.points],
            100 * means,
            yerr=[(100 * (means - low)).clip(0), (100 * (high - means)).clip(0)],
            label=series.name,
            color=grey,
            linestyle=dashes,
            linewidth=1.4,
            marker=marker,
            markersize=6,
            markerfacecolor=grey if filled else "white",
            elinewidth=0.8,
            capsize=2.5,
        )
    axes.set_xticks(places, [f"{place:g}" for place in places])
    axes.set_title(figure.title, loc="left")
    axes.set_xlabel(figure.x_label)
    axes.set_ylabel(figure.y_label)
    axes.grid(axis="y", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    if figure.series:
        canvas.legend(loc="outside lower center", ncols=min(len(figure.series), 2), handlelength=3.2)
    return canvas


# All lengths of a map are in points, 72 to an inch.
INCH = 72.0
WIDTH = 500.0  # of the map; it is as high as its words need
LOWEST, HIGHEST = 300.0, 560.0
EDGE, ABOVE, BELOW = 8.0, 26.0, 34.0  # around the map: beside it, for the title, for the legend
MARGIN = 26.0  # around the words
SIZE, SMALL_SIZE = 8.0, 6.0  # of the names of words
# The line from a word to its point, where they are apart.
POINTER = {"arrowstyle": "-", "color": "0.4", "linewidth": 0.5, "shrinkA": 0}
MOST_SMALL = 150


def draw_map(figure: MapFigure) -> Canvas:
    from matplotlib.figure import Figure as Canvas

    words = sorted(figure.words, key=lambda word: not word.group)  # the marked ones first
    places, height = _scaled_places(words)
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
    marked = sum(bool(word.group) for word in words)
    axes.scatter(places[marked:, 0], places[marked:, 1], s=5, color="0.78", linewidths=0, zorder=1)
    for number, group in enumerate(dict.fromkeys(word.group for word in words[:marked])):
        marker, _, _, filled = LINE_STYLES[number % len(LINE_STYLES)]
        axes.scatter(
            *(places[[word.group == group for word in words], axis] for axis in (0, 1)),  # type: ignore[misc]
            s=38 if filled else 24,
            marker=marker,
            facecolors="0.15" if filled else "white",
            edgecolors="white" if filled else "0.15",
            linewidths=0.8,
            label=group,
            zorder=4,
        )
    room = (WIDTH, height)
    labels = place_labels(places, _word_sizes(words), room, required=marked, most=marked + MOST_SMALL)
    for place, (left, bottom, right, top, distance) in labels.items():
        small = place >= marked
        axes.annotate(
            words[place].word,
            places[place],
            xytext=((left + right) / 2, (bottom + top) / 2),
            ha="center",
            va="center",
            fontsize=SMALL_SIZE if small else SIZE,
            color="0.5" if small else "0.0",
            zorder=2 if small else 5,
            arrowprops=POINTER if distance > DISTANCES[1] else None,
        )
    if marked:
        canvas.legend(loc="lower center", ncols=4, handletextpad=0.2, fontsize=9)
    return canvas


def _scaled_places(words: Sequence[PlacedWord]) -> tuple[Floats, float]:
    """[n, 2] places on a map, with one scale for both directions, and the height of the map."""
    places = np.array([(word.x, word.y) for word in words], dtype=np.float64)
    low, high = places.min(axis=0), places.max(axis=0)
    extent = np.maximum(high - low, 1e-9)
    height = float(np.clip((WIDTH - 2 * MARGIN) * extent[1] / extent[0] + 2 * MARGIN, LOWEST, HIGHEST))
    room = np.array([WIDTH, height])
    scale = float(((room - 2 * MARGIN) / extent).min())
    return room / 2 + (places - (low + high) / 2) * scale, height


def _word_sizes(words: Sequence[PlacedWord]) -> Floats:
    """[n, 2] the widths and heights of words."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    sizes = [SIZE if word.group else SMALL_SIZE for word in words]
    measure = text_to_path.get_text_width_height_descent
    fonts = {size: FontProperties(size=size) for size in (SIZE, SMALL_SIZE)}
    widths = [
        measure(word.word, fonts[size], ismath=False)[0] for word, size in zip(words, sizes, strict=True)
    ]
    return np.stack([np.array(widths) + 2.0, 1.1 * np.array(sizes)], axis=1)


# Labels of a map: a box that may stand around its point in eight directions, at several distances. Boxes are
# rows of left, bottom, right and top.
DISTANCES = (4.5, 9.0, 15.0, 22.0, 30.0)
ANGLES = tuple(math.pi / 4 * eighth for eighth in (0, 1, 7, 4, 3, 5, 2, 6))  # to the right first
MARKER = 3.5  # half the width of a marker
_DISTANCE = np.repeat(DISTANCES, len(ANGLES))[:, None]  # [places, 1], the nearest first
_DIRECTION = np.array([(math.cos(angle), math.sin(angle)) for angle in ANGLES * len(DISTANCES)])

Label = tuple[float, float, float, float, float]  # left, bottom, right and top; how far from its point


def place_labels(
    points: Floats, sizes: Floats, room: tuple[float, float], *, required: int, most: int
) -> dict[int, Label]:
    """Places for labels on a map of a width and height, each where it covers least of what is there.

    ``points`` and ``sizes`` (width, height): [n, 2]. The first ``required`` have markers, and are placed in
    any case; others only if a place next to their point is free, until ``most`` are placed.
    """
    taken = list(np.hstack([points[:required] - MARKER, points[:required] + MARKER]))
    placed: dict[int, Label] = {}
    for number, (point, size) in enumerate(zip(points, sizes, strict=True)):
        if len(placed) == most:
            break
        possible = len(_DISTANCE) if number < required else len(ANGLES)
        middles = (point + _DIRECTION * (_DISTANCE + size / 2))[:possible]
        boxes = np.hstack([middles - size / 2, middles + size / 2])
        covered = _covered(boxes, np.array(taken).reshape(-1, 4), room)
        best = int(covered.argmin())
        if number < required or covered[best] == 0:
            taken.append(boxes[best])
            placed[number] = (*boxes[best].tolist(), DISTANCES[best // len(ANGLES)])
    return placed


def _covered(boxes: Floats, others: Floats, room: tuple[float, float]) -> Floats:
    """[places] how much of other boxes and of the space around the map each box covers."""
    left, bottom, right, top = boxes.T[:, :, None]  # [places, 1] each
    across = np.minimum(right, others[:, 2]) - np.maximum(left, others[:, 0])
    along = np.minimum(top, others[:, 3]) - np.maximum(bottom, others[:, 1])
    inside = (np.minimum(right, room[0]) - np.maximum(left, 0)).clip(0)
    inside = inside * (np.minimum(top, room[1]) - np.maximum(bottom, 0)).clip(0)
    outside = (right - left) * (top - bottom) - inside
    covered: Floats = (across.clip(0) * along.clip(0)).sum(axis=1) + outside[:, 0].round(6)
    return covered
