"""What a miner keeps: the right place, the right length, nothing that is held out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from disco2.annotation.annotator import Annotator, Layers
from disco2.corpora.protocols import HeldOutSentences
from disco2.data import Document
from disco2.errors import SettingsError
from disco2.mining.run import Miner, MiningSettings
from tests.mining.conftest import Mine

TEXT = "The old boat was slow. However, it reached the harbour because the wind was good."


def test_places(mine: Mine) -> None:
    assert {pair.place for pair in mine(TEXT)} == {"between", "inside"}
    assert {pair.place for pair in mine(TEXT, place="between")} == {"between"}
    assert {pair.place for pair in mine(TEXT, place="inside")} == {"inside"}


def test_lengths(mine: Mine) -> None:
    assert mine("It rained because the wind blew the clouds here.", least_words=3) == []
    assert len(mine("It rained because the wind blew the clouds here.")) == 1
    assert mine("It often rained because the wind blew the clouds here.", most_words=5) == []


def test_no_sentence_that_is_held_out(mine: Mine) -> None:
    for sentence in (
        "However, it reached the HARBOUR - because the wind was good!",
        "it reached the harbour because the wind was good",
        "They said that, however, it reached the harbour because the wind was good.",
    ):
        pairs = mine(TEXT, without=sentence)
        assert [pair for pair in pairs if pair.place == "between"] == []
    assert len(mine(TEXT, without="The old boat was slow.")) == 2  # too short to tell


def test_only_candidates_are_annotated(syntax: Annotator) -> None:
    class Counting:
        name, requires = syntax.name, syntax.requires
        sentences = 0

        def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
            self.sentences += sum(len(document.sentences) for document in documents)
            return syntax.annotate(documents, layers=layers)

    counting = Counting()
    paragraph = "The sun shone all day. The sea was blue. We stayed at home because it was cold. Why not?"
    assert len(list(Miner(counting, MiningSettings(), HeldOutSentences()).pairs([paragraph] * 3))) == 3
    assert counting.sentences == 3


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(SettingsError, match="Unknown place 'here'"):
        MiningSettings(place="here")
    with pytest.raises(SettingsError, match="3 to 2 words"):
        MiningSettings(most_words=2)
