"""Bundles: each file with the others as they were written, and all of them together.

A damaged bundle ends at its hashes. What lies behind them is reached by those who can make hashes, so most
targets seal the manifest anew.
"""

from __future__ import annotations

import json
from functools import cache, partial
from pathlib import Path

from disco2.bundle import load_bundle, save_bundle
from disco2.bundle.manifest import (
    CARD,
    FEATURES,
    HASHED,
    PARAMETERS,
    WORDS,
    digest,
    manifest_text,
)
from disco2.files import hash_file
from disco2.shipped import MANIFEST
from tests.fuzzing.layer_files import JSON_WORDS
from tests.fuzzing.target import Target, scratch_folder
from tests.fuzzing.tiny_model import tiny_model, two_instances

SEPARATOR = b"\n%%%%\n"  # between the files of a whole bundle
FILES = (MANIFEST, PARAMETERS, WORDS, FEATURES, CARD)


@cache
def written() -> dict[str, bytes]:
    """The files of a sound bundle, by their names."""
    with scratch_folder() as folder:
        save_bundle(tiny_model(), folder / "m", data={"licence": "none"}, calibration={"temperature": 1.5})
        return {name: (folder / "m" / name).read_bytes() for name in FILES}


def read_files(files: dict[str, bytes], *, sealed: bool) -> None:
    """Load a bundle of these files, and score with what was loaded."""
    with scratch_folder() as folder:
        for name, content in files.items():
            (folder / name).write_bytes(content)
        if sealed:
            _seal(folder)
        model, manifest = load_bundle(folder)
    assert 1e-3 <= manifest.temperature <= 1e3
    scores = model.scores(list(two_instances()))
    assert scores.shape[-1] == len(model.labels)


def _seal(folder: Path) -> None:
    """Give the manifest the right hashes, where it is such a thing at all."""
    try:
        content = json.loads((folder / MANIFEST).read_bytes())
    except (ValueError, RecursionError):
        return
    if not isinstance(content, dict):
        return
    hashes = content.get("hashes")
    if isinstance(hashes, dict):
        there = [name for name in HASHED if name in hashes and (folder / name).exists()]
        hashes |= {name: hash_file(folder / name) for name in there}
    content.pop("digest", None)
    try:
        text = manifest_text(content | {"digest": digest(content)})
        (folder / MANIFEST).write_text(text, encoding="utf-8", errors="replace")
    except (ValueError, RecursionError):  # nothing that could be written
        return


def read_one(content: bytes, *, name: str, sealed: bool) -> None:
    """A bundle in which one file has other bytes."""
    read_files(written() | {name: content}, sealed=sealed)


def read_whole(content: bytes) -> None:
    """All files of a bundle, one after the other; those that are missing are."""
    parts = content.split(SEPARATOR, len(FILES) - 1)
    read_files(dict(zip(FILES, parts, strict=False)), sealed=True)


_NAMES = (
    *b'"format" "labels" "model" "K" "rank" "members" "hashes" "vectors" "source" "shipped"'.split(),
    b'"temperature"',
)
_KINDS = b'"F64" "F32" "F16" "I32" "BF16" "BOOL" "entities" "surface"'.split()
_MANIFEST = (*JSON_WORDS, *_NAMES, *_KINDS)

TARGETS = (
    Target(
        "bundle-manifest-unsealed",
        partial(read_one, name=MANIFEST, sealed=False),
        (written()[MANIFEST],),
        _MANIFEST,
    ),
    Target(
        "bundle-manifest",
        partial(read_one, name=MANIFEST, sealed=True),
        (written()[MANIFEST],),
        _MANIFEST,
    ),
    Target(
        "bundle-parameters",
        partial(read_one, name=PARAMETERS, sealed=True),
        (written()[PARAMETERS],),
        (*JSON_WORDS, *_KINDS, *b'"dtype" "shape" "data_offsets" __metadata__'.split(), b"\x00\x00\x80\x7f"),
    ),
    Target(
        "bundle-words",
        partial(read_one, name=WORDS, sealed=True),
        (written()[WORDS],),
        (b"\n", b"\r", b"\x00", b"\xff"),
    ),
    Target(
        "bundle-features",
        partial(read_one, name=FEATURES, sealed=True),
        (written()[FEATURES],),
        (*JSON_WORDS, b'"settings"', b'"word_pairs"', b'"first_words"', b'"arg1"', b'"both"', b'"layout"'),
    ),
    Target("bundle", read_whole, (SEPARATOR.join(written().values()),), (SEPARATOR, *_MANIFEST)),
)
