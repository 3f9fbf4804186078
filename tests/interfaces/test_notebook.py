"""Relations drawn for notebooks, and as pages."""

from __future__ import annotations

import json
import re
import sys
from html import unescape
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

import disco2
from disco2.errors import InputError
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import read_schema
from tests.inference.small_pipeline import small_pipeline

TEXT = "Bob gave Tina the burger. She was hungry. </script><b>He & Ann left.</b>"


@pytest.fixture(scope="module")
def small() -> Pipeline:
    return small_pipeline()


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a notebook would show."""
    found: list[str] = []
    package, display = ModuleType("IPython"), ModuleType("IPython.display")
    package.__spec__ = ModuleSpec("IPython", None)
    display.HTML = lambda markup: markup  # type: ignore[attr-defined]
    display.display = found.append  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return found


def data_of(page: str | None) -> dict[str, Any]:
    assert page is not None
    [data] = re.findall(r'<script type="application/json" id="disco2-data">(.*?)</script>', page, re.DOTALL)
    found: dict[str, Any] = json.loads(data)
    return found


def test_a_document_becomes_a_page_with_its_trees(nlp: Language) -> None:
    doc = nlp(TEXT)
    page = disco2.render(doc, pipeline=nlp)
    data = data_of(page)
    assert data["result"]["text"] == TEXT
    assert data["result"]["relations"] == [one.to_json() for one in doc._.discourse_relations]
    assert [view["view"]["relation"]["index"] for view in data["views"]] == [0, 1]
    assert data["views"][0]["view"]["arguments"][0]["words"] == ["Bob", "gave", "Tina", "the", "burger", "."]
    assert "d2-note" not in page.rpartition("</main>")[2].partition("<noscript>")[0]  # type: ignore[union-attr]
    assert not re.search(r'(?:src|href)="(?:https?:)?//', str(page))


def test_what_is_drawn_of_a_document_fits_the_schema(nlp: Language) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(data_of(disco2.render(nlp(TEXT)))["result"], read_schema())


def test_in_a_notebook_it_is_a_frame_of_its_own(nlp: Language, shown: list[str]) -> None:
    assert disco2.render(nlp(TEXT), jupyter=True) is None
    [frame] = shown
    assert frame.startswith("<iframe")
    [page] = re.findall(r'srcdoc="([^"]*)"', frame)
    assert data_of(unescape(page))["result"]["text"] == TEXT
    assert "frameElement" in page


def test_trees_are_limited_on_demand(nlp: Language) -> None:
    page = disco2.render(nlp(TEXT), pipeline=nlp, views=1)
    assert len(data_of(page)["views"]) == 1
    assert "first 1 of 2 relations" in str(page)


def test_a_document_from_bytes_has_trees_with_a_pipeline(nlp: Language) -> None:
    doc = nlp(TEXT)
    expected = data_of(disco2.render(doc, pipeline=nlp))
    copy = Doc(Vocab()).from_bytes(doc.to_bytes())
    alone = disco2.render(copy)
    assert data_of(alone)["views"] is None
    assert "disco2.render(doc, pipeline=nlp)" in str(alone)
    again = data_of(disco2.render(copy, pipeline=nlp))
    assert again["result"] == expected["result"]
    drawn, wanted = (
        [view["view"]["arguments"][n]["labels"] for view in data["views"] for n in (0, 1)]
        for data in (again, expected)
    )
    assert drawn == wanted


def test_the_component_that_saw_the_document_is_found_among_several() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("disco2")
    nlp.add_pipe("disco2", name="lines", config={"paragraphs": "line"})
    page = disco2.render(nlp("It rained. We left."), pipeline=nlp, jupyter=False)
    assert page is not None
    assert "d2-trees" in page
    assert "There are no trees" not in page


def test_a_document_that_was_changed_has_no_trees(nlp: Language) -> None:
    doc = nlp(TEXT)
    for token in doc:
        token.is_sent_start = token.i in (0, 3)
    page = disco2.render(doc, pipeline=nlp)
    assert data_of(page)["views"] is None
    assert "was changed" in str(page)


def test_answers_of_a_pipeline_of_ours_are_drawn(small: Pipeline) -> None:
    relations = small("Ann is tall. Max is short. It rained all day.")
    data = data_of(disco2.render(relations, pipeline=small))
    assert [one["sense"] for one in data["result"]["relations"]] == [one.sense for one in relations]
    assert len(data["views"]) == 2


def test_what_can_not_be_drawn_is_refused(nlp: Language, small: Pipeline) -> None:
    relations = small("Ann is tall. Max is short.")
    cases: list[tuple[Any, Any, str]] = [
        (nlp.make_doc(TEXT), None, "no relations on this document"),
        (nlp(TEXT)[:3], None, "can't be drawn"),
        ([nlp(TEXT)], None, "can't be drawn"),
        (TEXT, small, "can't be drawn"),
        (relations, None, "pipeline that gave these answers"),
        ([*relations, *small("Bob left. He ran.")], small, "not the answers about one text"),
        ([], small, "not the answers"),
        (small.classify("Ann left.", "Max stayed."), small, "not the answers"),
    ]
    for what, pipeline, said in cases:
        with pytest.raises(InputError, match=said):
            disco2.render(what, pipeline=pipeline)
