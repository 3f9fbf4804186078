"""All relations of a text: what the parser states, what the model judges, and what is left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from disco2.errors import InputError
from disco2.inference.candidates import Candidate, draft_relations, has_trees
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import KINDS, Prediction, RelationChoice

TEXT = (
    "The shop opened in May. However, nobody came. Therefore, it closed. Many birds leave in autumn. "
    "For example, the swallows fly to Africa. If it rains, then the match will be cancelled. "
    "Who won the match?\n\nTina won it. She was happy because she had trained for years."
)


def by_connective(found: list[Prediction]) -> dict[str, Prediction]:
    return {one.connective: one for one in found if one.connective}


def test_connectives_have_their_senses(shipped: Pipeline) -> None:
    found = by_connective(shipped(TEXT))
    assert found.keys() >= {"However", "Therefore", "For example", "because"}
    assert found["However"].sense in ("Comparison.Concession", "Comparison.Contrast")
    assert found["Therefore"].sense == found["because"].sense == "Contingency.Cause"
    assert found["For example"].sense == "Expansion.Instantiation"
    assert all(one.kind == "Explicit" for one in found.values())
    assert found["However"].arg1.text == "The shop opened in May."
    assert found["because"].arg1.text.startswith("She was happy")
    assert "she had trained for years" in found["because"].arg2.text


def test_a_connective_in_two_parts(shipped: Pipeline) -> None:
    (found,) = [one for one in shipped(TEXT) if one.sense == "Contingency.Condition"]
    assert found.connective == "If ... then"
    assert found.connective_span is not None
    assert [TEXT[part.start : part.end] for part in found.connective_span.pieces] == ["If", "then"]
    assert [part["text"] for part in found.to_json()["connective_parts"]] == ["If", "then"]


def test_sentences_that_a_connective_joins_are_no_implicit_pair(shipped: Pipeline) -> None:
    found = shipped(TEXT, norel=True)
    seconds = {one.arg2.text for one in found if one.kind != "Explicit"}
    assert "Many birds leave in autumn." in seconds
    assert not {"However, nobody came.", "Therefore, it closed."} & seconds


def test_a_question_and_its_answer(shipped: Pipeline) -> None:
    (found,) = shipped(TEXT, kinds="hypophora")
    assert (found.kind, found.sense) == ("Hypophora", "Hypophora")
    assert (found.arg1.text, found.arg2.text) == ("Who won the match?", "Tina won it.")
    explanation = shipped.explain(found)
    assert sum(term.value for term in explanation.terms()) == pytest.approx(explanation.score)
    assert shipped.explain(found, sense="Contingency.Cause").score == found.scores["Contingency.Cause"]
    assert shipped.view(found).senses[0].explanation.sense == "Hypophora"


@pytest.mark.parametrize(
    ("text", "answered"),
    [
        ("Did it rain?\n\nYes, all day.", True),
        ("Where was Bob?\n\nHe was at home.", True),
        ("Where was Bob? He was at home.", True),
        ("Were we late? No, we were not.", True),
        ("Where was Bob?\n\nWhere was Tina?", False),
        ("It rained.\n\nYes, all day.", False),
        ("It rained. Yes, all day.", False),
    ],
)
def test_which_questions_are_answered(shipped: Pipeline, text: str, answered: bool) -> None:
    for paragraphs in ("blank", "line", "none"):
        kinds = [one.kind for one in shipped(text, norel=True, paragraphs=paragraphs)]
        assert ("Hypophora" in kinds) == answered
    assert "Hypophora" not in [one.kind for one in shipped(text, between_only=True, paragraphs="none")]


def test_kinds_are_chosen(shipped: Pipeline) -> None:
    everything = shipped(TEXT, norel=True)
    for kind in KINDS:
        found = shipped(TEXT, kinds=[kind])
        wanted = [one for one in everything if one.kind == kind]
        assert [one.index for one in found] == list(range(len(wanted)))
        for one, other in zip(found, wanted, strict=True):
            assert (one.sense, one.arg1, one.arg2) == (other.sense, other.arg1, other.arg2)
            # Fewer pairs are scored together, which may change the last digits.
            assert one.probability == pytest.approx(other.probability, abs=1e-5)
    assert shipped(TEXT) == shipped(TEXT, kinds="explicit, implicit, entrel, hypophora")
    assert shipped(TEXT, kinds=["Explicit"], norel=True) == shipped(TEXT, kinds="Explicit,NoRel")
    ((first, *_),) = shipped.pipe([TEXT], kinds="Explicit")
    assert replace(first, document="text") == shipped(TEXT, kinds="Explicit")[0]


@pytest.mark.parametrize(("kinds", "what"), [("x", "kind of relation 'x'"), ("", "No kind")])
def test_unknown_kinds_are_refused(kinds: object, what: str) -> None:
    with pytest.raises(InputError, match=what):
        RelationChoice.of(kinds)  # type: ignore[arg-type]


def test_without_trees_neighbouring_sentences_are_judged(small: Pipeline) -> None:
    document = small.annotate("Bob left because it rained. However, Tina stayed.")
    document = replace(document, sentences=[replace(one, constituents=None) for one in document.sentences])
    assert not has_trees(document)
    draft = draft_relations(document, small.parser, RelationChoice())
    assert [one.instance.relation.connective for one in draft if isinstance(one, Candidate)] == ["However"]


def test_explicit_relations_are_explained(shipped: Pipeline) -> None:
    found = shipped(TEXT)
    for one, explanation in zip(found, shipped.explain_many(found), strict=True):
        assert explanation == shipped.explain(one)
        assert sum(term.value for term in explanation.terms()) == pytest.approx(explanation.score, abs=1e-9)
        assert bool(explanation.connective) == (one.kind == "Explicit")
        if one.kind == "Explicit":
            assert sum(term.value for term in explanation.connective) > 0
            assert explanation.rival in (*list(one.probabilities)[1:2], "")
            view = shipped.view(one)
            assert [one.explanation.sense for one in view.senses] == list(one.probabilities)[:4]
