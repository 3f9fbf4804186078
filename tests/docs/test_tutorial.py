"""The tutorial, done as its reader does it: a table, five commands, and calls to the server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.docs.snippets import DOCS, blocks, same_output
from tests.interfaces.server.served_process import REAL_PROGRAM, served

PAGE = DOCS / "tutorial.md"
TABLE = DOCS.parent / "examples" / "feedback.csv"
PROGRAMS = Path(sys.executable).parent
USUAL = "http://127.0.0.1:8000"
SERVE = "disco2 serve --model my-model\n"
# Its model is trained here, and BLAS rounds otherwise on each kind of processor: by a few points in the end.
TRAINED_HERE = 60


def without_seconds(text: str) -> str:
    return re.sub(r" in \d+(?:\.\d+)? s\b", " in some seconds", text)


def test_from_a_table_to_a_served_model(tmp_path: Path) -> None:
    for package in ("fastapi", "uvicorn"):
        pytest.importorskip(package)
    if not (shutil.which("bash") and shutil.which("curl") and (PROGRAMS / "disco2").exists()):
        pytest.skip("no bash, no curl, or disco2 is not installed as a program")
    path = f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = os.environ | {"PATH": path, "DISCO2_CACHE": str(tmp_path / "cache"), "COLUMNS": "200"}
    shutil.copy(TABLE, tmp_path)
    printed, address = "", USUAL
    with ExitStack() as servers:
        for block in blocks(PAGE):
            where = f"{PAGE.name}:{block.line}"
            if block.directive == "output":
                same = same_output(without_seconds(block.code), without_seconds(printed), units=TRAINED_HERE)
                assert same, f"{where}: the page says otherwise:\n{printed}"
            elif block.code == SERVE:
                server = servers.enter_context(served(tmp_path / "my-model", program=REAL_PROGRAM))
                address, printed = server.address, f"disco2 serves my-model at {USUAL}/"
            elif block.language in ("bash", "python"):
                program = ["bash", "-e", "-c"] if block.language == "bash" else [sys.executable, "-c"]
                done = subprocess.run(
                    [*program, block.code.replace(USUAL, address)],
                    cwd=tmp_path,
                    env=environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    timeout=120,
                    check=False,
                )
                printed = done.stdout
                assert done.returncode == 0, f"{where}:\n{printed}"
        server.process.terminate()
        assert server.log().startswith(f"disco2 serves my-model at {address}/\n")
        assert server.process.returncode == 0
    assert {path.name for path in (tmp_path / "my-model").iterdir()} >= {"bundle.json", "MODEL_CARD.md"}


def test_the_table_of_the_page_is_the_example() -> None:
    texts = [block for block in blocks(PAGE) if block.language == "text"]
    (whole,) = [block for block in texts if block.directive == "file"]
    assert whole.code == TABLE.read_text(encoding="utf-8")
    assert texts[0].code.endswith("...\n")
    assert whole.code.startswith(texts[0].code.removesuffix("...\n"))
