"""Files that disco2 writes and reads again: bundles, the cache, run records, outputs; settings and vectors.

A damaged bundle is refused for its hashes. What comes after them is reached by those who can make hashes, so
most targets seal the manifest again.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from unittest.mock import Mock

import numpy as np

from disco2.annotation.annotator import ALL_LAYERS, Annotators, raw_document
from disco2.annotation.cache import document_to_json
from disco2.bundle import load_bundle, save_bundle
from disco2.bundle.folder import (
    CARD,
    ENCODER,
    EVERY_FILE,
    FEATURES,
    PARAMETERS,
    TOKENIZER,
    WORDS,
    digest,
    manifest_text,
)
from disco2.experiments.configuration import Configuration, commented_toml, read_configuration
from disco2.experiments.evaluating import Answers
from disco2.experiments.runs import SCORES, RunResult, read_result, write_result
from disco2.files import hash_file
from disco2.inference.pairs import ResumableLines, places
from disco2.model import AnyModel
from disco2.shipped import MANIFEST
from disco2.vectors import WordVectors, load_vectors, read_vectors
from tests.annotation.test_cache import Told
from tests.encoders import small_encoder
from tests.fuzzing.target import NEXT_FILE, Target, check_document, scratch_folder
from tests.fuzzing.tiny_model import tiny_model, two_instances
from tests.vectors.vector_files import fasttext_text, glove_text, word2vec_binary, word2vec_text

FILES = (MANIFEST, PARAMETERS, WORDS, FEATURES, CARD)
TEXT = "Tina gave Bob the burger. He was hungry."
KEY = b"k" * 32
HASH = b"0" * 64  # in a file of scores: replaced by the hash of the predictions
RUN = {"model": "abc", "input": "def"}
MOST_REDUCED = 20  # dimensions; the time to find the axes grows with their cube


@cache
def written(make: Callable[[], AnyModel] = tiny_model) -> dict[str, bytes]:
    """The files of a sound bundle, by their names."""
    with scratch_folder() as folder:
        save_bundle(make(), folder / "m", data={"licence": "none"}, calibration={"temperature": 1.5})
        return {file.name: file.read_bytes() for file in sorted((folder / "m").iterdir())}


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
        there = [name for name in EVERY_FILE if name in hashes and (folder / name).exists()]
        hashes |= {name: hash_file(folder / name) for name in there}
    content.pop("digest", None)
    try:
        text = manifest_text(content | {"digest": digest(content)})
        (folder / MANIFEST).write_text(text, encoding="utf-8", errors="replace")
    except (ValueError, RecursionError):  # nothing that could be written
        return


def read_one(content: bytes, *, name: str, sealed: bool, make: Callable[[], AnyModel]) -> None:
    """A bundle in which one file has other bytes."""
    read_files(written(make) | {name: content}, sealed=sealed)


def read_whole(content: bytes) -> None:
    """All files of a bundle, one after the other; those that are missing are."""
    parts = content.split(NEXT_FILE, len(FILES) - 1)
    read_files(dict(zip(FILES, parts, strict=False)), sealed=True)


def read_cache_entry(content: bytes) -> None:
    """An entry is believed if it is a document of the text that was asked for, and made anew if not."""
    entry = zlib.compress(content, 1) if content.startswith(b"{") else content
    store = Mock()  # has the same content under every key
    store.get.side_effect = lambda keys: dict.fromkeys(keys, entry)
    asked = raw_document(TEXT, document_id="asked")
    (found,) = Annotators([Told()], store=store).annotate([asked], layers=ALL_LAYERS)
    assert (found.id, found.text) == ("asked", TEXT)
    check_document(found)


@cache
def _entry() -> bytes:
    (document,) = Told().annotate([raw_document(TEXT, document_id="")])
    return json.dumps(document_to_json(document), separators=(",", ":")).encode()


def read_run(content: bytes) -> None:
    """A finished run's scores and predictions, the hash right."""
    scores, _, predictions = content.partition(NEXT_FILE)
    with scratch_folder() as folder:
        (folder / "predictions-test.jsonl").write_bytes(predictions)
        right = hashlib.sha256(predictions).hexdigest().encode()
        (folder / SCORES).write_bytes(scores.replace(HASH, right))
        found = read_result(folder)
        for answers in found.answers.values() if found else ():
            assert answers.scores.shape == (len(answers.relations), len(answers.labels))
            lengths = map(len, (answers.gold, answers.documents, answers.shared, answers.relations))
            assert len(set(lengths)) == 1


