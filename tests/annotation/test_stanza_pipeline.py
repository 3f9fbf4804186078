"""Stanza as an annotator: which of its processors run over what, without its models."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("stanza")
import stanza
from stanza.models.common.doc import Document as StanzaDocument

from disco2.annotation import stanza_pipeline
from disco2.annotation.annotator import ALL_LAYERS, Layer, raw_document
from disco2.annotation.layers import document_from_words
from disco2.annotation.stanza_pipeline import StanzaPipeline
from disco2.errors import LayerError, MissingExtraError, SettingsError

PROCESSORS = ("tokenize", "mwt", "pos", "lemma", "depparse", "constituency", "coref")


class LookAlikePipeline:
    """Answers as a Stanza pipeline does, with one word a sentence for a text, and remembers what it ran."""

    def __init__(self, processors: Sequence[str] = PROCESSORS) -> None:
        self.processors = dict.fromkeys(processors)
        self.ran: list[tuple[str, list[str]]] = []

    def process(self, given: Any, processors: list[str]) -> StanzaDocument:
        self.ran.append((type(given).__name__, processors))
        if isinstance(given, str):
            word = {"id": 1, "text": given.strip(), "start_char": given.index(given.strip())}
            word["end_char"] = word["start_char"] + len(given.strip())
            given = StanzaDocument([[word]], text=given)
        if "pos" in processors:
            given.set("xpos", ["UH"] * given.num_words)
        if "depparse" in processors:
            given.set(("head", "deprel"), [(0, "root")] * given.num_words)
        return given


def test_it_provides_what_its_processors_make() -> None:
    assert StanzaPipeline(LookAlikePipeline()).requires.keys() == ALL_LAYERS
    assert StanzaPipeline(LookAlikePipeline(["tokenize", "pos", "lemma", "depparse"])).requires == {
        Layer.TOKENS: frozenset(),
        Layer.TAGS: frozenset({Layer.TOKENS}),
        Layer.DEPENDENCIES: frozenset({Layer.TOKENS}),
    }
    assert StanzaPipeline(LookAlikePipeline()).name == f"Stanza {stanza.__version__} (en)"


def test_a_text_goes_through_all_processors() -> None:
    pipeline = LookAlikePipeline()
    found, empty = StanzaPipeline(pipeline).annotate(
        [raw_document(" Wow "), raw_document("\n \n")], layers=ALL_LAYERS
    )
    assert pipeline.ran == [("str", ["tokenize", "mwt", "pos", "lemma", "constituency", "depparse", "coref"])]
    assert (found.tokens[0].text, found.tokens[0].start, found.tokens[0].tag) == ("Wow", 1, "UH")
    assert (empty.tokens, empty.sentences, empty.mentions) == ((), (), ())


def test_own_tokens_are_not_cut_again() -> None:
    pipeline = LookAlikePipeline()
    document = document_from_words("d", [["Well", "well"]], tags=[["A", "B"]])
    layers = frozenset({Layer.DEPENDENCIES})
    found, empty = StanzaPipeline(pipeline).annotate([document, raw_document("")], layers=layers)
    assert pipeline.ran == [("Document", ["pos", "lemma", "depparse"])]
    assert found.tokens == document.tokens
    assert found.sentences[0].dependencies is not None
    assert empty == raw_document("")


def test_a_layer_that_it_lacks_is_an_error() -> None:
    pipeline = StanzaPipeline(LookAlikePipeline(["tokenize", "pos"]))
    with pytest.raises(SettingsError, match=r"Stanza .* does not make constituents.*It makes: tags, tokens"):
        pipeline.annotate([raw_document("Go.")], layers=frozenset({Layer.TOKENS, Layer.CONSTITUENTS}))


def test_only_the_models_of_the_layers_asked_for_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, absent="peft")
    monkeypatch.setattr(
        stanza, "Pipeline", lambda _, processors, **options: LookAlikePipeline(processors.split(","))
    )
    found = StanzaPipeline.load(layers=frozenset({Layer.CONSTITUENTS}))
    assert found.requires.keys() == {Layer.TOKENS, Layer.TAGS, Layer.CONSTITUENTS}


def test_a_failure_names_the_document() -> None:
    pipeline = LookAlikePipeline()
    pipeline.process = lambda given, processors: 1 / 0  # type: ignore[assignment, method-assign, return-value]
    with pytest.raises(LayerError, match="letter: Stanza failed: division by zero"):
        StanzaPipeline(pipeline).annotate(
            [raw_document("Go.", document_id="letter")], layers=frozenset({Layer.TOKENS})
        )


def installed(monkeypatch: pytest.MonkeyPatch, *, absent: str = "") -> None:
    """Let the annotator see all packages but one, whatever is installed."""
    monkeypatch.setattr(stanza_pipeline, "find_spec", lambda name: None if name == absent else name)


@pytest.mark.parametrize("package", ["stanza", "transformers", "peft"])
def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    installed(monkeypatch, absent=package)
    with pytest.raises(MissingExtraError, match=rf"'{package}'.*disco2\[stanza\]"):
        StanzaPipeline.load()


def test_missing_models_are_not_fetched_unasked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed(monkeypatch)
    with pytest.raises(SettingsError, match=r"Resources file not found.*--stanza-download.*stanza\.download"):
        StanzaPipeline.load(folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_language_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed(monkeypatch)
    (tmp_path / "resources.json").write_text("{}")
    with pytest.raises(SettingsError, match="models for 'qq' can't be loaded"):
        StanzaPipeline.load("qq", folder=tmp_path)


@pytest.mark.skipif(importlib.util.find_spec("spacy") is None, reason="needs spaCy")
def test_a_real_pipeline_with_the_one_processor_that_needs_no_model(tmp_path: Path) -> None:
    """Stanza can tokenise with spaCy's rules: its own Pipeline and processor, from text to our tokens."""
    resources = {"en": {"lang_name": "English", "tokenize": {}, "packages": {"default": {}}}}
    (tmp_path / "resources.json").write_text(json.dumps(resources))
    pipeline = stanza.Pipeline(
        "en",
        dir=str(tmp_path),
        processors={"tokenize": "spacy"},
        package=None,
        download_method=None,
        verbose=False,
    )
    annotator = StanzaPipeline(pipeline)
    assert annotator.requires == {Layer.TOKENS: frozenset()}
    text = "Ann isn't in. She left."
    document = annotator.annotate([raw_document(text)], layers=frozenset({Layer.TOKENS}))[0]
    assert [document.words(range(s.start, s.end)) for s in document.sentences] == [
        ["Ann", "is", "n't", "in", "."],
        ["She", "left", "."],
    ]
    assert all(text[token.start : token.end] == token.text for token in document.tokens)
