"""Training the built-in annotators in order, and measuring annotators against gold layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from disco2.annotation.annotator import Annotators, Layer, Layers
from disco2.annotation.english.annotators import COMPONENTS, english_annotators
from disco2.corpora.gum import read_gum
from disco2.data import Corpus, Document, Mention, Sentence, Token
from tests.corpora.made_up import corpus, relation
from tests.data.test_tree import bob_and_tina
from tests.strategies import relation as pair
from tools import train_annotator as tool
from tools.train_annotator import annotator_quality, coreference_quality, train_annotators


def parted() -> Corpus:
    relations = [relation(name, 1, ["Expansion.List"]) for name in ("a", "b", "c")]
    return corpus(relations, parts={"a": "train", "b": "dev", "c": "test"})


class Marker:
    """Leaves its name in the tags it is asked for."""

    requires: dict[Layer, Layers] = dict.fromkeys(Layer, frozenset())

    def __init__(self, name: str) -> None:
        self.name = name

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        mark = f"{self.name}:{'+'.join(sorted(layers))}"
        return [
            replace(one, tokens=tuple(replace(token, tag=f"{token.tag} {mark}") for token in one.tokens))
            for one in documents
        ]


def test_each_component_learns_from_the_automatic_layers_before_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: dict[str, Any] = {}

    def spy(component: str) -> Any:
        def train(training: Any, development: Any, folder: Path) -> None:
            seen[component] = (training, development, folder)

        return train

    for component in COMPONENTS:
        monkeypatch.setattr(tool, f"train_{component}", spy(component))
    monkeypatch.setattr(
        tool, "english_annotators", lambda folder, *, layers: [Marker("+".join(sorted(layers)))]
    )
    train_annotators(parted(), tmp_path, components=tuple(COMPONENTS))
    for component, (training, development, folder) in seen.items():
        assert [one.id for one in training] == ["a"]
        assert [one.id for one in development] == ["b"]
        assert folder == tmp_path / component
    marks = {
        component: [part[0].tokens[0].tag.split()[1:] for part in found[:2]]
        for component, found in seen.items()
    }
    parsed = ["dependencies+tags:dependencies+tags"]
    assert marks["syntax"] == [[], []]
    assert marks["constituents"] == [[], parsed]
    assert marks["coreference"] == [[*parsed, "constituents:constituents"]] * 2

    seen.clear()
    train_annotators(parted(), tmp_path, components=("coreference",))
    assert list(seen) == ["coreference"]


def test_shipped_annotators_are_measured_on_gum(gum: Path) -> None:
    whole = read_gum(gum)
    names = [name for name in whole.documents if whole.parts[name] == "dev"][:2]
    few = replace(whole, documents={name: whole.documents[name] for name in names})
    annotators = Annotators(english_annotators())
    found = annotator_quality(few, annotators, part="dev")
    assert found["documents"] == 2
    raw, gold = found["raw_text"], found["gold_tokens"]
    assert gold["syntax"]["tokens"] == gold["syntax"]["sentences"] == 1
    for one in (raw, gold):
        assert 0.9 < one["syntax"]["tags"] < 1
        assert 0.7 < one["syntax"]["labelled"] < one["syntax"]["unlabelled"] < 1
        assert 0.3 < one["coreference"]["chains"]["mean"] < 1
    assert 0.75 < gold["trees"]["all"]["labelled_f1"] < 1
    assert gold["trees"]["sample"]["sentences"] <= gold["trees"]["all"]["sentences"]
    assert gold["coreference"]["relations"] > 0


RELATION = pair(tuple(range(6)), tuple(range(6, 10)))
TINA, BURGER, SHE = Mention(2, 3, 2, "t"), Mention(3, 5, 4, "t"), Mention(6, 7, 6, "t")


def test_chains_pairs_and_shares() -> None:
    gold = replace(bob_and_tina(), mentions=(TINA, SHE))
    automatic = replace(bob_and_tina(), mentions=(TINA, BURGER, SHE))
    found = coreference_quality({"d": gold}, {"d": automatic}, [RELATION], [RELATION])
    assert found["aligned_pairs"] == {
        "precision": 0.5,
        "recall": 1.0,
        "f1": pytest.approx(2 / 3),
        "gold": 1,
        "automatic": 2,
    }
    assert found["relations"] == 1
    assert found["shared_entities"] == {"gold": 1.0, "automatic": 1.0, "both": 1.0}
    assert found["chains"]["muc"]["recall"] == 1.0
    assert found["chains"]["muc"]["precision"] == 0.5
    assert 0 < found["chains"]["mean"] < 1


def test_a_cut_mention_counts_by_its_head_only() -> None:
    gold = replace(bob_and_tina(), mentions=(BURGER, SHE))
    automatic = replace(bob_and_tina(), mentions=(replace(BURGER, start=4), SHE))
    found = coreference_quality({"d": gold}, {"d": automatic}, [RELATION], [RELATION])
    assert found["aligned_pairs"]["recall"] == 1.0


def test_other_tokens_on_the_same_text_are_compared_by_characters() -> None:
    gold = replace(bob_and_tina(), mentions=(TINA, SHE))
    # The same text with "Bob gave" as one token.
    first, second = gold.tokens[0], gold.tokens[1]
    joined = Token("Bob gave", first.start, second.end)
    automatic = Document(
        "d",
        gold.text,
        (joined, *gold.tokens[2:]),
        (Sentence(0, 5), Sentence(5, 9)),
        (Mention(1, 2, 1, "x"), Mention(5, 6, 5, "x")),
    )
    moved = pair(tuple(range(5)), tuple(range(5, 9)))
    found = coreference_quality({"d": gold}, {"d": automatic}, [RELATION], [moved])
    assert found["aligned_pairs"]["f1"] == 1.0
    assert found["chains"]["mean"] == pytest.approx(1.0)
