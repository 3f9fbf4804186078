"""Layers of a corpus made anew, and its relations on new tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layer, Layers
from disco2.corpora.catalogue import read_layers, with_automatic_layers
from disco2.data import Document, Mention, Sentence, Token
from disco2.errors import SettingsError
from tests.corpora.made_up import corpus, document, relation


class Letters:
    """Takes every letter and digit for a token of its own, and finds the first token in all of them."""

    name = "letters"
    requires: dict[Layer, Layers] = dict.fromkeys(Layer, frozenset())

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        return [self._one(one, layers) for one in documents]

    def _one(self, one: Document, layers: Layers) -> Document:
        if Layer.TOKENS in layers:
            tokens = tuple(
                Token(letter, place, place + 1) for place, letter in enumerate(one.text) if letter.isalnum()
            )
            one = Document(one.id, one.text, tokens, (Sentence(0, len(tokens)),))
        return replace(one, mentions=(Mention(0, 1, 0, "x"),))


LETTERS = Annotators([Letters()])


def test_arguments_are_the_new_tokens_under_the_same_characters() -> None:
    old = corpus([relation("a", 1, ["Expansion.List"])])
    new = with_automatic_layers(old, LETTERS, ALL_LAYERS)
    (before,), (after,) = old.relations, new.relations
    tokens = new.documents["a"].tokens
    assert "".join(tokens[token].text for token in after.arg1.tokens) == "Thedogbarked"
    assert "".join(tokens[token].text for token in after.arg2.tokens) == "Nobodyslept"
    assert (after.arg1.text, after.arg2.text) == (before.arg1.text, before.arg2.text)
    assert (after.id, after.senses, after.kind) == (before.id, before.senses, before.kind)
    assert (new.automatic, new.annotators) == (tuple(Layer), "letters")


def test_other_layers_and_the_relations_stay_where_tokens_do() -> None:
    old = corpus([relation("a", 1, ["Expansion.List"])])
    new = with_automatic_layers(old, LETTERS, frozenset({Layer.COREFERENCE}))
    assert new.relations == old.relations
    assert replace(new.documents["a"], mentions=None) == document("a")
    assert new.documents["a"].mentions == (Mention(0, 1, 0, "x"),)


def test_an_argument_without_new_tokens_is_a_finding() -> None:
    punctuation = relation("a", 1, ["Expansion.List"], arg1=(3,))
    old = corpus([punctuation, relation("a", 2)])
    new = with_automatic_layers(old, LETTERS, ALL_LAYERS)
    assert [one.id for one in new.relations] == ["a:2"]
    assert new.issues.counts() == {"argument without automatic tokens": 1}
    assert not old.issues.findings


def test_layers_are_named_as_users_do() -> None:
    assert read_layers("all") == read_layers("tags, ALL") == ALL_LAYERS
    assert read_layers("Tags, constituents") == {Layer.TAGS, Layer.CONSTITUENTS}
    with pytest.raises(SettingsError, match="Unknown layer 'trees'"):
        read_layers("tags,trees")
    with pytest.raises(SettingsError, match="No layer"):
        read_layers(",")
