"""The file of the cache: damaged, locked, full, or shared with other processes."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from disco2.annotation import cache as stores
from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layers
from disco2.annotation.cache import LayerStore, cache_summary
from disco2.annotation.layers import document_from_words
from disco2.data import Document
from tests.annotation.cache.told import TAGS, TEXTS, Told, annotated, documents
from tests.inference.rule_annotator import RuleAnnotator


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_nobody_else_may_read_it(file: Path) -> None:
    annotated(file, documents())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_damaged_file_is_left_alone(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"This is no database. " * 500)
    maker = Told()
    with LayerStore(file) as store:
        found = Annotators([maker], store=store).annotate(documents(), layers=ALL_LAYERS)
    assert found == RuleAnnotator().annotate(documents())
    assert "not a database" in store.trouble
    assert file.read_bytes().startswith(b"This is no database.")


@pytest.mark.parametrize(
    "content",
    [b"", b"no zlib", zlib.compress(b"no json"), zlib.compress(b"[" * 100_000), zlib.compress(b"{}")],
)
def test_a_damaged_entry_is_made_anew(file: Path, content: bytes) -> None:
    expected, _ = annotated(file, documents())
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE layers SET content = ?", (content,))
    connection.close()
    assert annotated(file, documents()) == (expected, 3)
    assert annotated(file, documents()) == (expected, 0)


def test_the_entry_of_another_text_is_not_believed(file: Path) -> None:
    expected, _ = annotated(file, documents())
    with sqlite3.connect(file) as connection:
        (content,) = connection.execute("SELECT content FROM layers LIMIT 1").fetchone()
        connection.execute("UPDATE layers SET content = ?", (content,))
    connection.close()
    assert annotated(file, documents()) == (expected, 2)


def test_a_locked_file_is_given_up(file: Path) -> None:
    annotated(file, documents())
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with LayerStore(file, patience=0.05) as store:
        found = Annotators([Told()], store=store).annotate(documents(), layers=ALL_LAYERS)
    assert found == RuleAnnotator().annotate(documents())
    assert "locked" in store.trouble
    holder.close()


def test_a_file_that_can_only_be_read_is_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    annotated(file, documents(TEXTS[:2]))
    connect = sqlite3.connect
    read_only = f"{file.as_uri()}?mode=ro"
    monkeypatch.setattr(sqlite3, "connect", lambda _, **options: connect(read_only, uri=True, **options))
    maker = Told()
    with LayerStore(file) as store:
        found = Annotators([maker], store=store).annotate(documents(), layers=ALL_LAYERS)
    assert found == RuleAnnotator().annotate(documents())
    assert maker.documents == 1
    assert "readonly" in store.trouble


def test_a_place_that_is_none_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with LayerStore(tmp_path / "taken" / "layers.sqlite3") as store:
        assert store.get([b"k"]) == {}
        store.put([(b"k", b"v")])
    assert store.trouble


WRITER = """
import sys
from pathlib import Path
from disco2.annotation.cache import LayerStore
file, who = Path(sys.argv[1]), sys.argv[2]
for number in range(30):
    with LayerStore(file, patience=60) as store:
        store.put([(f"{who} {number}".encode(), f"{who} says {number}".encode()), (b"both", b"agree")])
        assert not store.trouble, store.trouble
