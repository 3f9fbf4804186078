"""The notebook of the examples prints what is stored in it."""

from __future__ import annotations

import json

import pytest

from tests.docs.snippets import same_output
from tools import run_notebook as tool


@pytest.mark.slow
def test_stored_outputs_are_those_of_the_cells() -> None:
    notebook = json.loads(tool.NOTEBOOK.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) > 4
    for cell, printed in zip(code, tool.run_cells(notebook), strict=True):
        stored = "".join("".join(output["text"]) for output in cell["outputs"])
        assert same_output(stored, printed), f"run: python tools/run_notebook.py\n{printed}"
