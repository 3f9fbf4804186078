"""Text, JSON and folders that somebody else wrote; no search for cycles meanwhile."""

from __future__ import annotations

import gc
import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.corpora.reading import BrokenJsonError, gc_disabled, parse_json, read_text, shorten, split_lines
from disco2.data import ReadIssues
from disco2.errors import CorpusError


def test_latin1_is_read_and_reported_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("Die Kuh\nheißt\r\nKäthe\r".encode("latin-1"))
    issues = ReadIssues()
    assert read_text(file, issues=issues) == "Die Kuh\nheißt\r\nKäthe\r"
    assert [(finding.kind, finding.where) for finding in issues.findings] == [("not UTF-8", f"{file}:2")]


def test_a_named_encoding_must_fit(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("ä".encode("latin-1"))
    assert read_text(file, issues=ReadIssues(), encoding="latin-1") == "ä"
    with pytest.raises(CorpusError, match="not utf-8"):
        read_text(file, issues=ReadIssues(), encoding="utf-8")
    with pytest.raises(CorpusError, match="Unknown encoding 'klingon'"):
        read_text(file, issues=ReadIssues(), encoding="klingon")


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such file"):
        read_text(tmp_path / "none", issues=ReadIssues())
    with pytest.raises(CorpusError, match="folder"):
        read_text(tmp_path, issues=ReadIssues())


@given(st.lists(st.text(st.characters(exclude_characters="\r\n\ufeff", exclude_categories=("Cs",)))))
def test_lines_come_back_whatever_ends_them(lines: list[str]) -> None:
    for end in ("\n", "\r\n", "\r"):
        assert split_lines("\ufeff" + "".join(line + end for line in lines)) == lines
    assert split_lines("a\nb") == ["a", "b"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_told_by_its_mark(tmp_path: Path, encoding: str) -> None:
    file, issues = tmp_path / "a.txt", ReadIssues()
    file.write_bytes("\ufeffDie Kuh\nheißt Käthe".encode(encoding))
    assert split_lines(read_text(file, issues=issues)) == ["Die Kuh", "heißt Käthe"]
    assert not issues.findings
    file.write_bytes("\ufeffa".encode(encoding)[:-1])
    with pytest.raises(CorpusError, match="utf-16"):
        read_text(file, issues=issues)


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ('{"a": 1,\n}', "Expecting property name", 2),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply", 1),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply", 1),
        ("9" * 5000, "too many digits", 1),
        ('{"a": 1, "b": 2, "a": 3}', "key 'a' occurs twice", 1),
        ('[{"b": {"": 1, "": 1}}]', "key '' occurs twice", 1),
        ('["fine",\n"\\ud800"]', "unpaired surrogate", 2),
        ('"\\udc00\\ud83d"', "unpaired surrogate", 1),
        ('"\\ud83d\\u0041"', "unpaired surrogate", 1),
        ('{"\\uDFFF": 1}', "unpaired surrogate", 1),
    ],
)
def test_what_is_wrong_is_said(text: str, reason: str, line: int) -> None:
    with pytest.raises(BrokenJsonError, match=reason) as caught:
        parse_json(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    "value", ["\U0001f600", "\\ud800", "\\\\ud800", "\\\U0001f600\\", {"\u00e9": ["\ud7ff"]}]
)
def test_whole_characters_and_backslashes_are_read(value: object) -> None:
    assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(enabled: bool) -> None:
    was_enabled = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with suppress(ValueError), gc_disabled(), gc_disabled():
            assert not gc.isenabled()
            raise ValueError
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()


def test_values_in_messages_are_short_however_deep_they_are() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert len(shorten(deep)) < 100
    assert len(shorten({"x" * 1000: "y" * 1000})) < 200
    assert shorten("plain") == "'plain'"
