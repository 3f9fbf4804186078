"""Whole runs: files to pairs, interrupted and continued; blocks of text; which pairs are kept."""

from __future__ import annotations

import gzip
import json
import lzma
import tracemalloc
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from disco2.annotation.annotator import Annotator, Layers
from disco2.corpora.catalogue import HeldOutSentences
from disco2.corpora.pairs import read_pairs
from disco2.data import Document
from disco2.engines import LocalEngine
from disco2.errors import InputError
from disco2.mining import run as mining_run
from disco2.mining.run import (
    Miner,
    load_syntax,
    mine_files,
    read_blocks,
    select,
    share_out,
)
from tests.mining.conftest import Mine

TEXT = "The boat was slow. However, it reached the harbour.\n\nWe stayed at home because it was cold.\n\n"
STOPS = "Dynamite"
BOAT = "The old boat was slow. However, it reached the harbour because the wind was good."

PARAGRAPHS = [f"Paragraph {number} has a line.\nAnd a second one.\n\n" for number in range(50)]


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
    assert (mined.senses.total(), mined.blocks, mined.unread) == (3, 2, [])
    assert [file.name for file in tmp_path.iterdir() if file.is_dir()] == ["texts"]  # no parts are left
    corpus = read_pairs(output, inventory_name="pdtb3")
    assert len(corpus.relations) == 3
    assert not corpus.issues.findings


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
    assert (mined.kept_blocks, mined.blocks, mined.senses.total()) == (6, 7, 7)
    assert not (tmp_path / "pairs.jsonl.parts").exists()


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "b.txt").write_bytes(b"caf\xe9")
    mined = mine_files([f"{tmp_path}/*.txt"], tmp_path / "pairs.jsonl", engine=LocalEngine(1))
    assert mined.senses.total() == 2
    assert [error.where for error in mined.unread] == [str(tmp_path / "b.txt")]
    with pytest.raises(InputError, match="No text matches"):
        mine_files([f"{tmp_path}/*.md"], tmp_path / "pairs.jsonl", engine=LocalEngine(1))
    assert not (tmp_path / "pairs.jsonl.parts").exists()


@pytest.mark.parametrize(
    ("ending", "compress"), [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress)]
)
def test_blocks_are_whole_paragraphs(tmp_path: Path, ending: str, compress: type[bytes]) -> None:
    file = tmp_path / f"text.txt{ending}"
    file.write_bytes(compress("".join(PARAGRAPHS).encode()))
    blocks = list(read_blocks(file, size=200))
    assert "".join(blocks) == "".join(PARAGRAPHS)
    assert len(blocks) > 5
    assert all(block.endswith("\n\n") for block in blocks)


def test_a_huge_paragraph_is_cut(tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_text("A line.\n" * 1000)
    assert max(map(len, read_blocks(file, size=500))) <= 1_100
    file.write_text("word " * 200_000)
    assert max(map(len, read_blocks(file, size=500))) <= 1 << 17


def test_memory_is_flat(tmp_path: Path) -> None:
    file = tmp_path / "text.txt.gz"
    file.write_bytes(gzip.compress("".join(PARAGRAPHS).encode() * 2_000))
    tracemalloc.start()
    for _ in read_blocks(file, size=10_000):
        pass
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1_000_000


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "cut.txt.xz").write_bytes(lzma.compress(b"It rained. " * 1000)[:-30])
    (tmp_path / "no.txt.xz").write_bytes(b"It rained.")
    (tmp_path / "no.txt.gz").write_bytes(b"It rained.")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\n")
    for name in ("cut.txt.xz", "no.txt.xz", "no.txt.gz", "latin.txt", "missing.txt"):
        with pytest.raises(InputError, match=name):
            list(read_blocks(tmp_path / name))
    assert list(read_blocks(tmp_path / "latin.txt", encoding="latin-1")) == ["café\n"]


def records(**counts: int) -> list[dict[str, str]]:
    """So many pairs of each connective, all of one sense."""
    return [
        {"arg1": f"It was {name}.", "arg2": f"There were {number}.", "label": "Sense", "connective": name}
        for name, count in counts.items()
        for number in range(count)
    ]


def test_duplicates_go() -> None:
    made = records(but=3)
    again = {**made[0], "arg1": made[0]["arg1"].upper(), "label": "Other"}
    assert list(select(lambda: [*made, again, *made])) == made


def test_connectives_by_square_roots() -> None:
    assert share_out({("S", "but"): 900, ("S", "yet"): 100}, 100) == {("S", "but"): 75, ("S", "yet"): 25}
    assert share_out({("S", "but"): 900, ("S", "yet"): 4}, 100) == {("S", "but"): 96, ("S", "yet"): 4}
    assert share_out({("S", "but"): 30, ("T", "so"): 5}, 100) == {("S", "but"): 30, ("T", "so"): 5}
    assert sum(share_out({("S", str(number)): 9 for number in range(20)}, 7).values()) == 7


def test_the_order_does_not_matter() -> None:
    made = records(but=400, yet=50)
    kept = list(select(lambda: made, per_sense=60))
    assert Counter(record["connective"] for record in kept) == {"but": 44, "yet": 16}
    shuffled = made[::-1]
    again = list(select(lambda: shuffled, per_sense=60))
    assert sorted(map(str, again)) == sorted(map(str, kept))


def test_lengths(mine: Mine) -> None:
    assert mine("It rained because the wind blew the clouds here.", least=3) == []
    assert len(mine("It rained because the wind blew the clouds here.")) == 1
    assert mine("It often rained because the wind blew the clouds here.", most=5) == []


def test_no_sentence_that_is_held_out(mine: Mine) -> None:
    for sentence in (
        "However, it reached the HARBOUR - because the wind was good!",
        "it reached the harbour because the wind was good",
        "They said that, however, it reached the harbour because the wind was good.",
    ):
        pairs = mine(BOAT, without=sentence)
        assert [pair for pair in pairs if pair.place == "between"] == []
    assert len(mine(BOAT, without="The old boat was slow.")) == 2  # too short to tell


def test_only_candidates_are_annotated(syntax: Annotator) -> None:
    class Counting:
        name, requires = syntax.name, syntax.requires
        sentences = 0

        def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
            self.sentences += sum(len(document.sentences) for document in documents)
            return syntax.annotate(documents, layers=layers)

    counting = Counting()
    paragraph = "The sun shone all day. The sea was blue. We stayed at home because it was cold. Why not?"
    assert len(list(Miner(counting, HeldOutSentences()).pairs([paragraph] * 3))) == 3
    assert counting.sentences == 3
