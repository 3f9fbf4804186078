"""The tutorial, done as its reader does it: a table, five commands, and calls to the server."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.snippets import DOCS, Block, blocks, same_output

PAGE = DOCS / "tutorial.md"
TABLE = DOCS.parent / "examples" / "feedback.csv"
PROGRAMS = Path(sys.executable).parent
USUAL = "127.0.0.1:8000"
SERVE = "disco2 serve --model my-model"
PATIENCE = 120  # seconds


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


class Reader:
    """Somebody with a terminal in an empty folder, where port 8000 may be taken."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._port = free_port()
        self._environment = {
            **os.environ,
            "PATH": f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', '')}",
            "DISCO2_CACHE": str(folder / "cache"),
            "COLUMNS": "200",
        }
        self._server: subprocess.Popen[str] | None = None

    def types(self, block: Block) -> str:
        """What the terminal shows, standard error among it."""
        if block.code.startswith(SERVE):
            return self._serves(block.code.strip().replace(SERVE, f"exec {SERVE} --port {self._port}"))
        code = block.code.replace(USUAL, f"127.0.0.1:{self._port}")
        program = ["bash", "-e", "-c"] if block.language == "bash" else ["python3", "-c"]
        found = shutil.which(program[0], path=self._environment["PATH"])
        done = subprocess.run(
            [found or program[0], *program[1:], code],
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, f"{PAGE.name}:{block.line}:\n{done.stdout}"
        return done.stdout

    def stops(self) -> None:
        """Send SIGTERM to the server, which ends by itself."""
        assert self._server is not None
        self._server.send_signal(signal.SIGTERM)
        assert self._server.wait(timeout=PATIENCE) == 0

    def leaves(self) -> None:
        if self._server is not None and self._server.poll() is None:
            self._server.kill()
            self._server.wait()

    def _serves(self, code: str) -> str:
        log = self.folder / "server.log"
        with log.open("w") as stream:
            self._server = subprocess.Popen(
                ["bash", "-e", "-c", code],
                cwd=self.folder,
                env=self._environment,
                stdout=stream,
                stderr=subprocess.STDOUT,
                text=True,
            )
        until = time.monotonic() + PATIENCE
        while "\n" not in log.read_text():
            assert self._server.poll() is None, log.read_text()
            assert time.monotonic() < until, "the server does not begin"
            time.sleep(0.1)
        return log.read_text().splitlines()[0].replace(f"127.0.0.1:{self._port}", USUAL)


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    for package in ("fastapi", "uvicorn"):
        pytest.importorskip(package)
    for program in ("bash", "curl"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} here")
    if not (PROGRAMS / "disco2").exists():
        pytest.skip("the program disco2 is not installed")
    found = Reader(tmp_path)
    yield found
    found.leaves()


# Its model is trained here, and BLAS rounds otherwise on each kind of processor: by a few points in the end.
TRAINED_HERE = 60


def without_seconds(text: str) -> str:
    return re.sub(r" in \d+(?:\.\d+)? s\b", " in some seconds", text)


def test_from_a_table_to_a_served_model(reader: Reader) -> None:
    table = next(block for block in blocks(PAGE) if block.directive == "file")
    (reader.folder / table.value).write_text(table.code, encoding="utf-8")
    printed = ""
    compared = 0
    for block in blocks(PAGE):
        if block.directive == "output":
            same = same_output(without_seconds(block.code), without_seconds(printed), units=TRAINED_HERE)
            assert same, f"{PAGE.name}:{block.line}: the page says otherwise:\n{printed}"
            compared += 1
        elif block.language in ("bash", "python"):
            printed = reader.types(block)
    assert compared == len([block for block in blocks(PAGE) if block.language in ("bash", "python")])
    reader.stops()
    assert {path.name for path in (reader.folder / "my-model").iterdir()} >= {"bundle.json", "MODEL_CARD.md"}


def test_the_table_of_the_page_is_the_example() -> None:
    texts = [block for block in blocks(PAGE) if block.language == "text"]
    (whole,) = [block for block in texts if block.directive == "file"]
    assert whole.code == TABLE.read_text(encoding="utf-8")
    assert texts[0].code.endswith("...\n")
    assert whole.code.startswith(texts[0].code.removesuffix("...\n"))
