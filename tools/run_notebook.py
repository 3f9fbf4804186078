"""Run the notebook of examples/ and store what its cells print; no Jupyter is needed.

python tools/run_notebook.py
"""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parent.parent / "examples" / "first-steps.ipynb"


def run_cells(notebook: dict[str, Any]) -> list[str]:
    """What each code cell prints, in order."""
    names: dict[str, object] = {"__name__": "__main__"}
    printed = []
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)  # noqa: S102
            printed.append(output.getvalue())
    return printed


def main() -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, text) in enumerate(zip(code, run_cells(notebook), strict=True), start=1):
        output = {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}
        cell["execution_count"] = number
        cell["outputs"] = [output] if text else []
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
