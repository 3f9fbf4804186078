"""Documents as JSON, there and back, and the cache of annotated documents."""

from __future__ import annotations

import copy
import json
import os
import stat
import sys
import tracemalloc
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import spacy

from disco2.annotation import cache as fingerprints
from disco2.annotation.annotator import (
    ALL_LAYERS,
    AnnotatorChoice,
    Annotators,
    Layer,
    Layers,
    SpacyPipeline,
    raw_document,
)
from disco2.annotation.cache import (
    FORMAT,
    LayerStore,
    cache_summary,
    clear_cache,
    document_to_json,
    layer_folder,
    parse_annotated,
)
from disco2.annotation.english.annotators import SpacySyntax
from disco2.data import Constituents, Dependencies, Document, Mention, Sentence, Token
from disco2.errors import BundleError, InputError, LayerError
from tests.documents import document_from_words
from tests.inference.rule_annotator import RuleAnnotator

TEXT = "Bob slept.\r\nHe (too) \U0001f600"
DOCUMENT = Document(
    "d",
    TEXT,
    (
        Token("Bob", 0, 3, "NNP"),
        Token("slept", 4, 9, "VBD"),
        Token(".", 9, 10, "."),
        Token("He", 12, 14, "PRP"),
        Token("(", 15, 16, "-LRB-"),
        Token("too", 16, 19, "RB"),
    ),
    (
        Sentence(
            0,
            3,
            Constituents(("S", "NP", "VP"), (0, 0, 1), (3, 1, 2), (-1, 0, 0), ("NNP", "VBD", ".")),
            Dependencies((1, -1, 1), ("nsubj", "root", "punct")),
        ),
        Sentence(3, 6),
    ),
    (Mention(0, 1, 0, "1"), Mention(3, 4, 3, "1")),
)


def test_there_and_back() -> None:
    for document in (DOCUMENT, Document("empty", "", (), ()), Document("raw", "\x00 Hm", (), (), ())):
        text = json.dumps(document_to_json(document, annotators="me"))
        assert parse_annotated(text, where="x")[0] == document
        assert parse_annotated(text.encode(), where="x")[0] == document


def changed(path: list[str | int], value: Any) -> dict[str, Any]:
    data = copy.deepcopy(document_to_json(DOCUMENT))
    place: Any = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["format"], FORMAT + 1, "pip install --upgrade"),
        (["format"], "1", "format: "),
        (["text"], None, "text: "),
        (["text"], "Bob", r"tokens\[1\]"),
        (["text"], " " * 40, r"tokens\[0\] is outside the text, only space"),
        (["text"], "\ud800" * 40, "surrogate"),
        (["id"], 3, "id: "),
        (["tokens"], {}, "tokens: "),
        (["tokens", 1, "start"], 1, r"tokens\[1\] .* overlaps"),
        (["tokens", 1, "start"], 2, r"tokens\[1\] .* overlaps"),
        (["tokens", 1, "end"], 999, r"tokens\[1\] is outside"),
        (["tokens", 1, "end"], True, r"tokens\[1\]\.end: "),
        (["tokens", 1, "tag"], None, r"tokens\[1\]\.tag: "),
        (["tokens", 1], [], r"tokens\[1\]: "),
        (["sentences", 1, "start"], 2, r"sentences\[1\] must begin at token 3"),
        (["sentences", 0, "end"], 0, r"sentences\[0\] must begin"),
        (["sentences"], [], "cover 0 of 6 tokens"),
        (["sentences", 0, "constituents", "ends"], [3, 1], r"constituents are not a tree"),
        (["sentences", 0, "constituents", "ends"], [2, 1, 2], r"constituents are not a tree"),
        (["sentences", 0, "constituents", "ends"], [3, 2, 2], r"constituents are not a tree"),
        (["sentences", 0, "constituents", "parents"], [-1, 0, 2], r"constituents are not a tree"),
        (["sentences", 0, "constituents", "parents"], [-1, -1, 0], r"constituents are not a tree"),
        (["sentences", 0, "constituents", "tags"], ["NN"], "not a tree over its 3 tokens"),
        (["sentences", 0, "constituents"], 5, r"sentences\[0\]\.constituents: "),
        (["sentences", 0, "dependencies", "heads"], [1, -1], "dependencies are not a tree"),
        (["sentences", 0, "dependencies", "heads"], [1, -1, 3], "dependencies are not a tree"),
        (["sentences", 0, "dependencies", "heads"], [0, -1, 1], "dependencies are not a tree"),
        (["sentences", 0, "dependencies", "heads"], [-1, 2, 1], "dependencies are not a tree"),
        (["sentences", 0, "dependencies", "labels"], [1, 2, 3], r"labels\[0\]: "),
        (["mentions", 0, "head"], 1, r"mentions\[0\] has tokens or a head out of range"),
        (["mentions", 0, "end"], 10**30, r"mentions\[0\]"),
        (["mentions", 0, "chain"], 1, r"mentions\[0\]\.chain: "),
    ],
)
def test_what_does_not_fit_is_named(path: list[str | int], value: Any, said: str) -> None:
    with pytest.raises(LayerError, match=said) as caught:
        parse_annotated(json.dumps(changed(path, value)), where="doc.json")
    assert str(caught.value).startswith("doc.json")


