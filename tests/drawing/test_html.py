"""One page with everything inside, which no text can break."""

from __future__ import annotations

import json
import re

import pytest

from disco2.drawing import relations_html
from disco2.drawing.layout import SCRIPTS
from disco2.drawing.trees import draw_trees
from disco2.inference.prediction import text_result
from tests.drawing.made_up import HOSTILE, pipeline
from tests.html_outline import Outline

TEXT = f"Bob gave Tina the burger. She was {HOSTILE} hungry. He <!-- was & \u2028 not."


def page_of(text: str, *, views: bool = True) -> str:
    nlp = pipeline()
    document = nlp.annotate(text)
    found = nlp.relations(document)
    return relations_html(
        text_result(nlp, document, found), [nlp.view(one) for one in found] if views else None
    )


def test_the_data_arrives_as_it_was() -> None:
    nlp = pipeline()
    document = nlp.annotate(TEXT)
    found = nlp.relations(document)
    assert found
    views = [nlp.view(one) for one in found]
    result = text_result(nlp, document, found)
    page = Outline(relations_html(result, views))
    data = json.loads(page.text_of("disco2-data"))
    assert data["result"] == json.loads(json.dumps(result))
    assert [one["svg"] for one in data["views"]] == [draw_trees(view) for view in views]
    assert [one["view"] for one in data["views"]] == [view.to_json() for view in views]
    assert json.loads(Outline(relations_html(result, None)).text_of("disco2-data"))["views"] is None


@pytest.mark.parametrize("views", [True, False])
def test_no_text_breaks_out(views: bool) -> None:
    page = Outline(page_of(TEXT, views=views))
    scripts = [attributes for tag, attributes in page.elements if tag == "script"]
    assert len(scripts) == 1 + len(SCRIPTS)
    assert all(set(attributes) <= {"type", "id"} for attributes in scripts)
    assert "<" not in page.text_of("disco2-data")
    assert "\u2028" not in page.text_of("disco2-data")


def test_nothing_comes_from_outside() -> None:
    written = page_of("Bob gave Tina the burger. She was hungry.")
    page = Outline(written)
    for tag, attributes in page.elements:
        assert tag not in {"link", "iframe", "img", "base", "object"}
        assert not {"src", "href", "srcset", "style"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
    addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w{2,}[^\s'\"\\<>]*", written))
    assert addresses <= {"http://www.w3.org/2000/svg"}


def test_pages_without_relations_or_with_fewer_views() -> None:
    assert json.loads(Outline(page_of("Bob slept.")).text_of("disco2-data"))["views"] == []
    nlp = pipeline()
    document = nlp.annotate("Bob gave Tina the burger. She was hungry. He was not.")
    found = nlp.relations(document)
    page = relations_html(text_result(nlp, document, found), [nlp.view(found[0])])
    assert len(json.loads(Outline(page).text_of("disco2-data"))["views"]) == 1
