from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.corpora.reading import lines_of, read_text
from disco2.errors import CorpusError
from disco2.records import Dirt


def test_line_ends_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("Eins\r\nzwei\rdrei\n\u2028".encode())
    assert read_text(file, dirt=Dirt()) == "Eins\r\nzwei\rdrei\n\u2028"


def test_latin1_is_read_and_reported_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("Die Kuh\nheißt Käthe".encode("latin-1"))
    dirt = Dirt()
    assert read_text(file, dirt=dirt) == "Die Kuh\nheißt Käthe"
    assert [(finding.kind, finding.where) for finding in dirt.findings] == [("not UTF-8", f"{file}:2")]


def test_a_named_encoding_must_fit(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("ä".encode("latin-1"))
    assert read_text(file, dirt=Dirt(), encoding="latin-1") == "ä"
    with pytest.raises(CorpusError, match="not utf-8"):
        read_text(file, dirt=Dirt(), encoding="utf-8")
    with pytest.raises(CorpusError, match="no encoding 'klingon'"):
        read_text(file, dirt=Dirt(), encoding="klingon")


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such file"):
        read_text(tmp_path / "none", dirt=Dirt())
    with pytest.raises(CorpusError, match="folder"):
        read_text(tmp_path, dirt=Dirt())


@given(st.lists(st.text(st.characters(exclude_characters="\r\n\ufeff", exclude_categories=("Cs",)))))
def test_lines_come_back_whatever_ends_them(lines: list[str]) -> None:
    for end in ("\n", "\r\n"):
        assert lines_of("\ufeff" + "".join(line + end for line in lines)) == lines


def test_a_last_line_without_end_counts() -> None:
    assert lines_of("a\nb") == ["a", "b"]
    assert lines_of("") == []


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_told_by_its_mark(tmp_path: Path, encoding: str) -> None:
    file, dirt = tmp_path / "a.txt", Dirt()
    file.write_bytes("\ufeffDie Kuh\nheißt Käthe".encode(encoding))
    assert lines_of(read_text(file, dirt=dirt)) == ["Die Kuh", "heißt Käthe"]
    assert not dirt.findings
    file.write_bytes("\ufeffa".encode(encoding)[:-1])
    with pytest.raises(CorpusError, match="utf-16"):
        read_text(file, dirt=dirt)
