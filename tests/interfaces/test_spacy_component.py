"""The component in blank English pipelines: what it finds, where, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from itertools import chain
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from disco2.errors import BundleError, SettingsError
from disco2.inference.pipeline import Pipeline
from disco2.interfaces.spacy_component.pipe import Disco2Pipe

TEXT = "Bob gave Tina the burger. She was hungry. However, he was tired."


@pytest.fixture(scope="module")
def shipped() -> Pipeline:
    import disco2

    return disco2.load()


def answers(doc: Doc) -> list[dict[str, Any]]:
    return [relation.to_json() for relation in doc._.discourse_relations]


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
    assert len(found) == len(expected) > 0
    for one, other in zip(found, expected, strict=True):
        assert one.pop("probability") == pytest.approx(other.pop("probability"), abs=1e-6)
        assert one.pop("probabilities") == pytest.approx(other.pop("probabilities"), abs=1e-6)
        assert one == other
        assert text[one["arg1"]["start"] : one["arg1"]["end"]] == one["arg1"]["text"]


@pytest.mark.parametrize("text", ["", " \n\n ", "It rained.", "...", "\x00\u200b"])
def test_texts_without_a_pair_have_no_relation(nlp: Language, text: str) -> None:
    assert nlp(text)._.discourse_relations == []


def test_tags_and_dependencies_of_the_document_are_not_changed(nlp: Language) -> None:
    doc = nlp(TEXT)
    for name in ("TAG", "DEP"):
        assert not doc.has_annotation(name)
    assert not doc.user_hooks


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
        found = [answers(doc) for doc in nlp.pipe(texts, batch_size=batch_size)]
        assert [len(one) for one in found] == [len(one) for one in single]
        for one, other in zip(chain.from_iterable(found), chain.from_iterable(single), strict=True):
            assert one.pop("probabilities") == pytest.approx(other["probabilities"], abs=1e-6)
            for name in ("probability", "presence"):
                assert one.pop(name) == pytest.approx(other[name], abs=1e-6)
            assert one == {name: other[name] for name in one}


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
    "config", [{"paragraphs": "pages"}, {"constituents": "stanford"}, {"coref_prefix": ""}]
)
def test_settings_that_make_no_sense_are_refused(config: dict[str, str]) -> None:
    with pytest.raises(SettingsError):
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
