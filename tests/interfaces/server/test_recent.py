"""The last few texts are kept, within bounds; a second look annotates nothing."""

from __future__ import annotations

from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import RelationChoice
from disco2.interfaces.server.recent import Judged, RecentDocuments
from tests.inference.rule_annotator import RuleAnnotator
from tests.interfaces.server.conftest import Serve

ALL = RelationChoice()


def judged(small: Pipeline, text: str) -> Judged:
    document = small.annotate(text)
    return Judged(document, small.relations(document))


def test_the_latest_are_kept(small: Pipeline) -> None:
    recent = RecentDocuments(most=2, characters=100)
    for text in ("a", "b"):
        recent.keep(text, "blank", ALL, judged(small, text))
    assert recent.find("a", "blank", ALL) is not None  # which makes it the latest
    recent.keep("c", "blank", ALL, judged(small, "c"))
    assert recent.find("b", "blank", ALL) is None
    assert recent.find("a", "line", ALL) is None
    assert recent.find("a", "blank", RelationChoice.of(norel=True)) is None
    found = recent.find("c", "blank", ALL)
    assert found is not None
    assert found.document.text == "c"


def test_characters_are_bounded(small: Pipeline) -> None:
    recent = RecentDocuments(most=100, characters=10)
    for number in range(20):
        text = f"{number:04d}"
        recent.keep(text, "blank", ALL, judged(small, text))
        recent.keep(text, "blank", ALL, judged(small, text))
    assert len(recent) == 2
    recent.keep("x" * 11, "blank", ALL, judged(small, "x" * 11))
    assert recent.find("x" * 11, "blank", ALL) is None
    assert len(recent) == 2


def test_a_second_look_annotates_nothing(serve: Serve) -> None:
    annotator = RuleAnnotator()
    client = serve(annotators=annotator)
    text = "Bob gave Tina the burger. She was hungry. He left."
    client.post("/v1/relations", json={"text": text})
    seen = annotator.documents
    for relation in (0, 1):
        assert client.post("/v1/views", json={"text": text, "relation": relation}).status_code == 200
    assert annotator.documents == seen
    client.post("/v1/views", json={"text": text, "relation": 0, "paragraphs": "line"})
    assert annotator.documents == seen + 1
