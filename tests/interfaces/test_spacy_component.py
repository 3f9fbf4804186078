"""The spaCy component: what it finds and where, whose layers it uses, and pipelines that are saved."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span

from disco2.annotation.annotator import Annotators
from disco2.annotation.english.annotators import SHIPPED, shared_english
from disco2.annotation.english.spacy_english import read_pipeline
from disco2.bundle.folder import PARAMETERS
from disco2.data import Document
from disco2.errors import BundleError, InputError, SettingsError
from disco2.files import read_listed_files
from disco2.inference.pipeline import Pipeline
from disco2.interfaces.spacy_component.pipe import Disco2Pipe, read_documents
from disco2.shipped import MANIFEST
from disco2.vectors.word_vectors import read_shipped
from tests.inference.small_pipeline import LABELS

TEXT = "Bob gave Tina the burger. She was hungry. However, he was tired."
TEXTS = ["Bob gave Tina the burger. She was hungry.", "", "Ann is tall. Max is short. He likes tea 😀."]


@pytest.fixture(scope="module")
def shipped() -> Pipeline:
    import disco2

    return disco2.load()


def answers(doc: Doc) -> list[dict[str, Any]]:
    return [relation.to_json() for relation in doc._.discourse_relations]


def assert_same(found: list[list[dict[str, Any]]], expected: list[list[dict[str, Any]]]) -> None:
    """The same answers; the last digits of a product may depend on where its matrices lie in memory."""
    assert [len(one) for one in found] == [len(one) for one in expected]
    for one, other in zip(chain.from_iterable(found), chain.from_iterable(expected), strict=True):
        for name in ("probability", "probabilities", "presence"):
            assert one[name] == pytest.approx(other[name], abs=1e-6)
        digits = {"probability": 0, "probabilities": 0, "presence": 0}
        assert one | digits == other | digits


def test_it_is_there_without_any_import_of_ours() -> None:
    code = (
        "import spacy, sys; nlp = spacy.blank('en'); assert nlp.has_factory('disco2');"
        "print([name for name in sys.modules if name.startswith(('disco2.model', 'disco2.inference'))])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_relations_are_between_spans_of_the_document(nlp: Language) -> None:
    doc = nlp(TEXT)
    first, second = doc._.discourse_relations
    assert isinstance(first.arg1, Span)
    assert first.arg1.doc is doc
    assert (first.arg1.text, first.arg2.text) == ("Bob gave Tina the burger.", "She was hungry.")
    assert (first.index, second.index) == (0, 1)
    assert (second.kind, second.connective) == ("Explicit", "However")
    assert first.probability == max(first.probabilities.values()) == first.probabilities[first.sense]
    assert sum(first.probabilities.values()) == pytest.approx(1)
    [entity] = first.entities
    assert (str(entity), entity.arg1[0].doc is doc) == ("Tina ~ She", True)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "It rained. 😀 was all she wrote.\r\n\r\nThe   match was off.\r\nWe left. We ate.",
        "\n\n It rained.\n \nNobody came. Nobody called. \t",
    ],
)
def test_it_answers_as_the_pipeline_on_plain_text_does(nlp: Language, shipped: Pipeline, text: str) -> None:
    found, expected = answers(nlp(text)), [prediction.to_json() for prediction in shipped(text)]
    assert_same([found], [expected])
    assert all(text[one["arg1"]["start"] : one["arg1"]["end"]] == one["arg1"]["text"] for one in found)


@pytest.mark.parametrize("text", ["", " \n\n ", "It rained.", "...", "\x00\u200b"])
def test_texts_without_a_pair_have_no_relation(nlp: Language, text: str) -> None:
    assert nlp(text)._.discourse_relations == []


def test_sentence_boundaries_are_written_if_the_pipeline_has_none(nlp: Language) -> None:
    doc = nlp(f" \n{TEXT}\n\nIt rained. ")
    assert [sentence.text.strip() for sentence in doc.sents] == [
        "Bob gave Tina the burger.",
        "She was hungry.",
        "However, he was tired.",
        "It rained.",
    ]
    before = answers(doc)
    assert answers(nlp.get_pipe("disco2")(doc)) == before
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer", config={"punct_chars": [","]})
    nlp.add_pipe("disco2")
    assert [sentence.text for sentence in nlp("It rained, we left. She stayed.").sents] == [
        "It rained,",
        "we left. She stayed.",
    ]


def test_a_part_of_a_document_has_no_relations_of_the_whole(nlp: Language) -> None:
    doc = nlp(TEXT)
    assert doc[3:9].as_doc(copy_user_data=True)._.discourse_relations == []
    assert answers(doc.copy()) == answers(doc)


@pytest.mark.parametrize("paragraphs", ["blank", "line", "none"])
def test_paragraphs_part_sentences(shipped: Pipeline, paragraphs: str) -> None:
    text = "It rained\nWe went home.\nShe stayed. He left.\n\nHe slept."
    nlp = spacy.blank("en")
    nlp.add_pipe("disco2", config={"paragraphs": paragraphs})
    found = [(relation.arg1.text, relation.arg2.text) for relation in nlp(text)._.discourse_relations]
    assert found == [(one.arg1.text, one.arg2.text) for one in shipped(text, paragraphs=paragraphs)]
    assert ("She stayed.", "He left.") in found
    assert (("He left.", "He slept.") in found) == (paragraphs == "none")


def test_a_pipe_gives_what_single_calls_give(nlp: Language) -> None:
    texts = [TEXT, "", "It rained. We left.", "One.", "Max ran. He fell. He cried. Ann came."] * 3
    single = [answers(nlp(text)) for text in texts]
    for batch_size in (1, 4, 100):
        assert_same([answers(doc) for doc in nlp.pipe(texts, batch_size=batch_size)], single)


def test_the_error_handler_gets_the_document_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    nlp = spacy.blank("en")
    component = nlp.add_pipe("disco2")
    assert isinstance(component, Disco2Pipe)
    original = Disco2Pipe._predict

    def fragile(self: Disco2Pipe, docs: list[Doc]) -> Any:
        if any("poison" in doc.text for doc in docs):
            raise RuntimeError("no")
        return original(self, docs)

    monkeypatch.setattr(Disco2Pipe, "_predict", fragile)
    texts = ["It rained. We left.", "The poison. It worked.", "Ann ran. She fell."]
    with pytest.raises(RuntimeError):
        list(nlp.pipe(texts))
    failed: list[str] = []
    nlp.set_error_handler(lambda name, pipe, docs, error: failed.extend(doc.text for doc in docs))
    assert [len(doc._.discourse_relations) for doc in nlp.pipe(texts)] == [1, 1]
    assert failed == [texts[1]]


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        ({"paragraphs": "pages"}, ValueError, "paragraphs"),  # spaCy's own
        ({"kinds": "Sideways"}, InputError, "Unknown kind of relation 'sideways'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    config: dict[str, str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        spacy.blank("en").add_pipe("disco2", config=config)


def test_a_model_that_is_not_there_is_named_when_it_is_needed() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("disco2", config={"model": "no/such/model"})
    with pytest.raises(BundleError, match=r"no.such.model"):
        nlp(TEXT)
    nlp.set_error_handler(lambda *_: None)  # it is no fault of the documents, so nobody may pass over it
    with pytest.raises(BundleError, match=r"no.such.model"):
        list(nlp.pipe([TEXT]))


def test_other_languages_need_a_model_of_their_own(small_bundle: Any) -> None:
    with pytest.raises(SettingsError, match="'de'"):
        spacy.blank("de").add_pipe("disco2")
    with pytest.warns(UserWarning, match="English annotators"):
        spacy.blank("de").add_pipe("disco2", config={"model": str(small_bundle)})


def test_explicit_relations_have_spans_of_their_parts(nlp: Language) -> None:
    doc = nlp("We stayed at home because the road was flooded.")
    (relation,) = doc._.discourse_relations
    assert (relation.kind, relation.connective, relation.sense) == (
        "Explicit",
        "because",
        "Contingency.Cause",
    )
    assert [span.text for span in relation.connective_parts] == ["because"]
    assert relation.arg1.text == relation.arg1_parts[0].text == "We stayed at home"


# Layers


@pytest.fixture(scope="module")
def english() -> Annotators:
    return shared_english()


@pytest.fixture(scope="module")
def tagging() -> Language:
    """A pipeline with a tagger and a parser: the shipped components, which spaCy can run on their own."""
    nlp = read_pipeline(read_listed_files(SHIPPED / "syntax"), read_shipped())
    nlp.meta["name"] = "tagging"
    return nlp


def read(doc: Doc, english: Annotators) -> tuple[Document, str]:
    (found,) = read_documents([doc], paragraphs="blank", pipeline="theirs", english=english)
    return found.document, " + ".join(found.makers)


def test_tags_and_dependencies_are_the_pipelines_own(tagging: Language, english: Annotators) -> None:
    doc = tagging(TEXT)
    doc[1].tag_, doc[3].dep_, doc[3].head = "ODD", "oddity", doc[0]
    document, makers = read(doc, english)
    assert document.tokens[1].tag == "ODD"
    tree = document.sentences[0].dependencies
    assert tree is not None
    assert (tree.labels[3], tree.heads[3]) == ("oddity", 0)
    assert "English syntax" not in makers
    assert [name.split()[:3] for name in makers.split(" + ")] == [
        ["theirs"],
        ["disco2", "span", "parser"],
        ["disco2", "mention", "ranking"],
    ]


def test_whitespace_is_passed_over(english: Annotators) -> None:
    words = ["\n\n", "It", "rained", ".", " ", "\r\n", "We", "\u200b", "left", "."]
    spaces = [False, True, False, False, False, False, True, False, False, False]
    doc = Doc(spacy.blank("en").vocab, words=words, spaces=spaces)
    document, _ = read(doc, english)
    assert [token.text for token in document.tokens] == ["It", "rained", ".", "We", "left", "."]
    assert all(doc.text[token.start : token.end] == token.text for token in document.tokens)
    assert [(one.start, one.end) for one in document.sentences] == [(0, 3), (3, 6)]


# Documents and pipelines that are saved


@pytest.fixture
def own(small_bundle: Path, tmp_path: Path) -> Language:
    """With a model of one's own, in a folder that may go away."""
    shutil.copytree(small_bundle, tmp_path / "my-model")
    nlp = spacy.blank("en")
    nlp.add_pipe("disco2", config={"model": str(tmp_path / "my-model"), "paragraphs": "none"})
    return nlp


