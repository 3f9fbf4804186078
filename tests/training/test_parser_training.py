"""The losses of the discourse parser, on examples small enough to see the answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")

from disco2.data import Argument, Corpus, Relation, RelationKind
from disco2.errors import CorpusError
from disco2.parser.arguments import SpanChoice, choose_spans
from disco2.parser.connectives import level2
from disco2.parser.features import probabilities, yes_probabilities
from tests.parser.made_up import document
from tools.train_parser import Group, fit_classes, fit_ranker, gather, make_list, train_parser


def test_a_logistic_model_learns_shares() -> None:
    items = [[("", ["a"])]] * 40
    answers = ["yes"] * 30 + [""] * 10
    model = fit_classes(items, answers, ("yes",), penalty=1e-6, least=1)
    assert yes_probabilities(model.scores(items[:1]))[0] == pytest.approx(0.75, abs=1e-3)


def test_a_softmax_learns_shares() -> None:
    items = [[("", ["a"])]] * 10
    answers = ["x"] * 5 + ["y"] * 3 + ["z"] * 2
    model = fit_classes(items, answers, ("x", "y", "z"), penalty=1e-6, least=1)
    assert probabilities(model.scores(items[:1]))[0] == pytest.approx([0.5, 0.3, 0.2], abs=1e-3)


def test_rare_features_are_left_out() -> None:
    items = [[("", names)] for names in (["a", "rare"], ["a"], ["b"])]
    model = fit_classes(items, ["yes", "yes", ""], ("yes",), penalty=0.1, least=2)
    assert set(model.rows) == {"a"}


def test_a_ranker_learns_beginnings_ends_and_kinds() -> None:
    choice = SpanChoice(
        begins=[[("", ["near"])], [("", ["far"])]],
        ends=[[("", ["soon"])], [("", ["late"])]],
        kinds=[[("", ["usual"])], [("", ["odd"])]],
        pairs=[(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1)],
        spans=[(2, 3), (2, 9), (0, 3), (0, 9)],
    )
    for gold in range(4):
        model = fit_ranker([Group(choice, gold)] * 5, penalty=0.1, least=1)
        assert choose_spans(model, [choice]) == [choice.spans[gold]]


def corpus(part: str = "train") -> Corpus:
    doc = document()
    relation = Relation(
        id="made-up:1",
        document=doc.id,
        kind=RelationKind.EXPLICIT,
        arg1=Argument((0, 1), "We left"),
        arg2=Argument((3, 4, 5), "it rained ."),
        senses=("Contingency.Cause.Reason",),
        connective="because",
        connective_tokens=(2,),
    )
    return Corpus("made up", "gdtb", {doc.id: doc}, (relation,), parts={doc.id: part})


def test_what_a_corpus_teaches() -> None:
    material = gather(corpus(), "train")
    (example,) = material.examples
    assert example.candidate.name == "because"
    assert material.stated == {"made-up": {2}}
    assert "Contingency.Cause" in make_list(material).senses["because"]
    assert level2("Contingency.Cause.Reason") == "Contingency.Cause"


def test_a_corpus_without_parts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no part 'train'"):
        train_parser([corpus("test")], tmp_path / "model")
    assert not np.any(list(tmp_path.iterdir()))
