"""Annotators that annotate no text twice, and whose results they take for their own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice, Annotators
from disco2.annotation.cache import LayerStore
from disco2.annotation.document_json import document_to_json
from disco2.annotation.english.syntax import SpacySyntax
from tests.annotation.cache.told import TAGS, TEXTS, Told, annotated, documents
from tests.inference.rule_annotator import RuleAnnotator


def test_nothing_is_annotated_twice(file: Path) -> None:
    first, fresh = annotated(file, documents())
    again, none = annotated(file, documents())
    assert (fresh, none) == (3, 0)
    assert again == first == RuleAnnotator().annotate(documents())


def test_only_what_is_new_or_changed_is_annotated(file: Path) -> None:
    annotated(file, documents())
    changed = documents((TEXTS[1], "Tina slept.", TEXTS[0].replace("He", "She"), TEXTS[2]))
    found, fresh = annotated(file, changed)
    assert fresh == 2
    assert found == RuleAnnotator().annotate(changed)


def test_a_text_that_comes_twice_is_annotated_once(file: Path) -> None:
    found, fresh = annotated(file, documents((TEXTS[0], TEXTS[0], TEXTS[2])))
    assert fresh == 2
    assert [document.id for document in found] == ["d0", "d1", "d2"]
    assert found[0].tokens == found[1].tokens


def test_shipped_layers_come_back_to_the_byte(file: Path) -> None:
    texts = (
        *TEXTS,
        "",
        "…",
        "\u00c9mile\u2019s caf\u00e9, naïve 👍🏽 \u200d x\u00ad",
        "A\x00B\r\n\r\nC",
        "Ann " * 300,
    )
    makers = AnnotatorChoice().open()
    fresh = makers.annotate(documents(texts), layers=ALL_LAYERS)
    for recalled in (0, len(texts)):
        with LayerStore(file) as store:
            cached = AnnotatorChoice().open()
            cached.store = store
            found = cached.annotate(documents(texts), layers=ALL_LAYERS)
        assert cached.recalled == recalled
        assert [json.dumps(document_to_json(one)) for one in found] == [
            json.dumps(document_to_json(one)) for one in fresh
        ]
    assert cached.name == makers.name


def test_built_in_annotators_are_not_loaded_for_what_is_kept(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cached() -> Annotators:
        annotators = AnnotatorChoice().open(on_demand=True)
        annotators.store = store
        return annotators

    with LayerStore(file) as store:
        made = cached().annotate(documents(), layers=ALL_LAYERS)
        assert made == AnnotatorChoice().open().annotate(documents())

        def refused(*_: object, **__: object) -> SpacySyntax:
            raise AssertionError("loaded, and not needed")

        monkeypatch.setattr(SpacySyntax, "load", refused)
        assert cached().annotate(documents(), layers=ALL_LAYERS) == made
        with pytest.raises(AssertionError, match="not needed"):
            cached().annotate(documents(["Something new."]), layers=ALL_LAYERS)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text(st.characters(), max_size=40), max_size=4))
def test_any_text_is_kept_or_annotated_anew(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    file = tmp_path_factory.mktemp("any") / "layers.sqlite3"
    expected = RuleAnnotator().annotate(documents(texts))
    for _ in range(2):
        assert annotated(file, documents(texts))[0] == expected


@pytest.mark.parametrize("other", [Told("rules 2"), Told("")])
def test_other_annotators_have_other_results(file: Path, other: Told) -> None:
    annotated(file, documents())
    assert annotated(file, documents(), maker=other)[1] == 3


def test_annotators_without_a_fingerprint_keep_nothing(file: Path) -> None:
    for seen in (3, 6):
        maker = Told("")
        maker.documents = seen - 3
        assert annotated(file, documents(), maker=maker)[1] == seen


def test_other_layers_are_other_results(file: Path) -> None:
    whole, _ = annotated(file, documents())
    assert annotated(file, whole, layers=TAGS)[1] == 3
    assert annotated(file, whole, layers=TAGS)[1] == 0
    # What the tags are made on matters now.
    other = [replace(one, tokens=tuple(replace(token, tag="X") for token in one.tokens)) for one in whole]
    assert annotated(file, other, layers=TAGS)[1] == 3
