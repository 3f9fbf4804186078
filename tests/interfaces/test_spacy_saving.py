"""Documents and pipelines that travel: to bytes, to disk, to other processes."""

from __future__ import annotations

import json
import pickle
import shutil
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from disco2.bundle.manifest import PARAMETERS
from disco2.errors import BundleError, InputError
from disco2.files import HIDDEN_LIST
from disco2.shipped import MANIFEST
from tests.inference.small_pipeline import LABELS

TEXTS = ["Bob gave Tina the burger. She was hungry.", "", "Ann is tall. Max is short. He likes tea 😀."]


@pytest.fixture
def own(small_bundle: Path, tmp_path: Path) -> Language:
    """With a model of one's own, in a folder that may go away."""
    shutil.copytree(small_bundle, tmp_path / "my-model")
    nlp = spacy.blank("en")
    nlp.add_pipe("disco2", config={"model": str(tmp_path / "my-model"), "paragraphs": "none"})
    return nlp


def answers(docs: Any) -> list[list[dict[str, Any]]]:
    return [[relation.to_json() for relation in doc._.discourse_relations] for doc in docs]


def assert_same(found: list[list[dict[str, Any]]], expected: list[list[dict[str, Any]]]) -> None:
    """The same answers; the last digits of a product may depend on where its matrices lie in memory."""
    assert [len(one) for one in found] == [len(one) for one in expected]
    for one, other in zip(chain.from_iterable(found), chain.from_iterable(expected), strict=True):
        assert one["probabilities"] == pytest.approx(other["probabilities"], abs=1e-6)
        digits = {"probability": 0, "probabilities": 0}
        assert one | digits == other | digits


def test_documents_survive_bytes_and_bins(nlp: Language) -> None:
    docs = list(nlp.pipe(TEXTS))
    copies = [Doc(nlp.vocab).from_bytes(doc.to_bytes()) for doc in docs]
    assert answers(copies) == answers(docs)
    assert copies[0]._.discourse_relations[0].entities[0].arg1[0].doc is copies[0]
    stored = DocBin(docs=docs, store_user_data=True).to_bytes()
    assert answers(DocBin().from_bytes(stored).get_docs(nlp.vocab)) == answers(docs)
    assert answers(pickle.loads(pickle.dumps(docs))) == answers(docs)  # noqa: S301


def test_the_component_can_be_sent_to_another_process(own: Language) -> None:
    component = own.get_pipe("disco2")
    sent = pickle.loads(pickle.dumps(component))  # noqa: S301
    doc = sent(own.make_doc(TEXTS[0]))
    assert_same(answers([doc]), answers([own(TEXTS[0])]))
    assert sent.settings == component.settings


def test_a_saved_pipeline_answers_as_before(nlp: Language, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "pipeline")
    assert not (tmp_path / "pipeline" / "disco2" / "bundle").exists()
    loaded = spacy.load(tmp_path / "pipeline")
    assert_same(answers(loaded.pipe(TEXTS)), answers(nlp.pipe(TEXTS)))
    again = spacy.blank("en")
    again.add_pipe("disco2")
    again.from_bytes(nlp.to_bytes())
    assert_same(answers(again.pipe(TEXTS)), answers(nlp.pipe(TEXTS)))


def test_a_saved_pipeline_has_its_own_model(own: Language, tmp_path: Path) -> None:
    expected = answers(own.pipe(TEXTS))
    assert set(expected[0][0]["probabilities"]) <= set(LABELS)
    own.to_disk(tmp_path / "pipeline")
    content = own.to_bytes()
    shutil.rmtree(tmp_path / "my-model")
    for _ in range(2):  # the second time, what was loaded is saved over itself
        loaded = spacy.load(tmp_path / "pipeline")
        assert_same(answers(loaded.pipe(TEXTS)), expected)
        assert loaded.get_pipe("disco2").settings.paragraphs == "none"
        doc = loaded(TEXTS[0])
        said = doc.user_data[("._.", "discourse_relations", None, None)]
        assert said["model"]["name"] == "my-model"
        loaded.to_disk(tmp_path / "pipeline")
    from_bytes = spacy.blank("en")
    from_bytes.add_pipe("disco2", config={"paragraphs": "none"})
    from_bytes.from_bytes(content)
    assert_same(answers(from_bytes.pipe(TEXTS)), expected)


