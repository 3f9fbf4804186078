"""Annotators declare what they give and need, and are combined layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layer, Layers, raw_document
from disco2.annotation.layers import document_from_words
from disco2.data import Constituents, Dependencies, Document, Sentence
from disco2.errors import LayerError, SettingsError


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


def test_only_what_is_asked_for_is_made() -> None:
    annotators = Annotators([SYNTAX, PARSER, CHAINS])
    (made,) = annotators.annotate([raw_document("Hm.", document_id="d")], layers=frozenset({Layer.TAGS}))
    assert made.id == "d syntax:t"


def test_a_layer_that_nobody_makes_is_an_error() -> None:
    with pytest.raises(SettingsError, match="No annotator here makes coreference") as caught:
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


def test_coreference_is_there_once_somebody_looked() -> None:
    late = Annotators([Noting("late", Layer.CONSTITUENTS, needs=frozenset({Layer.COREFERENCE}))])
    constituents = frozenset({Layer.CONSTITUENTS})
    with pytest.raises(LayerError, match="has no coreference"):
        late.annotate([EVERYTHING], layers=constituents)
    assert late.annotate([replace(EVERYTHING, mentions=())], layers=constituents)
