"""The discourse parser scored end to end, beside rules."""

from __future__ import annotations

from dataclasses import replace

from disco2.data import Corpus, RelationKind
from disco2.experiments.parser import (
    RuleBaseline,
    System,
    as_spans,
    gold_relations,
    has_relations,
    parser_findings,
    run_system,
    score_output,
)
from disco2.interfaces.cli.experiment import pipeline_system
from disco2.parser.parser import DiscourseParser
from disco2.reporting.findings import Measure
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
    system = System(
        lambda doc: as_spans(doc, parser.parse(doc)),
        lambda doc, tokens: as_spans(doc, parser.parse(doc, connectives=tokens)),
        lambda inside: [""] * len(inside),
    )
    for one in (rules.system, system):
        scores = score_output(run_system(both, one, part="test"))
        assert scores["gold connectives: sense"].f1 == 1.0
        assert scores["connectives"].f1 == 1.0
        assert scores["gold connectives: both exact"].f1 == 1.0
        assert scores["all: exact, with sense"].right == 1


def test_scores_of_a_pipeline() -> None:
    both = two_documents()
    pipeline = small_pipeline()
    scores = score_output(run_system(both, pipeline_system(pipeline), part="test"))
    assert scores["connectives"].f1 == 1.0
    assert scores["gold connectives: sense"].f1 == 1.0
    assert scores["implicit in sentences, gold arguments: sense"].gold == 1
    assert scores["all: exact, with sense"].found == len(pipeline.relations(both.documents["other"]))


def test_tables_of_a_system_beside_rules_and_by_genre() -> None:
    both = two_documents()
    names = {"made-up": "GUM_news_one", "other": "GUM_news_two"}
    documents = {names[name]: replace(doc, id=names[name]) for name, doc in both.documents.items()}
    documents["GUM_fiction_three"] = replace(documents["GUM_news_two"], id="GUM_fiction_three")
    relations = [replace(one, document=names[one.document]) for one in both.relations]
    relations += [replace(one, document="GUM_fiction_three") for one in relations[2:]]
    parts = {"GUM_news_one": "train", "GUM_news_two": "test", "GUM_fiction_three": "test"}
    renamed = replace(both, documents=documents, relations=tuple(relations), parts=parts)
    rules = RuleBaseline.learn(renamed).system
    whole, genres = parser_findings(renamed, rules, part="test", name="rules").tables
    assert [row[0] for row in whole.rows][:2] == ["connectives", "explicit: Arg1 exact"]
    for row in whole.rows:
        assert isinstance(row[4], Measure)
        assert row[4].interval is not None
        assert row[4] == row[5]  # rules beside rules
    assert [row[:2] for row in genres.rows] == [("fiction", 2), ("news", 2)]


def test_gold_senses_are_those_of_pdtb_3() -> None:
    both = two_documents()
    old = replace(both.relations[2], senses=("Temporal.Synchrony",))
    found = gold_relations(replace(both, relations=(old,)), "test")
    assert found[0].senses == ("Temporal.Synchronous",)
    assert has_relations(both, "test")
    assert not has_relations(both, "dev")
