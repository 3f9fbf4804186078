"""The pictures in the documentation are what the package draws."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location

import disco2
from tests.conftest import ROOT


def test_figures_are_those_of_the_shipped_model() -> None:
    spec = spec_from_file_location("make_docs_figures", ROOT / "tools" / "make_docs_figures.py")
    assert spec is not None
    assert spec.loader is not None
    tool = module_from_spec(spec)
    spec.loader.exec_module(tool)
    figures = tool.figures(disco2.load())
    assert set(figures) == {"upward.svg", "downward.svg", "downward-he.svg"}
    for name, drawn in figures.items():
        stored = (ROOT / "docs" / "figures" / name).read_bytes().decode("utf-8")
        assert stored == drawn, f"{name} is old: run python tools/make_docs_figures.py"
