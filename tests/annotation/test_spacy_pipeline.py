"""Any spaCy pipeline as an annotator, with real components trained on made-up sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("spacy")
import spacy
from spacy.language import Language
from spacy.training import Example

from disco2.annotation.annotator import Annotators, Layer, raw_document
from disco2.annotation.layers import document_from_words
from disco2.annotation.spacy_pipeline import MemoryZones, SpacyPipeline
from disco2.data import Dependencies
from disco2.errors import LayerError, SettingsError

SYNTAX = frozenset({Layer.TOKENS, Layer.TAGS, Layer.DEPENDENCIES})

# Words, tags, heads counted in the whole text, labels.
TAUGHT = [
    (
        "A cat slept . It purred .",
        ["DT", "NN", "VBD", ".", "PRP", "VBD", "."],
        [1, 2, 2, 2, 5, 5, 5],
        ["det", "nsubj", "ROOT", "punct", "nsubj", "ROOT", "punct"],
    ),
    (
        "The dog saw a cat .",
        ["DT", "NN", "VBD", "DT", "NN", "."],
        [1, 2, 2, 4, 2, 2],
        ["det", "nsubj", "ROOT", "det", "dobj", "punct"],
    ),
]


@pytest.fixture(scope="session")
def pipeline_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline with a tagger and a parser that know the sentences above by heart."""
    nlp = spacy.blank("en")
    nlp.meta["name"] = "made_up"
    nlp.add_pipe("tagger")
    nlp.add_pipe("parser", config={"min_action_freq": 1})
    examples = [
        Example.from_dict(nlp.make_doc(text), {"tags": tags, "heads": heads, "deps": labels})
        for text, tags, heads, labels in TAUGHT
    ]
    spacy.util.fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(25):
        nlp.update(examples, sgd=optimizer, drop=0.0)
    folder = tmp_path_factory.mktemp("spacy") / "en_made_up"
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="session")
def pipeline(pipeline_folder: Path) -> SpacyPipeline:
    return SpacyPipeline.load(str(pipeline_folder))


def test_a_pipeline_provides_what_its_components_make(pipeline: SpacyPipeline) -> None:
    needs_tokens = frozenset({Layer.TOKENS})
    assert pipeline.requires == {
        Layer.TOKENS: frozenset(),
        Layer.TAGS: needs_tokens,
        Layer.DEPENDENCIES: needs_tokens,
    }
    assert pipeline.name.startswith("spaCy en_made_up ")


@pytest.mark.parametrize("component", ["senter", "sentencizer"])
def test_sentences_alone_are_enough(component: str) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(component)
    assert SpacyPipeline(nlp).requires == {Layer.TOKENS: frozenset()}


def test_tokens_tags_and_dependencies_of_a_text(pipeline: SpacyPipeline) -> None:
    text = " A cat slept.  It purred.\r\n\r\n The dog saw a cat ."
    document = pipeline.annotate([raw_document(text)], layers=SYNTAX)[0]
    assert all(text[token.start : token.end] == token.text for token in document.tokens)
    assert [document.words(range(s.start, s.end)) for s in document.sentences] == [
        ["A", "cat", "slept", "."],
        ["It", "purred", "."],
        ["The", "dog", "saw", "a", "cat", "."],
    ]
    assert [token.tag for token in document.tokens[:7]] == TAUGHT[0][1]
    assert [sentence.dependencies for sentence in document.sentences] == [
        Dependencies((1, 2, -1, 2), ("det", "nsubj", "root", "punct")),
        Dependencies((1, -1, 1), ("nsubj", "root", "punct")),
        Dependencies((1, 2, -1, 4, 2, 2), ("det", "nsubj", "root", "det", "dobj", "punct")),
    ]


def test_a_blank_line_ends_a_sentence_whatever_the_parser_thinks(pipeline: SpacyPipeline) -> None:
    document = pipeline.annotate([raw_document("A cat\n\nslept .")], layers=SYNTAX)[0]
    assert [(sentence.start, sentence.end) for sentence in document.sentences] == [(0, 2), (2, 4)]


