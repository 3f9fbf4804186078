"""Annotators that annotate no text twice."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from disco2.annotation.annotator import Annotators, Layer, Layers
from disco2.annotation.cache.fingerprint import fingerprint
from disco2.annotation.cache.store import LayerStore
from disco2.annotation.formats.document_json import FORMAT, document_from_json, document_to_json
from disco2.errors import Disco2Error
from disco2.records import Document

# No layers of a text take more; what does is a small entry that unpacks to gigabytes.
_SPARE_BYTES, _BYTES_A_CHARACTER = 1_000_000, 2_000
_QUICKLY = 3  # the level of compression; higher ones hardly save more


class CachedAnnotators:
    """Annotators whose results are kept: a document that comes again gets the very layers it got before.

    A result is known by the annotators' weights and code, the layers asked for, and what they are made from:
    the text alone where tokens are made, else the whole document. Its id does not matter.
    """

    def __init__(self, annotators: Annotators, store: LayerStore) -> None:
        self._annotators = annotators
        self._store = store
        self._makers: dict[Layers, str] = {}
        self.recalled = 0  # documents that did not have to be annotated

    @property
    def name(self) -> str:
        return self._annotators.name

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        return self._annotators.requires

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        if layers not in self._makers:
            self._makers[layers] = fingerprint(self._annotators, layers)
        makers = self._makers[layers]
        if not makers:
            return self._annotators.annotate(documents, layers=layers)
        keys = [_key(document, makers, layers) for document in documents]
        kept = self._store.get(keys)
        found = [
            _recalled(kept[key], document, layers) if key in kept else None
            for key, document in zip(keys, documents, strict=True)
        ]
        # The same text twice in one call is annotated once.
        missing = {key: place for place, key in enumerate(keys) if found[place] is None}
        new = [documents[place] for place in missing.values()]
        fresh = self._annotators.annotate(new, layers=layers) if new else []
        made = dict(zip(missing, fresh, strict=True))
        self._store.put([(key, _content(document)) for key, document in made.items()])
        self.recalled += sum(document is not None for document in found)
        return [
            recalled if recalled is not None else replace(made[key], id=document.id)
            for key, document, recalled in zip(keys, documents, found, strict=True)
        ]


def _key(document: Document, makers: str, layers: Layers) -> bytes:
    asked = ",".join(layer for layer in Layer if layer in layers)
    given = document.text if Layer.TOKENS in layers else repr(replace(document, id=""))
    total = sha256()
    for part in (f"{FORMAT}", makers, asked, given):
        content = part.encode("utf-8", "surrogatepass")
        total.update(f"{len(content)}\n".encode())
        total.update(content)
    return total.digest()


def _content(document: Document) -> bytes:
    content = json.dumps(document_to_json(replace(document, id="")), separators=(",", ":"))
    return zlib.compress(content.encode(), _QUICKLY)


def _recalled(content: bytes, asked: Document, layers: Layers) -> Document | None:
    """The document that was kept, under its new id; None where it is damaged or another one."""
    try:
        unpacked = _unpacked(content, most=_SPARE_BYTES + _BYTES_A_CHARACTER * len(asked.text))
        found = document_from_json(json.loads(unpacked), where="cache")
    except (zlib.error, ValueError, RecursionError, TypeError, Disco2Error):
        return None
    same = found.text == asked.text and (Layer.TOKENS in layers or len(found.tokens) == len(asked.tokens))
    return replace(found, id=asked.id) if same else None


def _unpacked(content: bytes, *, most: int) -> bytes:
    """The content as it was before it was compressed; ValueError where it is longer, or not whole."""
    unpacking = zlib.decompressobj()
    found = unpacking.decompress(content, most)
    if not unpacking.eof:
        raise ValueError("it is cut off, or too long")
    return found
