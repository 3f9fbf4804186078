"""Count the files, functions and file-to-file calls of ours that three flows pass through.

    python tools/trace_flows.py [--files]

The flows are `disco2 predict TEXT --explain`, `disco2 train` on a small corpus of pairs, and a request to
`POST /v1/relations` (needs the extra `serve`), for which the model is loaded before. A file counts where one
of its functions is called; what a module does while it is imported does not count.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import disco2

PACKAGE = f"{Path(disco2.__file__).parent}{os.sep}"
TEXT = "Bob gave Tina the burger. She was hungry. However, she did not eat it."
PAIRS = [
    {"arg1": f"{name} stayed at home.", "arg2": f"{pronoun} was {state}.", "label": label}
    for name, pronoun in (("Anna", "She"), ("Paul", "He"), ("Mary", "She"), ("Tom", "He"))
    for state, label in (("ill", "cause"), ("well", "concession"))
]


class Trace:
    """Functions of the package that are called, and calls from one of its files to another."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str]] = set()
        self.edges: set[tuple[str, str]] = set()

    @property
    def files(self) -> list[str]:
        return sorted({file for file, _ in self.functions})

    def run(self, work: Callable[[], Any]) -> None:
        sys.setprofile(self._called)
        threading.setprofile(self._called)
        try:
            work()
        except SystemExit as stop:
            if stop.code:
                raise
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def _called(self, frame: FrameType, event: str, argument: Any) -> None:
        file = _own_file(frame)
        if event != "call" or file is None or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            return  # modules and class bodies are not optimised: they run while they are imported
        source = None
        caller = frame.f_back
        while caller is not None:
            from_file = _own_file(caller)
            if from_file is not None:
                if not caller.f_code.co_flags & inspect.CO_OPTIMIZED:
                    return
                source = source or from_file
            caller = caller.f_back
        self.functions.add((file, frame.f_code.co_qualname))
        if source not in (None, file):
            self.edges.add((str(source), file))


def _own_file(frame: FrameType) -> str | None:
    name = frame.f_code.co_filename
    ours = name.startswith(PACKAGE) and name.endswith(".py")  # templates are compiled under their own names
    return name[len(PACKAGE) :] if ours else None


def predict(folder: Path) -> None:
    from disco2.interfaces.cli import main

    sys.argv = ["disco2", "predict", TEXT, "--explain"]
    main()


def train(folder: Path) -> None:
    from disco2.interfaces.cli import main

    pairs = folder / "pairs.jsonl"
    pairs.write_text("\n".join(map(json.dumps, PAIRS)), encoding="utf-8")
    sys.argv = [
        "disco2",
        "train",
        "--corpus",
        "pairs",
        "--path",
        str(pairs),
        "--output",
        str(folder / "model"),
    ]
    main()


def request(pipeline: disco2.Pipeline) -> None:
    from fastapi.testclient import TestClient

    from disco2.interfaces.server.app import make_app

    with TestClient(make_app(pipeline), base_url="http://127.0.0.1:8000") as client:
        answer = client.post("/v1/relations", json={"text": TEXT, "explain": True})
        answer.raise_for_status()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--files", action="store_true", help="list the files of each flow")
    given = options.parse_args()
    rows = []
    flows = (("predict --explain", predict), ("train", train), ("POST /v1/relations", request))
    for name, flow in flows:
        trace = Trace()
        with tempfile.TemporaryDirectory() as folder:
            given_to = disco2.load() if flow is request else Path(folder)
            trace.run(lambda flow=flow, given_to=given_to: flow(given_to))
        rows.append((name, len(trace.files), len(trace.functions), len(trace.edges), trace.files))
    print(f"{'flow':20}{'files':>8}{'functions':>11}{'edges':>8}")
    for name, files, functions, edges, listed in rows:
        print(f"{name:20}{files:8}{functions:11}{edges:8}")
        if given.files:
            print(*(f"    {file}" for file in listed), sep="\n")


if __name__ == "__main__":
    main()