@pytest.mark.parametrize("missing", ["format", "id", "text", "tokens", "sentences", "mentions"])
def test_a_missing_part_is_named(missing: str) -> None:
    data = document_to_json(DOCUMENT)
    del data[missing]
    with pytest.raises(LayerError, match=missing):
        parse_annotated(json.dumps(data), where="doc.json")


@pytest.mark.parametrize("text", ["", "[", "[]", "null", "[" * 100_000, "NaN", b"\xff\xfe\x00", b"\xe9"])
def test_what_is_no_document_at_all(text: str | bytes) -> None:
    with pytest.raises(LayerError, match="x: "):
        parse_annotated(text, where="x")


def test_the_full_stop_of_an_abbreviation_may_be_two_tokens() -> None:
    """As treebanks write it: the second one stands where the first ends."""
    document = document_from_words("d", [["It", "is", "Acme", "Corp.", "."]], "It is Acme Corp.")
    assert [(token.start, token.end) for token in document.tokens[3:]] == [(11, 16), (15, 16)]
    assert parse_annotated(json.dumps(document_to_json(document)), where="x")[0] == document


# The cache.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "layers"


@pytest.fixture
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DISCO2_CACHE", str(tmp_path / "cache"))
    return layer_folder()


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
    folder: Path, given: Sequence[Document], *, maker: Told | None = None, layers: Layers = ALL_LAYERS
) -> tuple[list[Document], int]:
    """The documents with layers, and how many had to be annotated."""
    maker = maker or Told()
    with LayerStore(folder) as store:
        found = Annotators([maker], store=store).annotate(given, layers=layers)
        assert not store.trouble
    return found, maker.documents


def test_nothing_is_annotated_twice(folder: Path) -> None:
    first, fresh = annotated(folder, documents((*TEXTS, TEXTS[0])))
    again, none = annotated(folder, documents((*TEXTS, TEXTS[0])))
    assert (fresh, none) == (3, 0)
    assert again == first == RuleAnnotator().annotate(documents((*TEXTS, TEXTS[0])))
    changed = documents((TEXTS[1], "Tina slept.", TEXTS[0].replace("He", "She"), TEXTS[2]))
    assert annotated(folder, changed) == (RuleAnnotator().annotate(changed), 2)