def all_answers(docs: Any) -> list[list[dict[str, Any]]]:
    return list(map(answers, docs))


def test_documents_survive_bytes_and_bins(nlp: Language) -> None:
    docs = list(nlp.pipe(TEXTS))
    copies = [Doc(nlp.vocab).from_bytes(doc.to_bytes()) for doc in docs]
    assert all_answers(copies) == all_answers(docs)
    assert copies[0]._.discourse_relations[0].entities[0].arg1[0].doc is copies[0]
    stored = DocBin(docs=docs, store_user_data=True).to_bytes()
    assert all_answers(DocBin().from_bytes(stored).get_docs(nlp.vocab)) == all_answers(docs)
    assert all_answers(pickle.loads(pickle.dumps(docs))) == all_answers(docs)  # noqa: S301


def test_the_component_can_be_sent_to_another_process(own: Language) -> None:
    component = own.get_pipe("disco2")
    sent = pickle.loads(pickle.dumps(component))  # noqa: S301
    doc = sent(own.make_doc(TEXTS[0]))
    assert_same(all_answers([doc]), all_answers([own(TEXTS[0])]))
    assert vars(sent)["_paragraphs"] == "none"


def test_a_saved_pipeline_answers_as_before(nlp: Language, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "pipeline")
    assert not (tmp_path / "pipeline" / "disco2" / "bundle").exists()
    loaded = spacy.load(tmp_path / "pipeline")
    assert_same(all_answers(loaded.pipe(TEXTS)), all_answers(nlp.pipe(TEXTS)))
    again = spacy.blank("en")
    again.add_pipe("disco2")
    again.from_bytes(nlp.to_bytes())
    assert_same(all_answers(again.pipe(TEXTS)), all_answers(nlp.pipe(TEXTS)))


