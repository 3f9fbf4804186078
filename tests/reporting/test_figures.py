"""Pictures: the same bytes in two runs, text as text, no colour, nothing of the user's settings."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from disco2.errors import InputError, MissingExtraError
from disco2.reporting.figures import (
    LINE_STYLES,
    Label,
    check_plots,
    place_labels,
    png,
    svg,
    write_figure,
)
from disco2.reporting.findings import Figure, LineFigure, MapFigure, Measure, PlacedWord, Series
from tests.reporting.made_up import DOTS, LINES, MAP

matplotlib = pytest.importorskip("matplotlib")


@pytest.mark.parametrize("figure", [LINES, DOTS, MAP], ids=["lines", "dots", "map"])
def test_the_same_bytes_in_another_process(figure: Figure) -> None:
    code = (
        "import hashlib\nfrom disco2.reporting.figures import png, svg\n"
        f"from tests.reporting.made_up import {figure.name.upper()} as figure\n"
        "print(hashlib.sha256(png(figure) + svg(figure).encode()).hexdigest())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == hashlib.sha256(png(figure) + svg(figure).encode()).hexdigest()
    assert run.stderr == ""


@pytest.mark.parametrize("figure", [LINES, DOTS, MAP], ids=["lines", "dots", "map"])
def test_the_users_settings_neither_matter_nor_change(figure: Figure) -> None:
    expected = svg(figure)
    with matplotlib.rc_context({"font.size": 30, "svg.fonttype": "path", "axes.facecolor": "red"}):
        before = dict(matplotlib.rcParams)
        assert svg(figure) == expected
        assert dict(matplotlib.rcParams) == before


def texts(document: str) -> list[str]:
    root = ElementTree.fromstring(document)  # noqa: S314
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_text_stays_text_and_dollars_stay_dollars() -> None:
    found = texts(svg(LINES))
    assert {"Accuracy over $K$ and $L", "dimensions K", "test <b>", "the paper (published)", "30"} <= set(
        found
    )
    assert {"he", "she", "but", "$house$", "pronouns", "connectives"} <= set(texts(svg(MAP)))


@pytest.mark.parametrize("figure", [LINES, DOTS, MAP], ids=["lines", "dots", "map"])
def test_no_colour(figure: Figure) -> None:
    from matplotlib.image import imread

    pixels = imread(io.BytesIO(png(figure)), format="png")
    assert pixels.shape[1] >= 6 * 150  # pixels across, at 150 or more to an inch
    assert np.abs(pixels[..., 0] - pixels[..., 1]).max() < 0.01
    assert np.abs(pixels[..., 0] - pixels[..., 2]).max() < 0.01
    assert pixels.min() < 0.3


def test_lines_differ_in_dashes_and_markers() -> None:
    assert len({style[0] for style in LINE_STYLES}) == len(LINE_STYLES)
    assert len({str(style[1]) for style in LINE_STYLES}) >= len(LINE_STYLES) - 1


def test_odd_figures_are_drawn_all_the_same() -> None:
    one = Series("one", ((3.0, Measure(0.5)),))
    unknown = Series("none", ((3.0, Measure(float("nan"))), (4.0, Measure(0.2, None, (0.3, 0.1)))))
    assert "one" in texts(svg(LineFigure("n", "t", "x", "y", (one, unknown))))
    assert svg(LineFigure("n", "t", "x", "y", ()))
    assert svg(MapFigure("n", "t", ()))
    assert "a" in texts(svg(MapFigure("n", "t", (PlacedWord("a", 1, 1, "g"), PlacedWord("b", 1, 1)))))


def test_files(tmp_path: Path) -> None:
    written = write_figure(MAP, tmp_path / "new" / "folder")
    assert [path.name for path in written] == ["map.png", "map.svg"]
    assert written[0].read_bytes() == png(MAP)
    assert written[1].read_text(encoding="utf-8") == svg(MAP)
    assert sorted(path.name for path in written[0].parent.iterdir()) == ["map.png", "map.svg"]
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="can't be written"):
        write_figure(MAP, tmp_path / "file")


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disco2.reporting.figures.find_spec", lambda name: None)
    for ask in (check_plots, lambda: png(MAP)):
        with pytest.raises(MissingExtraError, match=r"disco2\[plots\]"):
            ask()
    monkeypatch.setattr("disco2.reporting.figures.find_spec", importlib.util.find_spec)
    check_plots()


def overlap(one: Label, other: Label) -> float:
    """The area two boxes share."""
    across = min(one.box[2], other.box[2]) - max(one.box[0], other.box[0])
    along = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
    return max(across, 0.0) * max(along, 0.0)


def covered(labels: list[Label]) -> float:
    return sum(overlap(one, other) for one in labels for other in labels if one is not other)


def test_labels_of_a_crowd_hardly_cover_each_other() -> None:
    generator = np.random.default_rng(1)
    points = 150 + 12 * generator.standard_normal((10, 2))
    sizes = np.tile([30.0, 9.0], (10, 1))
    labels = list(place_labels(points, sizes, (300, 300), required=10, most=10).values())
    naive = [Label((x, y, x + 30.0, y + 9.0), 0.0) for x, y in points.tolist()]
    assert covered(labels) < 0.05 * covered(naive)
    assert len({label.centre for label in labels}) == 10


def test_labels_stay_on_the_map() -> None:
    corners = np.array([[1.0, 1.0], [99.0, 99.0], [1.0, 99.0], [99.0, 1.0]])
    sizes = np.tile([20.0, 8.0], (4, 1))
    for label in place_labels(corners, sizes, (100, 100), required=4, most=4).values():
        assert min(label.box) >= 0
        assert max(label.box) <= 100


def test_words_of_no_group_are_named_where_there_is_room() -> None:
    points = np.array([[50.0, 50.0], [50.0, 50.0], [20.0, 20.0], [20.0, 20.0], [80.0, 20.0]])
    sizes = np.array([[20.0, 8.0], [90.0, 90.0], *[[20.0, 8.0]] * 3])
    placed = place_labels(points, sizes, (100, 100), required=1, most=3)
    assert list(placed) == [0, 2, 3]  # the second has no room, the last comes too late
    assert overlap(placed[2], placed[3]) == 0