def test_shipped_layers_come_back_to_the_byte_without_loading(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = (
        "",
        "\u00c9mile\u2019s na\u00efve \U0001f44d\U0001f3fd \u200d x\u00ad",
        "A\x00B\r\n\r\nC",
        "Ann " * 300,
    )
    given = documents((*TEXTS, *odd))
    fresh = AnnotatorChoice().open().annotate(given, layers=ALL_LAYERS)

    def refused(*_: object, **__: object) -> SpacySyntax:
        raise AssertionError("loaded, and not needed")

    for recalled in (0, len(given)):
        with LayerStore(folder) as store:
            cached = AnnotatorChoice().open(on_demand=True)
            cached.store = store
            found = cached.annotate(given, layers=ALL_LAYERS)
            assert cached.recalled == recalled
            assert [json.dumps(document_to_json(one)) for one in found] == [
                json.dumps(document_to_json(one)) for one in fresh
            ]
        monkeypatch.setattr(SpacySyntax, "load", refused)
    with pytest.raises(BundleError, match="not needed"):
        AnnotatorChoice().open(on_demand=True).annotate(documents(["Something new."]), layers=ALL_LAYERS)


def test_other_annotators_layers_tokens_or_code_have_other_results(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, _ = annotated(folder, documents())
    for other in (Told("rules 2"), Told("")):
        assert annotated(folder, documents(), maker=other)[1] == 3
    assert annotated(folder, whole, layers=TAGS)[1] == 3
    assert annotated(folder, whole, layers=TAGS)[1] == 0
    # What the tags are made on matters now.
    other_tags = [
        replace(one, tokens=tuple(replace(token, tag="X") for token in one.tokens)) for one in whole
    ]
    assert annotated(folder, other_tags, layers=TAGS)[1] == 3
    monkeypatch.setattr(fingerprints, "_package", lambda: "disco2 of another day")
    assert annotated(folder, documents())[1] == 3


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
def test_nobody_else_may_read_it(folder: Path) -> None:
    annotated(folder, documents())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o755)
    annotated(folder, documents(["Something new."]))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def bomb() -> bytes:
    packing = zlib.compressobj()
    return b"".join(packing.compress(b" " * 1_000_000) for _ in range(50)) + packing.flush()


@pytest.mark.parametrize(
    "content",
    [b"", b"no zlib", zlib.compress(b"no json"), zlib.compress(b"[" * 100_000), zlib.compress(b"{}"), bomb()],
    ids=["empty", "zlib", "json", "deep", "fields", "bomb"],
)
def test_a_damaged_entry_is_made_anew(folder: Path, content: bytes) -> None:
    expected, _ = annotated(folder, documents())
    for file in folder.iterdir():
        file.write_bytes(content)
    tracemalloc.start()
    try:
        assert annotated(folder, documents()) == (expected, 3)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert annotated(folder, documents()) == (expected, 0)


def test_the_entry_of_another_text_is_not_believed(folder: Path) -> None:
    expected, _ = annotated(folder, documents())
    first, *others = folder.iterdir()
    for other in others:
        other.write_bytes(first.read_bytes())
    assert annotated(folder, documents()) == (expected, 2)


def test_what_can_only_be_read_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    annotated(folder, documents(TEXTS[:2]))

    def refuse(path: Path, content: bytes) -> None:
        raise OSError("read-only file system")

    monkeypatch.setattr(fingerprints, "write_bytes", refuse)
    maker = Told()
    with LayerStore(folder) as store:
        found = Annotators([maker], store=store).annotate(documents(), layers=ALL_LAYERS)
    assert found == RuleAnnotator().annotate(documents())
    assert maker.documents == 1
    assert "read-only" in store.trouble


def test_a_folder_in_place_of_an_entry_is_no_error(folder: Path) -> None:
    expected, _ = annotated(folder, documents())
    for file in folder.iterdir():
        file.unlink()
        file.mkdir()
    with LayerStore(folder) as store:
        assert Annotators([Told()], store=store).annotate(documents(), layers=ALL_LAYERS) == expected
    assert "not a regular file" in store.trouble


def test_the_oldest_are_forgotten_when_it_is_full(folder: Path) -> None:
    keys = [bytes([number]) for number in range(40)]
    for number, key in enumerate(keys):
        with LayerStore(folder, most_bytes=500_000) as store:
            store.put([(key, os.urandom(20_000))])
        os.utime(folder / key.hex(), ns=(number, number))
        kept = list(store.get(keys))
        assert len(kept) in range(min(number + 1, 22), 26)
        assert kept == keys[number + 1 - len(kept) : number + 1]  # those put in last


def test_what_lies_there_can_be_seen_and_removed(own_place: Path) -> None:
    assert (cache_summary().documents, cache_summary().bytes) == (0, 0)
    assert not own_place.parent.exists()
    annotated(own_place, documents())
    found = cache_summary()
    assert (found.documents, found.trouble, found.path) == (3, "", own_place)
    assert found.bytes == sum(file.stat().st_size for file in own_place.iterdir())
    (own_place.parent / "notes.txt").touch()
    assert clear_cache() == found
    assert [file.name for file in own_place.parent.iterdir()] == ["notes.txt"]
    assert clear_cache().documents == 0


@pytest.mark.skipif(os.name != "posix", reason="symbolic links")
def test_files_that_another_process_removes_are_passed_over(own_place: Path) -> None:
    annotated(own_place, documents())
    (own_place / "gone").symlink_to("nowhere")  # listed, and without a state
    assert (cache_summary().documents, cache_summary().trouble) == (3, "")
    with LayerStore(own_place, most_bytes=10) as store:
        store.put([(b"k", b"v")])
    assert (cache_summary().documents, store.trouble) == (1, "")


def test_a_file_in_its_place_can_be_seen_and_removed(own_place: Path) -> None:
    own_place.parent.mkdir()
    own_place.write_text("a file")
    with LayerStore(own_place) as store:
        assert store.get([b"k"]) == {}
        store.put([(b"k", b"v")])
    assert store.trouble
    assert "Not a directory" in cache_summary().trouble
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
        return layer_folder().parent

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
        layer_folder()
