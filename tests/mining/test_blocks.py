"""Text files in blocks: plain, gzip, xz; whole paragraphs; what can't be read."""

from __future__ import annotations

import gzip
import lzma
import tracemalloc
from pathlib import Path

import pytest

from disco2.errors import InputError
from disco2.mining.run import read_blocks

PARAGRAPHS = [f"Paragraph {number} has a line.\nAnd a second one.\n\n" for number in range(50)]


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