def read_unfinished(content: bytes) -> None:
    """An output that was begun, and its description: whole lines of the numbers asked for are kept."""
    description, _, part = content.partition(NEXT_FILE)
    with scratch_folder() as root:
        output, lines, about = places(root / "out.jsonl")
        lines.write_bytes(part)
        about.write_bytes(description)
        with ResumableLines(output, RUN) as resumable:
            kept = resumable.keep(range(1, 4))
        left = lines.read_bytes()
        assert part.startswith(left)
        assert left.count(b"\n") == kept <= 3


def _run() -> bytes:
    scores = np.array([[0.5, 0.25]], dtype=np.float32)
    answers = Answers(("d:1",), ("d",), (("A",),), np.array([True]), ("A", "B"), scores)
    with scratch_folder() as folder:
        write_result(folder, RunResult(("A", "B"), {"test": answers}, {"seconds": 1.0}), {})
        predictions = (folder / "predictions-test.jsonl").read_bytes()
        right = hashlib.sha256(predictions).hexdigest().encode()
        return NEXT_FILE.join(((folder / SCORES).read_bytes().replace(right, HASH), predictions))


def read_settings_file(content: bytes) -> None:
    """What is taken can be written, and read back the same."""
    with scratch_folder() as folder:
        file = folder / "configuration.toml"
        file.write_bytes(content)
        found = read_configuration(file)
        file.write_text(commented_toml(found), encoding="utf-8")
        assert read_configuration(file) == found


def read_assignments(content: bytes) -> None:
    """Options as a shell hands them over, one a line."""
    given = content.decode("utf-8", errors="surrogateescape").split("\n")
    read_configuration(None, given)


def read_vector_file(content: bytes, *, compressed: bool = False) -> None:
    """All of it, and as training reads it: for some words, reduced to a few dimensions."""
    with scratch_folder() as folder:
        file = folder / "vectors"
        file.write_bytes(gzip.compress(content, 1) if compressed else content)
        vectors = read_vectors(file)
        assert len(vectors.words) == len(vectors.matrix) > 0
        assert np.isfinite(vectors.matrix).all()
        if vectors.dimensions <= MOST_REDUCED:
            _reduce(file, vectors)


def _reduce(file: Path, vectors: WordVectors) -> None:
    known = {vectors.words[0], "unheard-of"}
    reduced = load_vectors(
        str(file), dimensions=min(2, vectors.dimensions), words=known, frequent=3, sentences=None, seed=1
    )
    assert np.isfinite(reduced.matrix).all()


_SHORT = "".join(
    line for line in commented_toml(Configuration()).splitlines(keepends=True) if not line.startswith("#")
).encode()
_DATA = b'[[data]]\ncorpus = "gum"\npath = "a"\n[[data]]\ncorpus = "pairs"\npath = "../b"\nweight = 0.5\n'
_UNFINISHED = json.dumps(RUN).encode() + NEXT_FILE + b'{"line": 1}\n{"line": 2}\n{"lin'
_BINARY = word2vec_binary(line_feeds=False), word2vec_binary(line_feeds=True)


def bundle_target(
    name: str, file: str, *, sealed: bool = True, make: Callable[[], AnyModel] = tiny_model
) -> Target:
    return Target(name, partial(read_one, name=file, sealed=sealed, make=make), (written(make)[file],))


TARGETS = (
    bundle_target("bundle-manifest-unsealed", MANIFEST, sealed=False),
    bundle_target("bundle-manifest", MANIFEST),
    bundle_target("bundle-parameters", PARAMETERS),
    bundle_target("bundle-words", WORDS),
    bundle_target("bundle-features", FEATURES),
    bundle_target("bundle-encoder", ENCODER, make=small_encoder),
    bundle_target("bundle-tokenizer", TOKENIZER, make=small_encoder),
    Target("bundle", read_whole, (NEXT_FILE.join(written()[name] for name in FILES),)),
    Target("cache-entry", read_cache_entry, (_entry(), zlib.compress(_entry()), zlib.compress(b"{}"))),
    Target("run-record", read_run, (_run(),)),
    Target("unfinished-output", read_unfinished, (_UNFINISHED,)),
    Target("settings-file", read_settings_file, (_SHORT, b'model.kind = "surface"\n', _DATA)),
    Target(
        "settings-options",
        read_assignments,
        (b"model.K=20\ntraining.epochs = 3", b'features.context=false\nmodel.kind="additive"'),
    ),
    Target("vectors-text", read_vector_file, (glove_text(), word2vec_text(), fasttext_text())),
    Target("vectors-binary", read_vector_file, _BINARY),
    Target(
        "vectors-compressed",
        read_vector_file,
        (gzip.compress(glove_text(), mtime=0), gzip.compress(_BINARY[1], mtime=0)),
    ),
    Target("vectors-inside-gzip", partial(read_vector_file, compressed=True), (glove_text(), _BINARY[1])),
)