@pytest.mark.parametrize(
    "harm", ["damaged", "lost", "lost parameters", "no configuration", "odd configuration"]
)
def test_a_damaged_model_is_refused(own: Language, tmp_path: Path, harm: str) -> None:
    own.to_disk(tmp_path / "pipeline")
    folder = tmp_path / "pipeline" / "disco2"
    match harm:
        case "damaged":
            file = folder / "bundle" / PARAMETERS
            content = bytearray(file.read_bytes())
            content[-1] ^= 1
            file.write_bytes(content)
        case "lost":
            shutil.rmtree(folder / "bundle")
        case "lost parameters":
            (folder / "bundle" / PARAMETERS).unlink()
        case "no configuration":
            (folder / "cfg.json").unlink()
        case "odd configuration":
            (folder / "cfg.json").write_text("[1]")
    with pytest.raises(BundleError):
        spacy.load(tmp_path / "pipeline")


@pytest.mark.parametrize(
    "files",
    [
        {MANIFEST: 10**13},
        {MANIFEST: "text"},
        {MANIFEST: b"[" * 100_000},
        {MANIFEST: b"{}", "../../escaped": b"x"},
        [MANIFEST],
        10**13,
        None,
    ],
    ids=lambda files: str(files)[:40],
)
def test_bytes_made_to_mislead_are_refused(nlp: Language, tmp_path: Path, files: object) -> None:
    """A number is no file, whatever ``bytes`` makes of it; and no name but a model's own reaches the disk."""
    content = srsly.msgpack_dumps({"cfg": {"model": "own", "digest": "0", "name": "n"}, "bundle": files})
    with pytest.raises(BundleError):
        nlp.get_pipe("disco2").from_bytes(content)
    nlp.get_pipe("disco2").from_bytes(srsly.msgpack_dumps({}))  # it still has its model


def test_another_shipped_model_is_refused(nlp: Language, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "pipeline")
    file = tmp_path / "pipeline" / "disco2" / "cfg.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"digest": "0", "disco2": "0.1"}))
    with pytest.raises(BundleError, match=r"Install disco2 0\.1"):
        spacy.load(tmp_path / "pipeline")


def test_what_is_excluded_is_not_written(own: Language, tmp_path: Path) -> None:
    component = own.get_pipe("disco2")
    component.to_disk(tmp_path / "part", exclude=["bundle"])
    assert {file.name for file in (tmp_path / "part").iterdir()} == {"cfg.json", HIDDEN_LIST.name}
    with pytest.raises(BundleError, match="lost its model"):
        own.get_pipe("disco2").from_disk(tmp_path / "part")
    assert component.from_disk(tmp_path / "part", exclude=["cfg"]) is component
    with pytest.raises(BundleError, match="bytes"):
        component.from_bytes(b"nonsense")


def test_files_of_others_stay(own: Language, nlp: Language, tmp_path: Path) -> None:
    own.to_disk(tmp_path / "pipeline")
    nlp.to_disk(tmp_path / "pipeline")  # a model is replaced, here by one that needs no copy
    folder = tmp_path / "pipeline" / "disco2"
    assert not (folder / "bundle").exists()
    (folder / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match=r"does not know as its own: thesis\.txt"):
        nlp.to_disk(tmp_path / "pipeline")
    (folder / "thesis.txt").unlink()
    (folder / "cfg.json").write_text("edited")
    own.get_pipe("disco2").to_disk(folder, force=True)
    assert_same(answers(spacy.load(tmp_path / "pipeline").pipe(TEXTS)), answers(own.pipe(TEXTS)))