"""


def test_several_processes_write_at_once(file: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(file), who]) for who in ("one", "two")]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]
    keys = [f"{who} {number}".encode() for who in ("one", "two") for number in range(30)]
    with LayerStore(file) as store:
        found = store.get([*keys, b"both", b"absent"])
    assert len(found) == 61
    assert found[b"two 29"] == b"two says 29"


def test_what_took_long_to_make_does_not_wait_to_be_written(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LayerStore(file) as working, LayerStore(file) as looking:
        working.put([(b"quick", b"1")])
        assert not looking.get([b"quick"])
        monkeypatch.setattr(stores, "WRITTEN_AFTER", 0.0)
        working.put([(b"slow", b"2")])
        assert looking.get([b"quick", b"slow"]) == {b"quick": b"1", b"slow": b"2"}


def test_the_oldest_are_forgotten_when_it_is_full(file: Path) -> None:
    contents = {bytes([number]): os.urandom(20_000) for number in range(40)}
    with LayerStore(file, most_bytes=500_000) as store:
        store.put(contents.items())
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE layers SET used = used - unicode(hex(key))")  # all of an earlier day
    connection.close()
    with LayerStore(file, most_bytes=500_000) as store:
        kept = sorted(store.get(sorted(contents)))
        assert 10 < len(kept) < 25
        assert kept == sorted(contents)[-len(kept) :]  # those put in last
    with LayerStore(file, most_bytes=500_000) as store:
        again = kept[:3]
        store.get(again)  # marked as used today
    with sqlite3.connect(file) as connection:
        marks = ",".join("?" * len(again))
        connection.execute(f"UPDATE layers SET used = 1 WHERE key NOT IN ({marks})", again)  # noqa: S608
    connection.close()
    with LayerStore(file, most_bytes=300_000) as store:
        store.put([(b"new", os.urandom(20_000))])
    with LayerStore(file) as store:
        left = store.get([*kept, b"new"])
    assert {*again, b"new"} <= left.keys()
    assert len(left) < len(kept)
    assert file.stat().st_size < 400_000


_TABLE = "CREATE TABLE layers (key BLOB PRIMARY KEY, used INTEGER NOT NULL, content BLOB NOT NULL)"
_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i"


@pytest.mark.parametrize(
    "statements",
    [
        [f"CREATE VIEW layers AS {_ENDLESS} AS key, 1 AS used, i AS content FROM n"],
        [_TABLE, "CREATE TRIGGER t AFTER INSERT ON layers BEGIN DELETE FROM layers; END"],
        [_TABLE, "CREATE TABLE further (a)"],
        ["CREATE TABLE layers (key, used, content)"],
    ],
)
def test_a_file_that_others_made_is_left_alone(own_place: Path, statements: list[str]) -> None:
    """A view in place of the table could go on for ever, a trigger could do anything."""
    own_place.parent.mkdir(exist_ok=True)
    with sqlite3.connect(own_place) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()
    before = own_place.read_bytes()
    with LayerStore(own_place) as store:
        found = Annotators([Told()], store=store).annotate(documents(), layers=ALL_LAYERS)
    assert found == RuleAnnotator().annotate(documents())
    assert "not a cache" in store.trouble
    assert "not a cache" in cache_summary().trouble
    assert own_place.read_bytes() == before


def test_what_sqlite_says_need_not_be_unicode(own_place: Path) -> None:
    annotated(own_place, documents())
    content = own_place.read_bytes()
    assert content.count(b"CREATE TABLE layers") == 1
    own_place.write_bytes(content.replace(b"tablelayerslayers", b"tablelay\xffrslayers"))
    with LayerStore(own_place) as store:
        found = Annotators([Told()], store=store).annotate(documents(), layers=ALL_LAYERS)
    assert found == RuleAnnotator().annotate(documents())
    assert store.trouble
    assert cache_summary().trouble


def test_a_small_entry_that_unpacks_to_gigabytes_is_made_anew(file: Path) -> None:
    expected, _ = annotated(file, documents())
    packing = zlib.compressobj(9)
    content = b"".join(packing.compress(b" " * 1_000_000) for _ in range(200)) + packing.flush()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE layers SET content = ?", (content,))
    connection.close()
    tracemalloc.start()
    try:
        assert annotated(file, documents()) == (expected, 3)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_corpus_whose_full_stops_are_shared_is_annotated_once(file: Path) -> None:
    given = document_from_words("d", [["Acme", "Corp.", "."]], "Acme Corp.")
    for fresh in (1, 0):
        with LayerStore(file) as store:
            maker = TagsAlone()
            (found,) = Annotators([maker], store=store).annotate([given], layers=TAGS)
        assert maker.documents == fresh
        assert [token.tag for token in found.tokens] == ["NN"] * 3


class TagsAlone(Told):
    """Keeps the tokens that a document has."""

    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        self.documents += len(documents)
        return [
            replace(one, tokens=tuple(replace(token, tag="NN") for token in one.tokens)) for one in documents
        ]
