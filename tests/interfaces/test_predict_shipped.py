"""The program as it is installed: the shipped model and the built-in annotators."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from jsonschema import Draft202012Validator

from disco2.inference.results import read_schema
from disco2.shipped import MODELS

PROGRAM = [sys.executable, "-c", "from disco2.interfaces.cli import main; main()"]


def run(*arguments: str | Path) -> str:
    """Standard output of the program, started afresh where no other file of the package can be found."""
    command = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=MODELS).stdout


FAST = ("--json", "--explain", "--model", "en-fast")  # its explanations have entities


def test_the_first_prediction_from_a_cold_start() -> None:
    """She and he are different entities, with different terms; JSON fits the schema."""
    found = [
        json.loads(run("predict", f"Bob gave Tina the burger. {who} was hungry.", *FAST))
        for who in ("She", "He")
    ]
    for result in found:
        Draft202012Validator(read_schema()).validate(result)
    hers, his = (result["relations"][0]["explanation"]["pairs"] for result in found)
    assert [(pair["arg1"]["text"], pair["arg2"]["text"]) for pair in hers] == [("Tina", "She")]
    assert [(pair["arg1"]["text"], pair["arg2"]["text"]) for pair in his] == [("Bob", "He")]
    assert hers[0]["value"] != his[0]["value"]


def test_a_document_and_pairs(tmp_path: Path) -> None:
    text = "Bob gave Tina the burger. She was hungry. However, he ate it.\r\n\r\nPrices rose."
    (tmp_path / "a.txt").write_bytes(text.encode())
    run("annotate", "--file", tmp_path / "a.txt", "--output", tmp_path / "a.json")
    listing = run("predict", "--document", tmp_path / "a.json")
    assert "shared: Tina ~ She" in listing
    assert "Explicit: 'However'" in listing
    (tmp_path / "p.jsonl").write_text('{"arg1": "It rained.", "arg2": "The match was cancelled."}\n')
    run("predict-pairs", tmp_path / "p.jsonl", "--output", tmp_path / "out.jsonl")
    (answer,) = map(json.loads, (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines())
    assert (answer["line"], answer["kind"]) == (1, "Implicit")
    assert answer["sense"] not in ("EntRel", "NoRel")


def test_spacy_is_imported_without_pytorch() -> None:
    """PyTorch, where it is installed, would take two seconds; it can be imported afterwards."""
    code = (
        "import sys\nfrom importlib.util import find_spec\nfrom disco2.interfaces.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print('torch' in sys.modules, bool(find_spec('torch')))"
    )
    command = [sys.executable, "-c", code, "annotate", "It rained. We left."]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=MODELS).stdout
    assert found.splitlines()[-1] == f"False {find_spec('torch') is not None}"
