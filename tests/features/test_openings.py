"""First words and tags of the arguments: worked examples."""

from __future__ import annotations

from disco2.features.openings import opening_features
from tests.features.clauses import clauses, tags_on_tokens, untagged, without_layers
from tests.features.feature_documents import make_instance

THERE = "There/EX/2/expl was/VBD/0/root no/DT/4/det Rain/NN/2/nsubj"
STOP = "Stop/VB/0/root It/PRP/1/obj"


def test_a_pair_by_hand() -> None:
    assert opening_features(make_instance(clauses(THERE, STOP), range(4), range(4, 6))) == {
        "arg1 begins with 'there was'",
        "arg1 begins with 'there was no'",
        "arg1 begins with EX",
        "arg1 begins with EX VBD DT",
        "arg2 begins with 'stop it'",
        "arg2 is 'stop it'",
        "arg2 begins with VB",
        "arg2 is VB PRP",
        "arguments begin with 'there', 'stop'",
        "arguments begin with EX, VB",
    }


def test_an_argument_may_be_one_word_or_scattered() -> None:
    found = opening_features(make_instance(clauses(THERE, STOP), [5], [0, 2, 3]))
    assert {"arg1 is 'it'", "arg1 begins with PRP", "arg1 is PRP"} <= found
    assert {"arg2 begins with 'there no'", "arg2 begins with EX DT NN"} <= found


def test_an_opening_may_run_over_the_end_of_a_sentence() -> None:
    found = opening_features(make_instance(clauses(STOP, THERE), range(6), [5]))
    assert {"arg1 begins with 'stop it there'", "arg1 begins with VB PRP EX"} <= found


def test_tags_of_tokens_serve_where_there_are_no_trees() -> None:
    doc = clauses(THERE, STOP)
    expected = opening_features(make_instance(doc, range(4), range(4, 6)))
    assert opening_features(make_instance(tags_on_tokens(doc), range(4), range(4, 6))) == expected


def test_words_are_left_where_there_are_no_tags() -> None:
    doc = clauses(THERE, STOP)
    words = {fact for fact in opening_features(make_instance(doc, range(4), range(4, 6))) if "'" in fact}
    assert len(words) == 5
    for bare in (untagged(doc), without_layers(doc)):
        assert opening_features(make_instance(bare, range(4), range(4, 6))) == words


def test_an_argument_without_words_is_left_to_the_trees() -> None:
    assert opening_features(make_instance(clauses(STOP), [], [0])) == set()
