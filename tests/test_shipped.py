"""What ships with the package: small enough, whole, and made for each other."""

from __future__ import annotations

from pathlib import Path

import pytest

import disco2
from disco2.annotation.annotator import AnnotatorChoice
from disco2.annotation.english.annotators import COMPONENTS
from disco2.bundle import read_manifest
from disco2.errors import BundleError
from disco2.files import HIDDEN_LIST, check_folder_place
from disco2.shipped import DEFAULT, MODELS, absolute_model, find_model, is_shipped, shipped_names

SHIPPED = find_model("en-fast")
LARGEST = 60_000_000


def test_all_shipped_data_is_small() -> None:
    sizes = {file: file.stat().st_size for file in MODELS.rglob("*") if file.is_file()}
    assert sum(sizes.values()) < LARGEST, max(sizes, key=lambda file: sizes[file])


@pytest.mark.parametrize("component", COMPONENTS)
def test_the_annotators_are_as_they_were_written(component: str) -> None:
    check_folder_place(MODELS / "english" / component, HIDDEN_LIST)


def test_the_relations_were_trained_with_the_annotators_that_ship() -> None:
    data = read_manifest(SHIPPED).data
    assert data["annotators"] == AnnotatorChoice().open().name
    assert data["automatic_layers"] == ["tokens", "tags", "dependencies", "constituents", "coreference"]


@pytest.mark.parametrize(("pronoun", "name"), [("She", "Tina"), ("He", "Bob")])
def test_the_pronoun_decides_who_is_hungry(pronoun: str, name: str) -> None:
    """The paper's example: other chains, other entity terms, and terms that add up to the score."""
    nlp = disco2.load("en-fast")
    assert nlp.info.name == "en-fast"
    (relation,) = nlp(f"Bob gave Tina the burger. {pronoun} was hungry.")
    (entity,) = relation.entities
    assert [span.text for span in (*entity.arg1, *entity.arg2)] == [name, pronoun]
    explained = nlp.explain(relation)
    (pair,) = explained.pairs
    assert (pair.arg1.text, pair.arg2.text) == (name, pronoun)
    terms = [explained.bias, explained.arguments, explained.rounding, *explained.features, pair]
    assert sum(term.value for term in terms) == pytest.approx(explained.score, abs=1e-12)
    assert abs(explained.rounding.value) < 1e-4


def test_a_model_is_found_by_its_name_or_as_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shipped_names()[0] == DEFAULT
    assert find_model() == MODELS / DEFAULT
    assert find_model("en-fast") == MODELS / "en-fast"
    assert is_shipped(find_model("en-fast"))
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    Path("en-fast").mkdir()
    assert find_model("mine") == Path("mine")
    assert find_model("en-fast") == MODELS / "en-fast"  # the name comes first
    assert find_model("./en-fast") == find_model(Path("en-fast")) == Path("en-fast")
    assert not is_shipped(find_model("./en-fast"))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_model("~/mine") == tmp_path / "mine"


@pytest.mark.parametrize(
    "name", ["en-fats", "en_fast", "nowhere", "~nobody-of-that-name", "a\0b", "x" * 5000]
)
def test_an_unknown_name_is_told_with_those_that_are_known(name: str) -> None:
    with pytest.raises(BundleError, match="Unknown model") as caught:
        disco2.load(name)
    assert f"Choose one of: {DEFAULT}, " in caught.value.hint
    assert ("Did you mean 'en-fast'?" in caught.value.hint) == (name in ("en-fats", "en_fast"))


def test_a_model_for_a_process_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    given = (None, "en-fast", "mine", "./nowhere", "nowhere")
    wanted = (None, "en-fast", str(tmp_path / "mine"), str(tmp_path / "nowhere"), "nowhere")
    assert tuple(map(absolute_model, given)) == wanted
