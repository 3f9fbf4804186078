"""Annotators declare what they give and need, and are combined layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layer, Layers, raw_document
from disco2.errors import SettingsError
from disco2.records import Document


class Noting:
    """Writes down in the document's id what it was asked for."""

    def __init__(self, name: str, *provides: Layer) -> None:
        self.name = name
        self.requires: dict[Layer, Layers] = dict.fromkeys(provides, frozenset())

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
