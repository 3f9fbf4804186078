from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disco2.data import RelationKind
from disco2.errors import InputError
from disco2.parser.parser import DiscourseParser, ParsedDocument
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


def test_an_explanation_names_what_decided() -> None:
    parser = DiscourseParser.load()
    is_connective, terms = parser.explain(ParsedDocument(document()), [2])
    assert sum(row[0] for _, row in is_connective) > 0
    assert parser.senses[np.argmax(sum(row for _, row in terms))] == "Contingency.Cause"
    assert "because" in dict(terms)
