"""Several annotators as one, and the annotators that a user chooses."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice, Annotators, Layer, Layers, raw_document
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
    annotators = Annotators([CHAINS, PARSER, SYNTAX])
    (made,) = annotators.annotate([raw_document("Hm.", document_id="d")])
    assert made.id == "d syntax:ttd parser:c chains:c"
    assert annotators.name == "syntax + parser + chains"
    assert set(annotators.requires) == ALL_LAYERS


def test_the_last_annotator_that_provides_a_layer_makes_it() -> None:
    annotators = Annotators([SYNTAX, PARSER, CHAINS, RIVAL])
    (made,) = annotators.annotate([raw_document("Hm.", document_id="d")])
    assert made.id == "d syntax:ttd rival:cc"
    assert annotators.maker(Layer.CONSTITUENTS) is RIVAL


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


SYNTAX_LAYERS = frozenset({Layer.TOKENS, Layer.TAGS, Layer.DEPENDENCIES})
PLACES = {
    ("english.syntax", "SpacySyntax"): SYNTAX_LAYERS,
    ("english.constituents", "SpanParser"): frozenset({Layer.CONSTITUENTS}),
    ("english.coreference", "MentionRanker"): frozenset({Layer.COREFERENCE}),
    ("spacy_pipeline", "SpacyPipeline"): SYNTAX_LAYERS,
    ("stanza_pipeline", "StanzaPipeline"): ALL_LAYERS,
    ("stanford", "StanfordParser"): frozenset({Layer.CONSTITUENTS}),
}


BUILT_IN = ("SpacySyntax", "SpanParser", "MentionRanker")


def _initials(layers: Layers) -> str:
    return "".join(layer[:2] for layer in Layer if layer in layers)


class StandIn:
    """Has a name and layers, and notes how it was made and that it was closed."""

    NAME: ClassVar[str]
    REQUIRES: ClassVar[Mapping[Layer, Layers]]
    provided: Layers
    made: list[str]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.name = type(self).__name__
        told = (*arguments, *options.values()) if self.name not in BUILT_IN else ()
        told = tuple(_initials(value) if isinstance(value, frozenset) else value for value in told)
        self.made.append(self.name + "".join(f" {value}" for value in told))

    @classmethod
    def load(cls, *arguments: Any, **options: Any) -> StandIn:
        return cls(*arguments, **options)

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        return dict.fromkeys(self.provided, frozenset())

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        return list(documents)

    def close(self) -> None:
        self.made.append(f"{self.name} closed")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was made, in order, when all annotators are stand-ins."""
    found: list[str] = []
    for (module, name), layers in PLACES.items():
        full = f"disco2.annotation.{module}"
        stand_in = ModuleType(full)
        needs: dict[Layer, Layers] = dict.fromkeys(layers, frozenset())
        described = {"provided": layers, "made": found, "NAME": name, "REQUIRES": needs}
        setattr(stand_in, name, type(name, (StandIn,), described))
        monkeypatch.setitem(sys.modules, full, stand_in)
    return found


def test_the_built_in_annotators_make_all_layers_by_default(made: list[str]) -> None:
    annotators = AnnotatorChoice().open()
    assert made == ["SpacySyntax", "SpanParser", "MentionRanker"]
    assert annotators.requires.keys() == ALL_LAYERS
    assert re.fullmatch(r"SpacySyntax \w+ \+ SpanParser \w+ \+ MentionRanker \w+", annotators.name)


def test_a_spacy_pipeline_takes_the_place_of_the_built_in_syntax(made: list[str]) -> None:
    annotators = AnnotatorChoice(spacy="en_x").open()
    assert sorted(made) == ["MentionRanker", "SpacyPipeline en_x", "SpanParser"]
    assert annotators.maker(Layer.TAGS).name == "SpacyPipeline"
    assert annotators.maker(Layer.CONSTITUENTS).name.startswith("SpanParser ")


def test_what_a_spacy_pipeline_lacks_is_built_in(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = sys.modules["disco2.annotation.spacy_pipeline"].SpacyPipeline
    monkeypatch.setattr(pipeline, "provided", frozenset({Layer.TAGS}))
    annotators = AnnotatorChoice(spacy="en_x").open()
    assert annotators.maker(Layer.TOKENS).name.startswith("SpacySyntax ")
    assert annotators.maker(Layer.TAGS).name == "SpacyPipeline"


@pytest.mark.parametrize(
    ("options", "layers", "loaded"),
    [
        ({}, {Layer.COREFERENCE}, ["MentionRanker"]),
        ({}, {Layer.TAGS, Layer.CONSTITUENTS}, ["SpacySyntax", "SpanParser"]),
        ({"spacy": "en_x"}, {Layer.CONSTITUENTS}, ["SpanParser"]),
        ({"spacy": "en_x"}, {Layer.TAGS}, ["SpacyPipeline en_x"]),
        ({"stanza": True}, {Layer.CONSTITUENTS}, ["StanzaPipeline None False co"]),
        ({"stanford": True}, {Layer.COREFERENCE}, ["MentionRanker"]),
        ({"stanford": True, "stanza": True}, {Layer.CONSTITUENTS}, ["StanfordParser home"]),
    ],
)
def test_only_who_makes_the_layers_asked_for_is_loaded(
    made: list[str], options: dict[str, Any], layers: set[Layer], loaded: list[str]
) -> None:
    if options.pop("stanford", False):
        options |= {"parser": "stanford", "stanford_home": Path("home")}
    annotators = AnnotatorChoice(**options).open(layers=frozenset(layers))
    assert made == loaded
    assert annotators.requires.keys() >= layers


def test_leaving_ends_the_stanford_parser(made: list[str], tmp_path: Path) -> None:
    with AnnotatorChoice(parser="stanford", stanford_home=tmp_path).open() as annotators:
        assert annotators.maker(Layer.CONSTITUENTS).name == "StanfordParser"
        assert "StanfordParser closed" not in made
    assert made[-1] == "StanfordParser closed"
    with AnnotatorChoice(parser="built-in").open():
        pass


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"spacy": "en_x", "stanza": True}, "can't both"),
        ({"parser": "berkeley"}, r"Unknown parser 'berkeley'.*built-in or stanford"),
        ({"parser": "stanford"}, "--stanford-home DIR"),
        ({"stanford_home": Path("x")}, "--parser stanford"),
        ({"stanza_download": True}, "Add --stanza"),
    ],
)
def test_a_choice_that_makes_no_sense_is_an_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        AnnotatorChoice(**options)


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, disco2.annotation, disco2.annotation.annotator, disco2.annotation.spacy_pipeline\n"
        "import disco2.annotation.stanza_pipeline, disco2.annotation.stanford\n"
        "assert not {'spacy', 'stanza', 'torch', 'numpy'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
