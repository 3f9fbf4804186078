"""Several annotators as one, and the annotators that a user chooses."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from disco2.annotation.annotator import (
    ALL_LAYERS,
    AnnotatorChoice,
    Annotators,
    Layer,
    Layers,
    SpacyPipeline,
    raw_document,
)
from disco2.annotation.english import annotators
from disco2.annotation.english.annotators import COMPONENTS
from disco2.data import Constituents, Dependencies, Document, Sentence
from disco2.errors import LayerError, SettingsError
from tests.documents import document_from_words


class Noting:
    """Writes down in the document's id what it was asked for."""

    def __init__(self, name: str, *provides: Layer, needs: Layers = frozenset()) -> None:
        self.name = name
        self.requires: dict[Layer, Layers] = dict.fromkeys(provides, needs)

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        asked = "".join(layer[0] for layer in Layer if layer in layers)
        return [replace(one, id=f"{one.id} {self.name}:{asked}") for one in documents]


SYNTAX = Noting("syntax", Layer.TOKENS, Layer.TAGS, Layer.DEPENDENCIES)
PARSER = Noting("parser", Layer.CONSTITUENTS)
CHAINS = Noting("chains", Layer.COREFERENCE)
RIVAL = Noting("rival", Layer.CONSTITUENTS, Layer.COREFERENCE)


def test_layers_are_made_in_order_and_neighbours_in_one_go() -> None:
    several = Annotators([CHAINS, PARSER, SYNTAX])
    (made,) = several.annotate([raw_document("Hm.", document_id="d")])
    assert made.id == "d syntax:ttd parser:c chains:c"
    assert several.name == "syntax + parser + chains"
    assert set(several.requires) == ALL_LAYERS


def test_the_last_annotator_that_provides_a_layer_makes_it() -> None:
    several = Annotators([SYNTAX, PARSER, CHAINS, RIVAL])
    (made,) = several.annotate([raw_document("Hm.", document_id="d")])
    assert made.id == "d syntax:ttd rival:cc"
    assert several.maker(Layer.CONSTITUENTS) is RIVAL


def test_a_layer_that_nobody_makes_is_an_error() -> None:
    with pytest.raises(SettingsError, match="No annotator makes coreference") as caught:
        Annotators([SYNTAX]).annotate([], layers=frozenset({Layer.COREFERENCE}))
    assert "dependencies, tags, tokens" in caught.value.hint


def test_new_tokens_do_not_go_with_old_trees() -> None:
    with pytest.raises(SettingsError, match="tokens can't be combined with"):
        Annotators([SYNTAX]).annotate([], layers=frozenset({Layer.TOKENS, Layer.TAGS}))


def with_trees(document: Document, which: int) -> Document:
    """A document with dependencies and phrases on one of its sentences."""
    tree = Constituents(("S",), (0,), (1,), (-1,), ("UH",))
    sentences = list(document.sentences)
    sentences[which] = replace(
        sentences[which], constituents=tree, dependencies=Dependencies((-1,), ("root",))
    )
    return replace(document, sentences=tuple(sentences))


TAGGED = document_from_words("tagged", [["Go"], ["Hm"]], tags=[["VB"], [""]])
EVERYTHING = with_trees(TAGGED, 1)
ALL_SYNTAX = ALL_LAYERS - {Layer.COREFERENCE}
NEEDY = Annotators([SYNTAX, PARSER, Noting("chains", Layer.COREFERENCE, needs=ALL_SYNTAX)])


@pytest.mark.parametrize(
    ("document", "lacking"),
    [
        (raw_document("Go.", document_id="d"), "tokens"),
        (document_from_words("d", [["Go"]]), "tags"),
        (replace(TAGGED, id="d"), "dependencies"),
        (replace(TAGGED, id="d", sentences=(Sentence(0, 2, dependencies=Dependencies((-1, 0), ("a", "b"))),)),
         "constituents"),
    ],
)  # fmt: skip
def test_a_layer_that_is_needed_and_not_there_is_an_error(document: Document, lacking: str) -> None:
    with pytest.raises(LayerError, match=f"d: The document has no {lacking}, which chains needs") as caught:
        NEEDY.annotate([EVERYTHING, document], layers=frozenset({Layer.COREFERENCE}))
    assert f"Make {lacking} as well" in caught.value.hint


