"""The rules that the discourse parser is compared with, on one sentence."""

from __future__ import annotations

from dataclasses import replace

from disco2.data import Corpus, RelationKind
from disco2.experiments.parser import (
    RuleBaseline,
    as_spans,
    gold_relations,
    has_relations,
    score_parser,
    with_neighbours,
)
from disco2.interfaces.cli.evaluate_parser import score_pipeline
from disco2.parser.parser import DiscourseParser
from tests.inference.small_pipeline import small_pipeline
from tests.training.test_parser_training import corpus


def two_documents() -> Corpus:
    """One sentence to learn from, the same one to test on, with an implicit relation for the usual sense."""
    own = corpus()
    (relation,) = own.relations
    (doc,) = own.documents.values()
    implicit = replace(relation, id="2", kind=RelationKind.IMPLICIT, connective="", connective_tokens=())
    return replace(
        own,
        documents={"made-up": doc, "other": replace(doc, id="other")},
        relations=(
            relation,
            implicit,
            replace(relation, id="3", document="other"),
            replace(implicit, id="4", document="other"),
        ),
        parts={"made-up": "train", "other": "test"},
    )


def test_rules_take_the_words_around_the_connective() -> None:
    both = two_documents()
    rules = RuleBaseline.learn(both)
    (found,) = rules.parse(both.documents["other"])
    assert (found.arg1, found.connective, found.arg2) == ({0, 1}, {2}, {3, 4, 5})
    assert found.senses == ("Contingency.Cause",)


def test_scores_of_rules_and_parser() -> None:
    both = two_documents()
    rules = RuleBaseline.learn(both)
    parser = DiscourseParser.load()
    assert len(gold_relations(both, "test")) == 2
    for scores in (
        score_parser(both, rules.parse, rules.parse_given, part="test"),
        score_parser(
            both,
            with_neighbours(parser, rules.implicit_sense),
            lambda doc, tokens: as_spans(doc, parser.parse(doc, connectives=tokens)),
            part="test",
        ),
    ):
        assert scores.senses == 1.0
        assert scores.end_to_end["connectives"].f1 == 1.0
        assert scores.given["explicit both exact"].f1 == 1.0
        assert scores.whole["all exact"].right == 1


def test_scores_of_a_pipeline() -> None:
    both = two_documents()
    pipeline = small_pipeline()
    scores = score_pipeline(pipeline, both, part="test")
    assert scores.end_to_end["connectives"].f1 == 1.0
    assert scores.senses == 1.0
    assert scores.whole["all exact"].found == len(pipeline.relations(both.documents["other"]))


def test_gold_senses_are_those_of_pdtb_3() -> None:
    both = two_documents()
    old = replace(both.relations[2], senses=("Temporal.Synchrony",))
    found = gold_relations(replace(both, relations=(old,)), "test")
    assert found[0].senses == ("Temporal.Synchronous",)
    assert has_relations(both, "test")
    assert not has_relations(both, "dev")
