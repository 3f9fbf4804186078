"""The cache of annotated texts: its file, and one entry in it."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from unittest.mock import patch

from disco2.annotation.annotator import ALL_LAYERS, Annotators, raw_document
from disco2.annotation.cache import VARIABLE, LayerStore, cache_file, cache_summary
from disco2.annotation.document_json import document_to_json
from tests.annotation.cache.told import Told
from tests.fuzzing.layer_files import JSON_WORDS
from tests.fuzzing.sound import check_document
from tests.fuzzing.target import Target, scratch_folder

TEXT = "Tina gave Bob the burger. He was hungry."
KEY = b"k" * 32


def read_cache_file(content: bytes) -> None:
    """Whatever the file holds, the store works or says that it does not; another file is never made of it."""
    with scratch_folder() as folder, patch.dict(os.environ, {VARIABLE: str(folder)}):
        file = cache_file()
        file.write_bytes(content)
        with LayerStore(file, patience=0.0) as store:
            found = store.get([KEY, b"another"])
            assert found.keys() <= {KEY, b"another"}
            store.put([(b"new", b"content")])
        cache_summary()
        with LayerStore(file, patience=0.0) as again:
            kept = again.get([b"new"])
            assert store.trouble or again.trouble or kept == {b"new": b"content"}


class _OneEntry:
    """A store that has the same content under every key."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        return dict.fromkeys(keys, self._content)

    def put(self, contents: Iterable[tuple[bytes, bytes]]) -> None: ...


def read_cache_entry(content: bytes) -> None:
    """An entry is believed if it is a document of the text that was asked for, and made anew if not."""
    entry = zlib.compress(content, 1) if content.startswith(b"{") else content
    store: LayerStore = _OneEntry(entry)  # type: ignore[assignment]
    asked = raw_document(TEXT, document_id="asked")
    (found,) = Annotators([Told()], store=store).annotate([asked], layers=ALL_LAYERS)
    assert (found.id, found.text) == ("asked", TEXT)
    check_document(found)


@cache
def _entry() -> bytes:
    (document,) = Told().annotate([raw_document(TEXT, document_id="")])
    return json.dumps(document_to_json(document), separators=(",", ":")).encode()


def _file(*contents: bytes) -> bytes:
    with scratch_folder() as folder:
        file = Path(folder) / "cache"
        with LayerStore(file) as store:
            store.put([(KEY, *contents[:1]), *((bytes([n]), one) for n, one in enumerate(contents[1:]))])
        return file.read_bytes()


TARGETS = (
    Target(
        "cache-file",
        read_cache_file,
        (_file(zlib.compress(_entry())), _file(b"short", b"", b"x" * 9000), b""),
        (b"SQLite format 3\x00", *b"CREATE TABLE VIEW TRIGGER layers RECURSIVE".split(), KEY, b"\xff\xff"),
    ),
    Target(
        "cache-entry",
        read_cache_entry,
        (_entry(), zlib.compress(_entry()), zlib.compress(b"{}")),
        (*JSON_WORDS, *b'"text" "tokens" "heads" "parents" "mentions"'.split()),
    ),
)