def test_a_saved_pipeline_has_its_own_model(own: Language, tmp_path: Path) -> None:
    expected = all_answers(own.pipe(TEXTS))
    assert set(expected[0][0]["probabilities"]) <= set(LABELS)
    own.to_disk(tmp_path / "pipeline")
    content = own.to_bytes()
    shutil.rmtree(tmp_path / "my-model")
    for _ in range(2):  # the second time, what was loaded is saved over itself
        loaded = spacy.load(tmp_path / "pipeline")
        assert_same(all_answers(loaded.pipe(TEXTS)), expected)
        doc = loaded(TEXTS[0])
        said = doc.user_data[("._.", "discourse_relations", None, None)]
        assert said["model"]["name"] == "my-model"
        loaded.to_disk(tmp_path / "pipeline")
    from_bytes = spacy.blank("en")
    from_bytes.add_pipe("disco2", config={"paragraphs": "none"})
    from_bytes.from_bytes(content)
    assert_same(all_answers(from_bytes.pipe(TEXTS)), expected)


@pytest.mark.parametrize(
    "harm", ["damaged", "lost", "lost parameters", "no configuration", "odd configuration", "another model"]
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
        case "another model":
            saved = json.loads((folder / "cfg.json").read_text())
            (folder / "cfg.json").write_text(json.dumps(saved | {"digest": "0"}))
    with pytest.raises(BundleError):
        spacy.load(tmp_path / "pipeline")


@pytest.mark.parametrize(
    "files",
    [
        {MANIFEST: 10**13},
        {MANIFEST: "text"},
        {MANIFEST: b"[" * 100_000},
        {MANIFEST: b"{}", "../../escaped": b"x"},
        10**13,
        None,
    ],
    ids=lambda files: str(files)[:40],
)
def test_bytes_made_to_mislead_are_refused(nlp: Language, tmp_path: Path, files: object) -> None:
    """A number is no file, whatever ``bytes`` makes of it; and no name but a model's own reaches the disk."""
    content = srsly.msgpack_dumps({"cfg": {"model": "own", "name": "n"}, "bundle": files})
    with pytest.raises(BundleError):
        nlp.get_pipe("disco2").from_bytes(content)
    assert len(nlp(TEXT)._.discourse_relations) == 2  # it still has its model


def test_another_shipped_model_is_refused(nlp: Language, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "pipeline")
    file = tmp_path / "pipeline" / "disco2" / "cfg.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"digest": "0", "disco2": "0.1"}))
    with pytest.raises(BundleError, match=r"Install disco2 0\.1"):
        spacy.load(tmp_path / "pipeline")


def test_files_of_others_stay(own: Language, nlp: Language, tmp_path: Path) -> None:
    own.to_disk(tmp_path / "pipeline")
    nlp.to_disk(tmp_path / "pipeline")  # a model is replaced, here by one that needs no copy
    folder = tmp_path / "pipeline" / "disco2"
    assert not (folder / "bundle").exists()
    (folder / "thesis.txt").write_text("mine")
    for force in (False, True):
        with pytest.raises(InputError, match=r"does not know as its own: thesis\.txt"):
            own.get_pipe("disco2").to_disk(folder, force=force)
    assert (folder / "thesis.txt").read_text() == "mine"
    assert_same(all_answers(spacy.load(tmp_path / "pipeline").pipe(TEXTS)), all_answers(nlp.pipe(TEXTS)))
