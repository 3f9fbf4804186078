"""A figure -> the bytes of a picture; the same bytes in every run, whatever the user's matplotlibrc says.

``matplotlib.pyplot`` and its global state are not used: nothing here opens a window, and no setting of
matplotlib's is changed for good.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from disco2.errors import MissingExtraError
from disco2.reporting.findings import Figure, LineFigure

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

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
    """Raise MissingExtraError where figures can't be drawn; asked before long work starts."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plots", "Drawing a figure")


def png(figure: Figure) -> bytes:
    """The picture in pixels, on white."""
    return _saved(figure, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})


def svg(figure: Figure, *, background: bool = True) -> str:
    """The picture as an SVG document, on white or on nothing."""
    metadata = {"Date": None, "Creator": None}
    return _saved(figure, format="svg", metadata=metadata, transparent=not background).decode()


def _saved(figure: Figure, **options: Any) -> bytes:
    stream = io.BytesIO()
    with _style():
        _drawn(figure).savefig(stream, **options)
    return stream.getvalue()


def _drawn(figure: Figure) -> Canvas:
    from disco2.reporting.figures.lines import draw_lines
    from disco2.reporting.figures.word_map import draw_map

    return draw_lines(figure) if isinstance(figure, LineFigure) else draw_map(figure)


@contextmanager
def _style() -> Iterator[None]:
    check_plots()
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # drawn as a box
        yield
