"""The cache of annotated documents."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import sys
import tracemalloc
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import spacy

from disco2.annotation import cache as fingerprints
from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice, Annotators, Layer, Layers, raw_document
from disco2.annotation.cache import LayerStore, cache_file, cache_summary, clear_cache
from disco2.annotation.document_json import document_to_json
from disco2.annotation.english.syntax import SpacySyntax
from disco2.annotation.spacy_pipeline import SpacyPipeline
from disco2.annotation.stanford import StanfordParser
from disco2.annotation.stanza_pipeline import StanzaPipeline
from disco2.data import Document
from disco2.errors import BundleError, InputError
from tests.inference.rule_annotator import RuleAnnotator


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "layers.sqlite3"


@pytest.fixture
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DISCO2_CACHE", str(tmp_path / "cache"))
    return cache_file()


TEXTS = ("Tina gave Bob the burger. He was hungry.", "Bob left.\n\nTina stayed: it rained…", "Bob? Bob!")
TAGS = frozenset({Layer.TAGS})


class Told(RuleAnnotator):
    """The rule annotator under a fingerprint; it counts what it annotates."""

    def __init__(self, fingerprint: str = "rules 1") -> None:
        super().__init__()
        self.fingerprint = fingerprint


def documents(texts: Sequence[str] = TEXTS) -> list[Document]:
    return [raw_document(text, document_id=f"d{number}") for number, text in enumerate(texts)]


def annotated(
    file: Path, given: Sequence[Document], *, maker: Told | None = None, layers: Layers = ALL_LAYERS
) -> tuple[list[Document], int]:
    """The documents with layers, and how many had to be annotated."""
    maker = maker or Told()
    with LayerStore(file) as store:
        found = Annotators([maker], store=store).annotate(given, layers=layers)
        assert not store.trouble
    return found, maker.documents


def test_nothing_is_annotated_twice(file: Path) -> None:
    first, fresh = annotated(file, documents())
    again, none = annotated(file, documents())
    assert (fresh, none) == (3, 0)
    assert again == first == RuleAnnotator().annotate(documents())


def test_only_what_is_new_or_changed_is_annotated(file: Path) -> None:
    annotated(file, documents())
    changed = documents((TEXTS[1], "Tina slept.", TEXTS[0].replace("He", "She"), TEXTS[2]))
    found, fresh = annotated(file, changed)
    assert fresh == 2
    assert found == RuleAnnotator().annotate(changed)


def test_a_text_that_comes_twice_is_annotated_once(file: Path) -> None:
    found, fresh = annotated(file, documents((TEXTS[0], TEXTS[0], TEXTS[2])))
    assert fresh == 2
    assert [document.id for document in found] == ["d0", "d1", "d2"]
    assert found[0].tokens == found[1].tokens


def test_shipped_layers_come_back_to_the_byte(file: Path) -> None:
    texts = (
        *TEXTS,
        "",
        "…",
        "\u00c9mile\u2019s caf\u00e9, naïve 👍🏽 \u200d x\u00ad",
        "A\x00B\r\n\r\nC",
        "Ann " * 300,
    )
    makers = AnnotatorChoice().open()
    fresh = makers.annotate(documents(texts), layers=ALL_LAYERS)
    for recalled in (0, len(texts)):
        with LayerStore(file) as store:
            cached = AnnotatorChoice().open()
            cached.store = store
            found = cached.annotate(documents(texts), layers=ALL_LAYERS)
        assert cached.recalled == recalled
        assert [json.dumps(document_to_json(one)) for one in found] == [
            json.dumps(document_to_json(one)) for one in fresh
        ]
    assert cached.name == makers.name


def test_built_in_annotators_are_not_loaded_for_what_is_kept(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cached() -> Annotators:
        annotators = AnnotatorChoice().open(on_demand=True)
        annotators.store = store
        return annotators

    with LayerStore(file) as store:
        made = cached().annotate(documents(), layers=ALL_LAYERS)
        assert made == AnnotatorChoice().open().annotate(documents())

        def refused(*_: object, **__: object) -> SpacySyntax:
            raise AssertionError("loaded, and not needed")

        monkeypatch.setattr(SpacySyntax, "load", refused)
        assert cached().annotate(documents(), layers=ALL_LAYERS) == made
        with pytest.raises(BundleError, match="not needed"):
            cached().annotate(documents(["Something new."]), layers=ALL_LAYERS)


@pytest.mark.parametrize("other", [Told("rules 2"), Told("")])
def test_other_annotators_have_other_results(file: Path, other: Told) -> None:
    annotated(file, documents())
    assert annotated(file, documents(), maker=other)[1] == 3


def test_other_layers_are_other_results(file: Path) -> None:
    whole, _ = annotated(file, documents())
    assert annotated(file, whole, layers=TAGS)[1] == 3
    assert annotated(file, whole, layers=TAGS)[1] == 0
    # What the tags are made on matters now.
    other = [replace(one, tokens=tuple(replace(token, tag="X") for token in one.tokens)) for one in whole]
    assert annotated(file, other, layers=TAGS)[1] == 3


def test_new_code_makes_everything_anew(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    annotated(file, documents())
    monkeypatch.setattr(fingerprints, "_package", lambda: "disco2 of another day")
    assert annotated(file, documents())[1] == 3


def test_a_stanford_parser_is_known_by_all_files_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "stanford-parser.jar").touch()
    model = tmp_path / "englishPCFG.ser.gz"  # the model may lie beside the jars
    model.write_text("a grammar")
    parser = StanfordParser(tmp_path, java=sys.executable)
    first = parser.fingerprint
    model.write_text("another grammar")
    assert parser.fingerprint != first


def test_stanza_is_known_by_its_models_and_which_are_usual(tmp_path: Path) -> None:
    class LookAlike:
        processors = ("tokenize", "pos")
        dir = str(tmp_path)

    pytest.importorskip("stanza")
    (tmp_path / "en").mkdir()
    (tmp_path / "resources.json").write_text("{}")
    stanza = StanzaPipeline(LookAlike())
    first = stanza.fingerprint
    (tmp_path / "resources.json").write_text('{"en": "other models"}')
    assert "" != stanza.fingerprint != first
    (tmp_path / "en").rmdir()
    assert stanza.fingerprint == ""


def test_a_spacy_pipeline_is_known_by_its_folder(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    assert not SpacyPipeline(nlp).fingerprint  # in no folder: nothing says which weights it has
    nlp.to_disk(tmp_path / "pipeline")

    def loaded() -> str:
        return SpacyPipeline.load(str(tmp_path / "pipeline")).fingerprint

    first = loaded()
    assert first
    assert loaded() == first
    os.utime(tmp_path / "pipeline" / "tokenizer", ns=(1, 1))
    assert loaded() != first


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


def test_the_oldest_are_forgotten_when_it_is_full(file: Path) -> None:
    contents = {bytes([number]): os.urandom(20_000) for number in range(40)}
    with LayerStore(file, most_bytes=500_000) as store:
        for content in contents.items():
            store.put([content])
        kept = sorted(store.get(sorted(contents)))
    assert 10 < len(kept) < 25
    assert kept == sorted(contents)[-len(kept) :]  # those put in last
    assert file.stat().st_size < 700_000


_TABLE = "CREATE TABLE layers (key BLOB PRIMARY KEY, content BLOB NOT NULL)"
_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i"


@pytest.mark.parametrize(
    "statements",
    [
        [f"CREATE VIEW layers AS {_ENDLESS} AS key, i AS content FROM n"],
        [_TABLE, "CREATE TRIGGER t AFTER INSERT ON layers BEGIN DELETE FROM layers; END"],
        [_TABLE, "CREATE TABLE further (a)"],
        ["CREATE TABLE layers (key, content)"],
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


def test_what_lies_there_can_be_seen_and_removed(own_place: Path) -> None:
    assert (cache_summary().documents, cache_summary().bytes) == (0, 0)
    assert not own_place.parent.exists()
    annotated(own_place, documents())
    found = cache_summary()
    assert (found.documents, found.trouble, found.path) == (3, "", own_place)
    assert found.bytes == own_place.stat().st_size
    of_other_versions = [own_place.with_name(f"layers-99.sqlite3{ending}") for ending in ("", "-journal")]
    for other in of_other_versions:
        other.touch()
    (own_place.parent / "notes.txt").touch()
    assert clear_cache() == found
    assert [file.name for file in own_place.parent.iterdir()] == ["notes.txt"]
    assert clear_cache().documents == 0


def test_a_damaged_cache_can_be_seen_and_removed(own_place: Path) -> None:
    own_place.parent.mkdir()
    own_place.write_bytes(b"nothing that is any good" * 100)
    assert "not a database" in cache_summary().trouble
    clear_cache()
    assert not own_place.exists()


def test_its_place_is_the_systems_usual_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISCO2_CACHE", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))

    def folder(system: str, shared: str = "") -> Path:
        monkeypatch.setattr(sys, "platform", system)
        monkeypatch.setenv("XDG_CACHE_HOME", shared)
        return cache_file().parent

    assert folder("linux") == folder("linux", "not/absolute") == tmp_path / ".cache" / "disco2"
    assert folder("linux", str(tmp_path / "xdg")) == tmp_path / "xdg" / "disco2"
    assert folder("darwin") == tmp_path / "Library" / "Caches" / "disco2"
    assert folder("win32") == tmp_path / "local" / "disco2" / "Cache"
    monkeypatch.setenv("DISCO2_CACHE", "~/mine")
    assert folder("linux") == tmp_path / "mine"


def test_without_a_home_there_is_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(_: object = None) -> Path:
        raise RuntimeError("no home")

    monkeypatch.delenv("DISCO2_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(InputError, match="no home folder"):
        cache_file()
