"""What ships with the package: small enough, whole, and made for each other."""

from __future__ import annotations

from pathlib import Path

import pytest

import disco2
from disco2.annotation.choice import AnnotatorChoice
from disco2.bundle import read_manifest
from disco2.inference.loading import SHIPPED

MODELS = Path(disco2.__file__).parent / "models"
LARGEST = 60_000_000


def test_all_shipped_data_is_small() -> None:
    sizes = {file: file.stat().st_size for file in MODELS.rglob("*") if file.is_file()}
    assert sum(sizes.values()) < LARGEST, max(sizes, key=lambda file: sizes[file])


def test_nothing_shipped_can_be_executed() -> None:
    for file in MODELS.rglob("*"):
        assert file.suffix not in {".py", ".pyc", ".pkl", ".pickle", ".so", ".bin", ".pt"}, file


def test_the_relations_were_trained_with_the_annotators_that_ship() -> None:
    data = read_manifest(SHIPPED).data
    assert data["annotators"] == AnnotatorChoice().open().name
    assert data["automatic_layers"] == ["tokens", "tags", "dependencies", "constituents", "coreference"]


def test_the_card_says_what_a_user_must_know() -> None:
    card = (SHIPPED / "MODEL_CARD.md").read_text(encoding="utf-8")
    for said in (
        "CC BY-NC-SA 4.0",
        "fiction, how-to guides: CC BY-NC-SA 3.0",
        "test accuracy, running text",
        "test calibration error of given arguments after",
        "## Limits",
    ):
        assert said in card


def test_the_shipped_model_answers_what_gum_supports() -> None:
    labels = read_manifest(SHIPPED).labels
    assert len(labels) == 14
    assert {"EntRel", "NoRel", "Contingency.Cause", "Expansion.Disjunction"} < set(labels)


@pytest.mark.parametrize(("pronoun", "name"), [("She", "Tina"), ("He", "Bob")])
def test_the_pronoun_decides_who_is_hungry(pronoun: str, name: str) -> None:
    """The paper's example: other chains, other entity terms, and terms that add up to the score."""
    nlp = disco2.load()
    (relation,) = nlp(f"Bob gave Tina the burger. {pronoun} was hungry.")
    (entity,) = relation.entities
    assert [span.text for span in (*entity.arg1, *entity.arg2)] == [name, pronoun]
    explained = nlp.explain(relation)
    (pair,) = explained.pairs
    assert (pair.arg1.text, pair.arg2.text) == (name, pronoun)
    terms = [explained.bias, explained.arguments, explained.rounding, *explained.features, pair]
    assert sum(term.value for term in terms) == pytest.approx(explained.score, abs=1e-12)
    assert abs(explained.rounding.value) < 1e-4