def test_what_is_made_in_the_same_call_need_not_be_there_before() -> None:
    (made,) = NEEDY.annotate([raw_document("Go.", document_id="d")])
    assert made.id == "d syntax:ttd parser:c chains:c"
    bare = document_from_words("d", [["Go"]])
    (made,) = NEEDY.annotate([bare], layers=ALL_LAYERS - {Layer.TOKENS})
    assert made.id == "d syntax:td parser:c chains:c"


@pytest.mark.parametrize("document", [EVERYTHING, raw_document(""), raw_document("... \n")])
def test_a_tree_on_some_sentence_is_enough_and_nothing_needs_none(document: Document) -> None:
    (made,) = NEEDY.annotate([document], layers=frozenset({Layer.COREFERENCE}))
    assert made.id == f"{document.id} chains:c"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was made, in order, when all annotators are stand-ins."""
    found: list[str] = []
    syntax = (Layer.TOKENS, Layer.TAGS, Layer.DEPENDENCIES)

    def note(name: str, *layers: Layer) -> Noting:
        found.append(name)
        return Noting(name, *layers)

    def english(*, layers: Layers, on_demand: bool) -> list[Noting]:
        return [
            note(name, *one.REQUIRES)
            for name, one in COMPONENTS.items()
            if not layers.isdisjoint(one.REQUIRES)
        ]

    monkeypatch.setattr(annotators, "english_annotators", english)
    monkeypatch.setattr(SpacyPipeline, "load", lambda name: note(name, *syntax))
    return found


def test_a_spacy_pipeline_takes_the_place_of_the_built_in_syntax(made: list[str]) -> None:
    chosen = AnnotatorChoice(spacy="en_x").open()
    assert made == ["en_x", "constituents", "coreference"]
    assert (chosen.name, chosen.requires.keys()) == ("en_x + constituents + coreference", ALL_LAYERS)


def test_what_a_spacy_pipeline_lacks_is_built_in(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SpacyPipeline, "load", lambda name: Noting(name, Layer.TAGS))
    chosen = AnnotatorChoice(spacy="en_x").open()
    assert chosen.maker(Layer.TOKENS).name == "syntax"
    assert chosen.maker(Layer.TAGS).name == "en_x"


@pytest.mark.parametrize(
    ("options", "layers", "loaded"),
    [
        ({}, ALL_LAYERS, ["syntax", "constituents", "coreference"]),
        ({}, {Layer.COREFERENCE}, ["coreference"]),
        ({}, {Layer.TAGS, Layer.CONSTITUENTS}, ["syntax", "constituents"]),
        ({"spacy": "en_x"}, {Layer.CONSTITUENTS}, ["constituents"]),
        ({"spacy": "en_x"}, {Layer.TAGS}, ["en_x"]),
    ],
)
def test_only_who_makes_the_layers_asked_for_is_loaded(
    made: list[str], options: dict[str, Any], layers: set[Layer], loaded: list[str]
) -> None:
    chosen = AnnotatorChoice(**options).open(layers=frozenset(layers))
    assert made == loaded
    assert chosen.requires.keys() >= layers


def test_leaving_closes_what_can_be_closed() -> None:
    closed: list[str] = []
    program = Noting("program", Layer.CONSTITUENTS)
    program.close = lambda: closed.append("program")  # type: ignore[attr-defined]
    with Annotators([SYNTAX, program]):
        assert not closed
    assert closed == ["program"]


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, disco2.annotation.annotator\n"
        "assert not {'spacy', 'torch', 'numpy'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
