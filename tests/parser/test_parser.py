from __future__ import annotations

from dataclasses import replace

import pytest

from disco2.data import RelationKind
from disco2.errors import InputError
from disco2.parser.arguments import choose_spans
from disco2.parser.parser import DiscourseParser, ParsedDocument, token_f1
from tests.parser.made_up import document


def test_the_shipped_parser_reads_a_sentence() -> None:
    parser = DiscourseParser.load()
    (relation,) = parser.parse(document())
    assert relation.kind == RelationKind.EXPLICIT
    assert (relation.arg1, relation.connective, relation.arg2) == ((0, 1), (2,), (3, 4, 5))
    assert relation.sense == "Contingency.Cause"
    assert relation.name == "because"
    assert relation.probability > 0.9


def test_given_connectives_are_not_looked_for() -> None:
    parser = DiscourseParser.load()
    assert parser.parse(document(), connectives=[], implicit=False) == []
    (relation,) = parser.parse(document(), connectives=[(2,)], implicit=False)
    assert relation.probability == 1.0
    for wrong in ((), (99,), (-1,)):
        with pytest.raises(InputError, match="no tokens"):
            parser.parse(document(), connectives=[wrong])


def test_a_document_without_words_has_no_relation() -> None:
    empty = replace(document(), text="", tokens=(), sentences=())
    assert DiscourseParser.load().parse(empty) == []


def test_only_listed_connectives_are_found() -> None:
    parser = DiscourseParser.load()
    assert [one.candidate.name for one in parser.find_connectives(ParsedDocument(document()))] == ["because"]


def test_an_explanation_names_what_decided() -> None:
    found = DiscourseParser.load().explain(ParsedDocument(document()), [2])
    assert sum(value for _, value in found.is_connective) > 0
    assert found.senses[found.values.sum(axis=0).argmax()] == "Contingency.Cause"
    assert "because" in found.features


def test_nothing_to_choose_from() -> None:
    parser = DiscourseParser.load()
    assert choose_spans(parser.models["arg1"], []) == []


def test_overlap() -> None:
    assert token_f1((1, 2, 3, 4), (3, 4)) == pytest.approx(4 / 6)
    assert token_f1((1,), (2,)) == 0.0
