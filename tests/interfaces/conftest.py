"""A small model on disk, the command line with the rule annotator, and spaCy with the component."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from spacy.language import Language

from disco2.interfaces.cli import main
from disco2.interfaces.cli.options import AnnotatorOptions
from tests.inference.small_pipeline import write_small_bundle
from tests.interfaces.stand_in import stand_in

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="session")
def small_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_bundle(tmp_path_factory.mktemp("bundle") / "small")


@pytest.fixture(scope="module")
def nlp() -> Language:
    """A blank pipeline with the component and the shipped model."""
    nlp = spacy.blank("en")
    nlp.add_pipe("disco2")
    return nlp


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line; exit code, standard output, standard error."""

    def runs(*arguments: str | int | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["disco2", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        captured = capsys.readouterr()
        return int(stopped.value.code or 0), captured.out, captured.err

    return runs


@pytest.fixture
def run_small(monkeypatch: pytest.MonkeyPatch, run: Run, small_bundle: Path) -> Run:
    """The same with the small model and the rule annotator."""
    monkeypatch.setattr(AnnotatorOptions, "open", stand_in)

    def runs(command: str, *arguments: str | Path) -> tuple[int, str, str]:
        chosen = ["--model", small_bundle] if command in ("predict", "predict-pairs", "bulk") else []
        return run(command, *chosen, *arguments)

    return runs
