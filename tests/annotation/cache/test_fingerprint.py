"""Who made a layer: other weights, code or files are somebody else."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest
import spacy

from disco2.annotation import cache as fingerprints
from disco2.annotation.spacy_pipeline import SpacyPipeline
from disco2.annotation.stanford import StanfordParser
from disco2.annotation.stanza_pipeline import StanzaPipeline
from tests.annotation.cache.told import annotated, documents


def test_new_code_makes_everything_anew(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    annotated(file, documents())
    monkeypatch.setattr(fingerprints, "_package", lambda: "disco2 of another day")
    assert annotated(file, documents())[1] == 3


def test_files_are_told_apart_by_size_and_time(tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("1")
    first = fingerprints.file_fingerprint(tmp_path)
    assert fingerprints.file_fingerprint(tmp_path) == first
    os.utime(tmp_path / "weights", ns=(1, 1))
    assert fingerprints.file_fingerprint(tmp_path) != first


def test_files_that_keep_the_time_of_others_are_told_apart(tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    weights.write_text("1")
    first, times = fingerprints.file_fingerprint(tmp_path), weights.stat()
    time.sleep(0.05)  # clocks of file systems tick slowly
    weights.write_text("2")
    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert fingerprints.file_fingerprint(tmp_path) != first


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
