"""Pictures: the same bytes in two runs, text as text, no colour, nothing of the user's settings."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from disco2.errors import MissingExtraError
from disco2.reporting.figures import Label, check_plots, place_labels, png, svg
from disco2.reporting.findings import Figure
from tests.reporting.made_up import LINES, MAP

matplotlib = pytest.importorskip("matplotlib")


@pytest.mark.parametrize("figure", [LINES, MAP], ids=["lines", "map"])
def test_the_same_bytes_in_another_process(figure: Figure) -> None:
    code = (
        "import hashlib\nfrom disco2.reporting.figures import png, svg\n"
        f"from tests.reporting.made_up import {figure.name.upper()} as figure\n"
        "print(hashlib.sha256(png(figure) + svg(figure).encode()).hexdigest())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == hashlib.sha256(png(figure) + svg(figure).encode()).hexdigest()
    assert run.stderr == ""


@pytest.mark.parametrize("figure", [LINES, MAP], ids=["lines", "map"])
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
    assert {"Accuracy over $K$ and $L", "dimensions K", "test <b>", "30"} <= set(found)
    assert {"he", "she", "but", "$house$", "pronouns", "connectives"} <= set(texts(svg(MAP)))


@pytest.mark.parametrize("figure", [LINES, MAP], ids=["lines", "map"])
def test_no_colour(figure: Figure) -> None:
    from matplotlib.image import imread

    pixels = imread(io.BytesIO(png(figure)), format="png")
    assert pixels.shape[1] >= 6 * 150  # pixels across, at 150 or more to an inch
    assert np.abs(pixels[..., 0] - pixels[..., 1]).max() < 0.01
    assert np.abs(pixels[..., 0] - pixels[..., 2]).max() < 0.01
    assert pixels.min() < 0.3


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disco2.reporting.figures.find_spec", lambda name: None)
    for ask in (check_plots, lambda: png(MAP)):
        with pytest.raises(MissingExtraError, match=r"disco2\[plots\]"):
            ask()
    monkeypatch.setattr("disco2.reporting.figures.find_spec", importlib.util.find_spec)
    check_plots()


def overlap(one: Label, other: Label) -> float:
    """The area two boxes share."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    along = min(one[3], other[3]) - max(one[1], other[1])
    return max(across, 0.0) * max(along, 0.0)


def covered(labels: list[Label]) -> float:
    return sum(overlap(one, other) for one in labels for other in labels if one is not other)


def test_labels_of_a_crowd_hardly_cover_each_other_and_stay_on_the_map() -> None:
    generator = np.random.default_rng(1)
    points = 150 + 12 * generator.standard_normal((10, 2))
    sizes = np.tile([30.0, 9.0], (10, 1))
    labels = list(place_labels(points, sizes, (300, 300), required=10, most=10).values())
    naive = [(x, y, x + 30.0, y + 9.0, 0.0) for x, y in points.tolist()]
    assert covered(labels) < 0.05 * covered(naive)
    corners = np.array([[1.0, 1.0], [99.0, 99.0], [1.0, 99.0], [99.0, 1.0]])
    for label in place_labels(corners, sizes[:4], (100, 100), required=4, most=4).values():
        assert min(label[:4]) >= 0
        assert max(label[:4]) <= 100
