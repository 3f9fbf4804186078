"""The same text has the same relations, to the digits of the JSON, whichever way it is asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import disco2
from disco2.inference.pipeline import Pipeline

pytestmark = pytest.mark.slow

TEXTS = {
    "harbour": "The ferry was late because a storm had come up. We waited. However, nobody complained.",
    "garden": "Ann planted twelve tomatoes in May. She watered them daily. Not one survived the hail.",
    "office": "The printer is broken again. Tom called the technician.\n\nIf he comes today, we can print.",
}


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return disco2.load()


@pytest.fixture(scope="module")
def alone(nlp: Pipeline) -> dict[str, Any]:
    return {name: relations(nlp(text).to_dict()) for name, text in TEXTS.items()}


def relations(result: Any) -> Any:
    found = json.loads(json.dumps(result))["relations"]
    assert len(found) >= 2
    return found


def run(*arguments: str, threads: int = 1) -> str:
    environment = os.environ | {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    command = [sys.executable, "-m", "disco2", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def test_in_a_batch(nlp: Pipeline, alone: dict[str, Any]) -> None:
    for order in (list(TEXTS), list(reversed(TEXTS))):
        found = nlp.pipe([TEXTS[name] for name in order])
        assert [relations(one.to_dict()) for one in found] == [alone[name] for name in order]


def test_in_another_process_with_two_threads(alone: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "harbour.txt"
    file.write_text(TEXTS["harbour"], encoding="utf-8")
    assert relations(json.loads(run("predict", "--file", str(file), "--json", threads=2))) == alone["harbour"]


def test_in_bulk(alone: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "texts" / f"{name}.txt").write_text(text, encoding="utf-8")
    run("bulk", str(tmp_path / "texts" / "*.txt"), "--output", str(tmp_path / "out"), "--workers", "2")
    lines = [
        json.loads(line)
        for file in (tmp_path / "out" / "relations").iterdir()
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert {Path(one["document"]).stem: relations(one) for one in lines} == alone


def test_over_http(nlp: Pipeline, alone: dict[str, Any]) -> None:
    pytest.importorskip("fastapi")
    from starlette.testclient import TestClient

    from disco2.interfaces.server.app import make_app
    from disco2.interfaces.server.settings import ServerSettings

    with TestClient(make_app(nlp, ServerSettings()), base_url="http://127.0.0.1") as client:
        for name, text in TEXTS.items():
            answer = client.post("/v1/relations", json={"text": text})
            assert relations(answer.json()) == alone[name]
