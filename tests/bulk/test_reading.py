"""Documents are read as they are, or there is a reason."""

from __future__ import annotations

import os
from hashlib import sha256
from io import FileIO
from pathlib import Path

import pytest

from disco2.bulk import documents
from disco2.bulk.documents import Source, read_source, show_name
from disco2.errors import InputError


def source(folder: Path, name: str | bytes, *, most: int = 100) -> Source:
    return read_source(str(folder), os.fsencode(name), most_bytes=most)


def test_a_document(tmp_path: Path) -> None:
    content = "\ufeffBob left.\r\nTina stayed.".encode()
    (tmp_path / "a.txt").write_bytes(content)
    found = source(tmp_path, "a.txt")
    assert found.refused is None
    assert found.identity == sha256(content).hexdigest()
    assert found.text("utf-8") == "Bob left.\r\nTina stayed."
    assert found.content == b""  # let go


@pytest.mark.parametrize(
    ("content", "encoding", "what"),
    [
        (b"caf\xe9", "utf-8", "byte 0xe9 at offset 3, line 1"),
        (b"", "utf-8", "no word"),
        (b" \n...\x00", "utf-8", "no word"),
        (b"\xff\xfeB", "utf-8", "utf-16"),
    ],
)
def test_what_is_no_text(tmp_path: Path, content: bytes, encoding: str, what: str) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    found = source(tmp_path, "a.txt")
    with pytest.raises(InputError, match=what):
        found.text(encoding)


def test_what_can_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "large").write_bytes(b"x" * 101)
    (tmp_path / "circle").symlink_to("circle")
    os.mkfifo(tmp_path / "pipe")  # would be waited for, for ever
    reasons = {name: source(tmp_path, name) for name in ("folder", "large", "circle", "pipe", "gone")}
    said = {name: str(one.refused) for name, one in reasons.items()}
    assert "folder" in said["folder"]
    assert "101 bytes; the limit is 100" in said["large"]
    assert "--most-bytes" in said["large"]
    assert "can't be read" in said["circle"]
    assert "pipe" in said["pipe"]
    assert "no such file" in said["gone"]
    assert len({one.identity for one in reasons.values()}) == 5


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_the_right_to_read_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Bob left.")
    (tmp_path / "a.txt").chmod(0)
    assert "Permission denied" in str(source(tmp_path, "a.txt").refused)


def test_a_file_that_is_written_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.txt"
    file.write_text("Bob left.")
    left = [3]

    class Growing(FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            found = super().read(-1 if size is None else size)
            if left[0]:
                left[0] -= 1
                with file.open("a") as stream:
                    stream.write(" More.")
            return found or b""

    monkeypatch.setattr(documents, "FileIO", Growing)
    found = source(tmp_path, "a.txt")
    assert "changes while it is read" in str(found.refused)
    assert found.content == b""
    left[0] = 1  # the second attempt succeeds
    assert source(tmp_path, "a.txt").content == file.read_bytes()


def test_names_are_shown_as_text() -> None:
    assert show_name("ü\n.txt".encode()) == "ü\n.txt"
    assert show_name(b"caf\xe9.txt") == "caf\\xe9.txt"
