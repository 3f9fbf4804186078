"""The pictures in the documentation are what the package draws."""

from __future__ import annotations

import disco2
from tests.conftest import ROOT
from tools import make_docs_figures


def test_figures_are_those_of_the_shipped_model() -> None:
    figures = make_docs_figures.figures(disco2.load("en-fast"))
    assert set(figures) == {"upward.svg", "downward.svg", "downward-he.svg"}
    for name, drawn in figures.items():
        stored = (ROOT / "docs" / "figures" / name).read_bytes().decode("utf-8")
        assert stored == drawn, f"{name} is old: run python tools/make_docs_figures.py"