def test_a_documents_own_tokens_and_sentences_stay(pipeline: SpacyPipeline) -> None:
    words = [["A", "cat"], ["slept", ".", "It", "purred"], ["."]]
    document = document_from_words("d", words, "A cat slept. It  purred.", [["a", "b"], list("cdef"), ["g"]])
    parsed = pipeline.annotate([document], layers=frozenset({Layer.DEPENDENCIES}))[0]
    assert parsed.tokens == document.tokens
    assert [(s.start, s.end) for s in parsed.sentences] == [(0, 2), (2, 6), (6, 7)]
    for sentence in parsed.sentences:
        assert sentence.dependencies is not None
        assert sentence.dependencies.heads.count(-1) == 1
        assert all(-1 <= head < len(sentence) for head in sentence.dependencies.heads)
    tagged = pipeline.annotate([document], layers=frozenset({Layer.TAGS}))[0]
    assert [token.tag for token in tagged.tokens] == TAUGHT[0][1]
    assert tagged.sentences == document.sentences


@pytest.mark.parametrize(
    "text", ["", " \n\n\t", "\x00", "...", "\U0001f600\ufe0f e\u0301", "שלום \ud800", "a" * 70_000]
)
def test_odd_texts_survive(pipeline: SpacyPipeline, text: str) -> None:
    document = pipeline.annotate([raw_document(text)], layers=SYNTAX)[0]
    again = pipeline.annotate([document], layers=frozenset({Layer.TAGS, Layer.DEPENDENCIES}))[0]
    assert [token.text for token in again.tokens] == [token.text for token in document.tokens]
    assert document.text == text
    assert bool(document.sentences) == bool(document.tokens)


def test_a_layer_that_it_lacks_is_an_error(pipeline: SpacyPipeline) -> None:
    with pytest.raises(SettingsError, match="does not make coreference"):
        pipeline.annotate([raw_document("Go.")], layers=frozenset({Layer.COREFERENCE}))
    with pytest.raises(SettingsError, match="No annotator here makes constituents"):
        Annotators([pipeline]).maker(Layer.CONSTITUENTS)


def test_a_pipeline_that_is_not_installed_says_how_to_get_it() -> None:
    with pytest.raises(SettingsError, match="python -m spacy download en_not_there_xl"):
        SpacyPipeline.load("en_not_there_xl")


def test_a_folder_that_is_no_pipeline_is_an_error(tmp_path: Path, pipeline_folder: Path) -> None:
    with pytest.raises(SettingsError, match="can't be loaded"):
        SpacyPipeline.load(str(tmp_path))
    (tmp_path / "config.cfg").write_text("rubbish")
    (tmp_path / "meta.json").write_text("{")
    with pytest.raises(SettingsError, match="can't be loaded"):
        SpacyPipeline.load(str(tmp_path))
    config = (pipeline_folder / "config.cfg").read_text().replace('factory = "tagger"', 'factory = "tugger"')
    (tmp_path / "config.cfg").write_text(config)
    (tmp_path / "meta.json").write_text((pipeline_folder / "meta.json").read_text())
    with pytest.raises(SettingsError, match="tugger"):
        SpacyPipeline.load(str(tmp_path))


def test_a_pipeline_without_anything_of_use_is_an_error() -> None:
    with pytest.raises(SettingsError, match="no component that is of use"):
        SpacyPipeline(spacy.blank("en"))


@Language.component("made_up_failure", assigns=["token.tag"])
def failing_component(doc: spacy.tokens.Doc) -> spacy.tokens.Doc:
    raise RuntimeError("all is lost\nsee below")


def test_a_pipeline_that_fails_names_the_document() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("made_up_failure")
    with pytest.raises(LayerError, match=r"letter: The pipeline spaCy en_pipeline .* failed: all is lost"):
        SpacyPipeline(nlp).annotate([document_from_words("letter", [["Go"]])], layers=frozenset({Layer.TAGS}))


def test_new_words_are_forgotten_in_the_end(pipeline_folder: Path) -> None:
    nlp = spacy.load(pipeline_folder)
    annotator = SpacyPipeline(nlp)
    [plain] = annotator.annotate([raw_document("A quabblix slept .")], layers=SYNTAX)
    assert "quabblix" in nlp.vocab.strings
    annotator._memory = MemoryZones(nlp, kept=0)
    [document] = annotator.annotate([raw_document("A blorbit slept .")], layers=SYNTAX)
    again = annotator.annotate([document], layers=frozenset({Layer.TAGS, Layer.DEPENDENCIES}))
    assert again == [document]
    assert "blorbit" not in nlp.vocab.strings
    assert [token.tag for token in document.tokens] == [token.tag for token in plain.tokens]
    assert document.sentences == plain.sentences
