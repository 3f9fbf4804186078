"""``disco2 serve`` in another process, usually with the small model and a rule annotator that can be slow."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layers
from disco2.data import Document
from disco2.interfaces.cli import main
from disco2.interfaces.cli.options import AnnotatorOptions
from tests.conftest import ROOT
from tests.inference.rule_annotator import RuleAnnotator

PROGRAM = [sys.executable, "-m", "tests.interfaces.server.served_process"]
REAL_PROGRAM = [sys.executable, "-m", "disco2"]
JSON = {"Content-Type": "application/json"}


class Served:
    """A running server; what it writes to standard error is gathered."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: list[str] = []
        self._reachable = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._reachable.wait(180), "".join(self._lines)
        assert self.process.poll() is None, "".join(self._lines)
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", "".join(self._lines))
        assert found, "".join(self._lines)
        self.port = int(found[1])
        self.address = f"http://127.0.0.1:{self.port}"

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as written:
            for line in written:
                self._lines.append(line)
                if "http://" in line:
                    self._reachable.set()
        self._reachable.set()

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def post(self, body: dict[str, Any]) -> tuple[int, Any]:
        connection = self.connect()
        connection.request("POST", "/v1/relations", json.dumps(body), JSON)
        answer = connection.getresponse()
        content = json.loads(answer.read())
        connection.close()
        return answer.status, content

    def log(self) -> str:
        """All that it wrote, once it has ended."""
        self.process.wait(60)
        self._reader.join(60)
        return "".join(self._lines)


@contextmanager
def served(
    model: Path | str,
    options: Sequence[str] = (),
    *,
    slow: float = 0.0,
    key: str = "",
    program: Sequence[str] = PROGRAM,
) -> Iterator[Served]:
    """A server whose annotator needs ``slow`` seconds for each call; or the real program."""
    environment = os.environ | {"SLOW_SECONDS": str(slow), "DISCO2_API_KEY": key}
    process = subprocess.Popen(
        [*program, "serve", "--model", str(model), "--port", "0", *options],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Served(process)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(30)


class SlowAnnotator(RuleAnnotator):
    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        if any("slowly" in document.text for document in documents):
            time.sleep(float(os.environ.get("SLOW_SECONDS", "0")))
        if any("breaks" in document.text for document in documents):
            raise KeyError(documents[0].text)
        return super().annotate(documents, layers=layers)


def slow(_: AnnotatorOptions, *, layers: Layers = ALL_LAYERS) -> Annotators:
    return Annotators([SlowAnnotator()])


if __name__ == "__main__":
    AnnotatorOptions.open = slow  # type: ignore[assignment, method-assign]
    main()
