"""Names that tell weights from others."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from disco2.annotation.english.annotators import SHIPPED, weights_digest
from disco2.annotation.english.constituents import SpanParser
from disco2.annotation.english.coreference import MentionRanker
from disco2.annotation.english.syntax import SpacySyntax
from disco2.errors import BundleError


@pytest.mark.parametrize(
    ("kind", "component", "file"),
    [
        (SpacySyntax, "syntax", "config.cfg"),
        (SpanParser, "constituents", "vocabulary.json"),
        (MentionRanker, "coreference", "model.json"),
    ],
)
def test_one_byte_changes_the_name(kind: Any, component: str, file: str, tmp_path: Path) -> None:
    shutil.copytree(SHIPPED / component, tmp_path / component)
    shipped, copied = kind.load(), kind.load(tmp_path / component)
    assert copied.name == shipped.name
    name, _, digest = shipped.name.rpartition(" ")
    assert name.startswith("disco2 ")
    assert len(digest) == 8
    assert int(digest, 16) >= 0
    with (tmp_path / component / file).open("a") as touched:
        touched.write("\n")
    assert kind.load(tmp_path / component).name.startswith(f"{name} ")
    assert kind.load(tmp_path / component).name != shipped.name


def test_weights_from_no_folder_have_no_digest() -> None:
    ranker = MentionRanker.load()
    assert MentionRanker(ranker.tables, ranker.words, 1, 1).name == "disco2 mention ranking"


def test_names_and_contents_count(tmp_path: Path) -> None:
    found = set()
    for layout in ({"a": "bc"}, {"ab": "c"}, {"a": "b", "c": ""}, {"d/a": "bc"}, {}):
        folder = tmp_path / str(len(found))
        folder.mkdir()
        for name, content in layout.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(content)
        found.add(weights_digest(folder))
        (folder / ".hidden").write_text("x")
        found.add(weights_digest(folder))
    assert len(found) == 5


def test_what_can_not_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("b")

    def failing(path: Path) -> bytes:
        raise PermissionError(f"not allowed: {path}")

    monkeypatch.setattr(Path, "read_bytes", failing)
    with pytest.raises(BundleError, match="not allowed"):
        weights_digest(tmp_path)
