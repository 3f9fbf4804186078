"""Corpora by name, and layers made by annotators."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layer, Layers
from disco2.corpora.catalogue import (
    CORPORA,
    CORPUS_NAMES,
    read_corpus,
    read_layers,
    with_automatic_layers,
)
from disco2.data import Document, Mention, Sentence, Token
from disco2.errors import CorpusError, SettingsError
from tests.corpora.made_up import corpus, document, relation


def test_an_unknown_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="'ptdb3'") as caught:
        read_corpus("ptdb3", tmp_path)
    assert "pdtb3" in caught.value.hint


@pytest.mark.parametrize("name", CORPUS_NAMES)
def test_a_path_that_is_not_there_says_what_belongs_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(CorpusError) as caught:
        read_corpus(name, tmp_path / "nowhere")
    assert caught.value.where == str(tmp_path / "nowhere")
    assert CORPORA[name]["expected"] in caught.value.hint


@pytest.mark.parametrize("name", CORPUS_NAMES)
def test_an_empty_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CorpusError):
        read_corpus(name, tmp_path)


def test_options_without_use_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="'trees'"):
        read_corpus("pairs", tmp_path, trees=tmp_path)
    with pytest.raises(SettingsError, match="'raw'") as caught:
        read_corpus("pdtb3", tmp_path, raw=tmp_path)
    assert "trees" in caught.value.hint


def test_the_catalogue_loads_no_reader() -> None:
    code = (
        "import sys, disco2.corpora.catalogue;"
        "print(*sorted(m[15:] for m in sys.modules if m.startswith('disco2.corpora.')))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "catalogue reading"


def test_what_the_system_refuses_is_an_error_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_dir", refused)
    for name in ("role-pairs", "pdtb2", "pdtb3"):
        with pytest.raises(CorpusError, match="Permission denied") as caught:
            read_corpus(name, tmp_path)
        assert caught.value.where == str(tmp_path)


@pytest.mark.parametrize("name", ["pdtb2", "disrpt"])
def test_a_folder_without_rights_is_not_passed_over(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def walk(folder: Path, onerror: Any) -> list[Any]:
        onerror(PermissionError(13, "Permission denied", str(folder / "00")))
        return []

    monkeypatch.setattr("disco2.corpora.reading.os.walk", walk)
    with pytest.raises(CorpusError, match="Permission denied") as caught:
        read_corpus(name, tmp_path)
    assert caught.value.where == str(tmp_path / "00")


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
    with pytest.raises(SettingsError, match="Unknown layer"):
        read_layers(",")
