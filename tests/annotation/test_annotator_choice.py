"""What a user chooses, and which annotators come of it; all of them replaced by stand-ins."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice, Layer, Layers
from disco2.data import Document
from disco2.errors import SettingsError

SYNTAX = frozenset({Layer.TOKENS, Layer.TAGS, Layer.DEPENDENCIES})
PLACES = {
    ("english.syntax", "SpacySyntax"): SYNTAX,
    ("english.constituents", "SpanParser"): frozenset({Layer.CONSTITUENTS}),
    ("english.coreference", "MentionRanker"): frozenset({Layer.COREFERENCE}),
    ("spacy_pipeline", "SpacyPipeline"): SYNTAX,
    ("stanza_pipeline", "StanzaPipeline"): ALL_LAYERS,
    ("stanford", "StanfordParser"): frozenset({Layer.CONSTITUENTS}),
}


BUILT_IN = ("SpacySyntax", "SpanParser", "MentionRanker")


def _initials(layers: Layers) -> str:
    return "".join(layer[:2] for layer in Layer if layer in layers)


class StandIn:
    """Has a name and layers, and notes how it was made and that it was closed."""

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
        setattr(stand_in, name, type(name, (StandIn,), {"provided": layers, "made": found}))
        monkeypatch.setitem(sys.modules, full, stand_in)
    return found


def test_the_built_in_annotators_make_all_layers_by_default(made: list[str]) -> None:
    annotators = AnnotatorChoice().open()
    assert made == ["SpacySyntax", "SpanParser", "MentionRanker"]
    assert annotators.requires.keys() == ALL_LAYERS
    assert annotators.name == "SpacySyntax + SpanParser + MentionRanker"


def test_a_spacy_pipeline_takes_the_place_of_the_built_in_syntax(made: list[str]) -> None:
    annotators = AnnotatorChoice(spacy="en_x").open()
    assert sorted(made) == ["MentionRanker", "SpacyPipeline en_x", "SpanParser"]
    assert annotators.maker(Layer.TAGS).name == "SpacyPipeline"
    assert annotators.maker(Layer.CONSTITUENTS).name == "SpanParser"


def test_what_a_spacy_pipeline_lacks_is_built_in(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = sys.modules["disco2.annotation.spacy_pipeline"].SpacyPipeline
    monkeypatch.setattr(pipeline, "provided", frozenset({Layer.TAGS}))
    annotators = AnnotatorChoice(spacy="en_x").open()
    assert annotators.maker(Layer.TOKENS).name == "SpacySyntax"
    assert annotators.maker(Layer.TAGS).name == "SpacyPipeline"


def test_stanza_makes_everything_but_what_the_stanford_parser_makes(made: list[str], tmp_path: Path) -> None:
    annotators = AnnotatorChoice(stanza=True, parser="stanford", stanford_home=tmp_path).open()
    assert made == [f"StanfordParser {tmp_path}", "StanzaPipeline None False totadeco"]
    assert annotators.maker(Layer.CONSTITUENTS).name == "StanfordParser"
    assert annotators.maker(Layer.COREFERENCE).name == "StanzaPipeline"


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
        "assert not {'spacy', 'stanza', 'coreferee', 'torch', 'numpy'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
