"""Whole runs: files to pairs, interrupted and continued."""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from pathlib import Path

import pytest

from disco2.annotation.annotator import Annotator, Layers
from disco2.corpora.pairs import read_pairs
from disco2.engines import LocalEngine
from disco2.errors import InputError
from disco2.mining import run as mining_run
from disco2.mining.run import load_syntax, mine_files
from disco2.records import Document

TEXT = "The boat was slow. However, it reached the harbour.\n\nWe stayed at home because it was cold.\n\n"
STOPS = "Dynamite"


class StoppingAnnotator:
    """As the built-in one, until it meets a certain word."""

    def __init__(self) -> None:
        self._inner = load_syntax()
        self.name, self.requires = self._inner.name, self._inner.requires

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        if any(STOPS in document.text for document in documents):
            raise InputError("It stops here.")
        return self._inner.annotate(documents, layers=layers)


def load_stopping() -> Annotator:
    return StoppingAnnotator()


def rows(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_files_become_pairs(tmp_path: Path) -> None:
    (tmp_path / "texts" / "deep").mkdir(parents=True)
    (tmp_path / "texts" / "a.txt").write_text(TEXT)
    (tmp_path / "texts" / "deep" / "b.txt.xz").write_bytes(
        lzma.compress(f"{TEXT}The train was late, but nobody was angry.\n".encode())
    )
    output = tmp_path / "pairs.jsonl"
    mined = mine_files([f"{tmp_path}/texts/**"], output, engine=LocalEngine(2))
    assert rows(output) == [
        {"arg1": "The boat was slow.", "arg2": "It reached the harbour.",
         "label": "Comparison.Concession.Arg2-as-denier", "connective": "however", "place": "between",
         "source": "a.txt"},
        {"arg1": "We stayed at home.", "arg2": "It was cold.", "label": "Contingency.Cause.Reason",
         "connective": "because", "place": "inside", "source": "a.txt"},
        {"arg1": "The train was late.", "arg2": "Nobody was angry.",
         "label": "Comparison.Concession.Arg2-as-denier", "connective": "but", "place": "inside",
         "source": "deep/b.txt.xz"},
    ]  # fmt: skip
    assert (mined.pairs, mined.blocks, mined.unread) == (3, 2, ())
    assert [file.name for file in tmp_path.iterdir() if file.is_dir()] == ["texts"]  # no parts are left
    corpus = read_pairs(output, inventory_name="pdtb3")
    assert len(corpus.relations) == 3
    assert not corpus.dirt.findings


def test_a_run_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mining_run, "load_syntax", load_stopping)
    monkeypatch.setattr(
        mining_run,
        "read_blocks",
        lambda path, **_: [f"{part}\n\n" for part in path.read_text().split("\n\n")],
    )
    output = tmp_path / "pairs.jsonl"
    texts = [f"The boat number {number} was slow because it was old." for number in range(6)]
    (tmp_path / "a.txt").write_text("\n\n".join([*texts, f"It all ended because the {STOPS} was there."]))
    with pytest.raises(InputError, match="It stops here"):
        mine_files([f"{tmp_path}/a.txt"], output, engine=LocalEngine(1))
    assert not output.exists()
    kept = len(list((tmp_path / "pairs.jsonl.parts").glob("*.jsonl")))
    assert kept == 6
    (tmp_path / "a.txt").write_text("\n\n".join([*texts, "The last boat sank because it was old."]))
    mined = mine_files([f"{tmp_path}/a.txt"], output, engine=LocalEngine(1))
    assert (mined.kept_blocks, mined.blocks, mined.pairs) == (6, 7, 7)
    assert not (tmp_path / "pairs.jsonl.parts").exists()


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "b.txt").write_bytes(b"caf\xe9")
    mined = mine_files([f"{tmp_path}/*.txt"], tmp_path / "pairs.jsonl", engine=LocalEngine(1))
    assert mined.pairs == 2
    assert [error.where for error in mined.unread] == [str(tmp_path / "b.txt")]
    with pytest.raises(InputError, match="No text matches"):
        mine_files([f"{tmp_path}/*.md"], tmp_path / "pairs.jsonl", engine=LocalEngine(1))
    assert not (tmp_path / "pairs.jsonl.parts").exists()
